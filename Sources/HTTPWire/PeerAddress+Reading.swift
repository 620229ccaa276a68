extension PeerAddress {
  /// Reads a numeric address of either family, IPv6 without brackets and scope (RFC 4291 §2.2). An IPv4 address inside
  /// an IPv6 one (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) is that IPv4 address. Nil for anything else.
  public init?(_ text: some StringProtocol, port: UInt16 = 0) {
    if let bits = Self.ipv4Bits(text) {
      self = .ipv4(bits, port: port)
      return
    }
    guard let (high, low) = Self.ipv6Halves(text) else { return nil }
    self.init(high, low, port: port)
  }

  /// The address in two halves of IPv6, which may hold an IPv4 one.
  public init(_ high: UInt64, _ low: UInt64, port: UInt16) {
    self =
      high == 0 && low >> 32 == 0xffff
      ? .ipv4(UInt32(truncatingIfNeeded: low), port: port) : .ipv6(high, low, port: port)
  }

  /// Four numbers up to 255, without leading zeros: some read those as octal.
  private static func ipv4Bits(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard part.utf8.allSatisfy(\.isDigit), let number = UInt8(part), part == "0" || !part.hasPrefix("0")
      else { return nil }
      bits = bits << 8 | UInt32(number)
    }
    return bits
  }

  /// Eight groups, a run of which may be `::`; the last two may be an IPv4 address.
  private static func ipv6Halves(_ text: some StringProtocol) -> (UInt64, UInt64)? {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
    guard (3...9).contains(parts.count), let last = parts.last else { return nil }
    if last.contains(".") {
      guard let bits = ipv4Bits(last) else { return nil }
      parts[parts.count - 1] = String(bits >> 16, radix: 16)
      parts.append(String(bits & 0xffff, radix: 16))
    }
    // A colon at either end must be one of two.
    if parts[0].isEmpty {
      guard parts.removeFirst() == parts[0] else { return nil }
    }
    if let last = parts.last, last.isEmpty, parts.count > 1 {
      guard parts.removeLast() == parts[parts.count - 1] else { return nil }
    }
    let gap = parts.firstIndex(of: "")
    if let gap {
      guard parts.count <= 8 else { return nil }
      parts.replaceSubrange(gap...gap, with: Array(repeating: "0", count: 9 - parts.count))
    }
    guard parts.count == 8 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    for (index, part) in parts.enumerated() {
      guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.hexValue != nil }),
        let group = UInt64(part, radix: 16)
      else { return nil }
      if index < 4 { halves.0 = halves.0 << 16 | group } else { halves.1 = halves.1 << 16 | group }
    }
    return halves
  }
}
