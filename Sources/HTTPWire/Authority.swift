/// The `host[:port]` of a Host field or a request target (RFC 3986 §3.2), without user information.
enum Authority {
  /// Whether a part of `bytes` is one. An empty host is none: an `http` URI always has one (RFC 9110 §4.2.1).
  static func isValid(_ bytes: Span<UInt8>, in range: Range<Int>, needsPort: Bool = false) -> Bool {
    var index = range.lowerBound
    let end = range.upperBound
    guard index < end else { return false }
    if bytes[index] == UInt8(ascii: "[") {
      // RFC 3986 §3.2.2: an address of a version that is not known, `[v1.…]`, cannot be this server's.
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]"), in: range),
        isIPv6(bytes, in: index + 1..<close)
      else { return false }
      index = close + 1
    } else {
      while true {
        index = min(bytes.firstMark(from: index) { $0.notOfHosts }, end)
        guard index < end, bytes[index] != UInt8(ascii: ":") else { break }
        guard let next = endOfCharacter(bytes, at: index, end: end) else { return false }
        index = next
      }
      guard index > range.lowerBound else { return false }
    }
    guard index < end else { return !needsPort }
    guard bytes[index] == UInt8(ascii: ":") else { return false }
    guard needsPort else { return isPort(bytes, in: index + 1..<end) }
    return index + 1 < end && isPort(bytes, in: index + 1..<end)
  }

  /// RFC 3986 §3.2.2: reg-name = *( unreserved / pct-encoded / sub-delims ); IPv4 addresses look like one.
  private static func endOfCharacter(_ bytes: Span<UInt8>, at index: Int, end: Int) -> Int? {
    switch bytes[index] {
    case let byte where byte.isLetter || byte.isDigit: return index + 1
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
      UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      return index + 1
    case UInt8(ascii: "%"):
      guard index + 2 < end, bytes[index + 1].hexValue != nil, bytes[index + 2].hexValue != nil else {
        return nil
      }
      return index + 3
    default:
      return nil
    }
  }

  /// RFC 3986 §3.2.3: *DIGIT, so it may be empty; a number a socket cannot have is refused.
  private static func isPort(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
    let digits = bytes.extracting(range)
    var port = 0
    for index in 0..<digits.count {
      guard digits[index].isDigit else { return false }
      port = port &* 10 &+ Int(digits[index] &- 0x30)
      guard port <= 65535 else { return false }
    }
    return true
  }

  /// Only between brackets, so that the text made for it costs a usual request nothing. A colon tells that it is not IPv4.
  private static func isIPv6(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
    let part = bytes.extracting(range)
    let text = String(decoding: part.indices.map { part[$0] }, as: UTF8.self)
    return text.contains(":") && PeerAddress(text) != nil
  }
}
