/// RFC 9110 §14.1.2 once more, with decimal numbers as texts and no thought of speed.
struct RangeModel {
  static let limit = 16

  struct Spec {
    /// Without leading zeros; nil for a suffix.
    let first: String?
    let last: String?

    init?(_ member: Substring) {
      let parts = member.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].utf8.allSatisfy(isDigit), parts[1].utf8.allSatisfy(isDigit) else {
        return nil
      }
      guard !parts[0].isEmpty || !parts[1].isEmpty else { return nil }
      first = parts[0].isEmpty ? nil : significant(parts[0])
      last = parts[1].isEmpty ? nil : significant(parts[1])
      if let first, let last, isLess(last, first) { return nil }
    }

    /// What it selects; nil when that is not satisfiable.
    func resolved(size: Int64) -> Range<Int64>? {
      guard let first else {
        guard let last, last != "0" else { return nil }
        return isLess(last, "\(size)") ? size - (Int64(last) ?? 0)..<size : 0..<size
      }
      guard isLess(first, "\(size)"), let start = Int64(first) else { return nil }
      guard let last, isLess(last, "\(size)"), let end = Int64(last) else { return start..<size }
      return start..<end + 1
    }
  }

  let specs: [Spec]

  init?(_ value: String) {
    guard value.utf8.count > 6, value.prefix(6).lowercased() == "bytes=", value.prefix(6).utf8.count == 6
    else { return nil }
    var specs: [Spec] = []
    // White space stands around commas only.
    let first = value.utf8.dropFirst(6).prefix { $0 != UInt8(ascii: ",") }
    guard first.first.map(isBlank) != true || first.allSatisfy(isBlank) else { return nil }
    for member in value.dropFirst(6).utf8.split(separator: UInt8(ascii: ",")) {
      let trimmed = member.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
      guard !trimmed.isEmpty else { continue }
      guard let spec = Spec(String(decoding: Array(trimmed), as: UTF8.self)[...]) else { return nil }
      specs.append(spec)
    }
    guard !specs.isEmpty else { return nil }
    self.specs = specs
  }
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

private func significant(_ digits: Substring) -> String {
  let rest = digits.drop { $0 == "0" }
  return rest.isEmpty ? "0" : String(rest)
}

private func isLess(_ one: String, _ other: String) -> Bool {
  let (left, right) = (Array(one.utf8), Array(other.utf8))
  return left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
}
