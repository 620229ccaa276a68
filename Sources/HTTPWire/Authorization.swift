/// What a request shows of its right to ask (RFC 9110 §11.6.2).
public enum Authorization: Hashable, Sendable {
  /// No Authorization field.
  case absent
  /// A bearer token (RFC 6750 §2.1), not yet looked up.
  case bearer(String)
  /// Another scheme, no proper token, or more than one field.
  case unreadable
}

extension HTTPRequest {
  /// The request's Authorization field.
  public var authorization: Authorization {
    let slice = slice(of: .authorization)
    guard !slice.isAbsent else { return .absent }
    let span = bytes.span
    let value = slice.range
    // RFC 9110 §11.1: the scheme is case-insensitive.
    guard !isRepeated(.authorization), value.count > 7,
      span.matches("Bearer ", in: value.lowerBound..<value.lowerBound + 7)
    else { return .unreadable }
    var start = value.lowerBound + 7
    while start < value.upperBound, span[start] == 0x20 { start += 1 }
    // RFC 6750 §2.1: b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    var index = start
    while index < value.upperBound, span[index].isTokenText { index += 1 }
    guard index > start else { return .unreadable }
    while index < value.upperBound, span[index] == UInt8(ascii: "=") { index += 1 }
    guard index == value.upperBound else { return .unreadable }
    return .bearer(text(Slice(start: start, count: index - start)))
  }
}

extension UInt8 {
  fileprivate var isTokenText: Bool {
    switch self {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
      UInt8(ascii: "/"):
      true
    default: isLetter || isDigit
    }
  }
}
