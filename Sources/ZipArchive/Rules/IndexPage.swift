/// The start of a package's `index.html`, looked through for files it needs. Not an HTML parser: it finds `src` and `href` of
/// tags outside comments and scripts, and leaves out what it is not sure of.
struct IndexPage {
  /// Bytes of the page that are looked at.
  static let limit = 1 << 20
  private static let referenceLimit = 10_000

  private let bytes: [UInt8]
  private var index = 0
  private var references: [String] = []
  private var hasBase = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    while let next = find("<", from: index), references.count < Self.referenceLimit {
      index = next + 1
      if starts("!--") {
        index = find("-->", from: index + 3) ?? bytes.count
      } else {
        readTag()
      }
    }
  }

  /// The relative references that `paths` do not serve, sorted. None when a `<base>` changes what they mean.
  func assets(missingFrom paths: [String]) -> [String] {
    guard !hasBase else { return [] }
    var wanted = Set(references.compactMap(Self.resolve))
    for path in paths { wanted.remove(path) }
    return wanted.sorted()
  }

  /// `./a%20b.js?v=2` → `a b.js`; nil when it leads elsewhere or nowhere.
  static func resolve(_ reference: String) -> String? {
    let text = reference.prefix { $0 != "#" && $0 != "?" }
    guard let first = text.first, first != "/", first != "\\" else { return nil }
    // A scheme (RFC 3986 §3.1), or a template's placeholder.
    guard !text.contains(":"), !text.contains(where: { "{}<>$%`\"'".contains($0) && $0 != "%" }),
      let decoded = percentDecoded(text)
    else { return nil }
    var parts: [Substring] = []
    for scalars in decoded.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false) {
      let part = Substring(scalars)
      switch part {
      case "", ".": continue
      case "..":
        // RFC 3986 §5.2.4: above the top stays at the top.
        if !parts.isEmpty { parts.removeLast() }
      default: parts.append(part)
      }
    }
    if decoded.hasSuffix("/") || parts.isEmpty { parts.append("index.html") }
    return parts.joined(separator: "/").composed
  }

  private static func percentDecoded(_ text: Substring) -> String? {
    var output: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        output.append(byte)
        continue
      }
      guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, let value = UInt8(digits, radix: 16)
      else {
        return nil
      }
      output.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: output, as: UTF8.self)
  }

  private mutating func readTag() {
    let name = word { isLetterOrDigit($0) }
    guard !name.isEmpty else { return }
    while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      if isSpace(bytes[index]) || bytes[index] == UInt8(ascii: "/") {
        index += 1
        continue
      }
      readAttribute(of: name)
    }
    if name == "script" || name == "style" {
      while let next = find("</", from: index) {
        index = next + 2
        if word({ isLetterOrDigit($0) }) == name { return }
      }
      index = bytes.count
    }
  }

  private mutating func readAttribute(of tag: String) {
    let start = index
    let name = word { !isSpace($0) && !"=>/".utf8.contains($0) }
    skipSpaces()
    guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
      if index == start { index += 1 }
      return
    }
    index += 1
    skipSpaces()
    let value = readValue()
    switch (tag, name) {
    case ("base", "href"): hasBase = true
    case (_, "src"), (_, "href"):
      let text = value.trimmed
      if !text.isEmpty { references.append(text) }
    default: break
    }
  }

  private mutating func readValue() -> String {
    guard index < bytes.count else { return "" }
    let quote = bytes[index]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return word(lowercase: false) { !isSpace($0) && $0 != UInt8(ascii: ">") }
    }
    index += 1
    let value = word(lowercase: false) { $0 != quote }
    index += 1
    return value
  }

  private mutating func word(lowercase: Bool = true, _ belongs: (UInt8) -> Bool) -> String {
    let start = index
    while index < bytes.count, belongs(bytes[index]) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    return lowercase ? text.lowercased() : text
  }

  private mutating func skipSpaces() {
    while index < bytes.count, isSpace(bytes[index]) { index += 1 }
  }

  private func starts(_ text: StaticString) -> Bool { bytes[index...].starts(with: "\(text)".utf8) }

  private func find(_ text: StaticString, from start: Int) -> Int? {
    let wanted = Array("\(text)".utf8)
    guard let first = wanted.first else { return nil }
    var place = start
    while place < bytes.count {
      if bytes[place] == first, bytes[place...].starts(with: wanted) { return place }
      place += 1
    }
    return nil
  }
}

extension PackagePlan {
  /// What the package's `index.html`, or its start, refers to and the package does not have, sorted.
  public func assets(missingFor indexPage: [UInt8]) -> [String] {
    IndexPage(Array(indexPage.prefix(IndexPage.limit))).assets(missingFrom: files.map(\.path))
  }
}

private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (0x30...0x39).contains(byte)
}

extension String {
  /// Without white space at the ends, and with `&amp;` read.
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = { $0.isWhitespace }
    var text = drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    let parts = text.split(separator: "&amp;", omittingEmptySubsequences: false)
    return parts.joined(separator: "&")
  }
}
