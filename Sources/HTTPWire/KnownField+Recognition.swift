extension KnownField {
  /// Recognises a field name that is a token, whatever its case, without making a `String` of it.
  ///
  /// Length and first letter leave one candidate (two for `if-match` and `if-range`); then all bytes are compared.
  @inline(__always)
  init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
    guard let candidate = Self.candidate(length: range.count, bytes, at: range.lowerBound) else { return nil }
    let words = candidate.words
    guard Self.word(bytes, range, 0) == words.0 else { return nil }
    if range.count > 8, Self.word(bytes, range, 1) != words.1 { return nil }
    if range.count > 16, Self.word(bytes, range, 2) != words.2 { return nil }
    if range.count > 24, Self.word(bytes, range, 3) != words.3 { return nil }
    self = candidate
  }

  @inline(__always)
  private static func candidate(length: Int, _ bytes: Span<UInt8>, at start: Int) -> KnownField? {
    guard length >= 4, length <= 29 else { return nil }
    switch (length, bytes[start] | 0x20) {
    case (4, UInt8(ascii: "h")): return .host
    case (5, UInt8(ascii: "r")): return .range
    case (6, UInt8(ascii: "e")): return .expect
    case (6, UInt8(ascii: "o")): return .origin
    case (7, UInt8(ascii: "r")): return .referer
    case (8, UInt8(ascii: "i")): return bytes[start + 3] | 0x20 == UInt8(ascii: "m") ? .ifMatch : .ifRange
    case (9, UInt8(ascii: "f")): return .forwarded
    case (10, UInt8(ascii: "c")): return .connection
    case (10, UInt8(ascii: "u")): return .userAgent
    case (11, UInt8(ascii: "c")): return .contentMD5
    case (12, UInt8(ascii: "c")): return .contentType
    case (12, UInt8(ascii: "x")): return .requestID
    case (13, UInt8(ascii: "a")): return .authorization
    case (13, UInt8(ascii: "i")): return .ifNoneMatch
    case (14, UInt8(ascii: "c")): return .contentLength
    case (15, UInt8(ascii: "a")): return .acceptEncoding
    case (15, UInt8(ascii: "x")): return .forwardedFor
    case (16, UInt8(ascii: "x")): return .forwardedHost
    case (17, UInt8(ascii: "i")): return .ifModifiedSince
    case (17, UInt8(ascii: "t")): return .transferEncoding
    case (17, UInt8(ascii: "x")): return .forwardedProto
    case (19, UInt8(ascii: "i")): return .ifUnmodifiedSince
    case (29, UInt8(ascii: "a")): return .accessControlRequestMethod
    default: return nil
    }
  }

  /// Up to eight bytes of a name in lower case, the first one highest. In a token no two characters become a letter or
  /// a hyphen by setting this bit, but the two cases of a letter.
  @inline(__always)
  private static func word(_ bytes: Span<UInt8>, _ range: Range<Int>, _ number: Int) -> UInt64 {
    let start = range.lowerBound + 8 * number
    if start + 8 <= bytes.count {
      let bits = bytes.eight(at: start).bits.byteSwapped | 0x2020_2020_2020_2020
      return bits >> UInt64(8 * max(0, start + 8 - range.upperBound))
    }
    var word: UInt64 = 0
    for index in start..<min(start + 8, range.upperBound) { word = word << 8 | UInt64(bytes[index] | 0x20) }
    return word
  }

  /// `name` in the form that `word` makes; a test compares the two.
  private var words: (UInt64, UInt64, UInt64, UInt64) {
    switch self {
    case .host: (0x686f7374, 0, 0, 0)
    case .connection: (0x636f6e6e65637469, 0x6f6e, 0, 0)
    case .contentLength: (0x636f6e74656e742d, 0x6c656e677468, 0, 0)
    case .transferEncoding: (0x7472616e73666572, 0x2d656e636f64696e, 0x67, 0)
    case .expect: (0x657870656374, 0, 0, 0)
    case .contentType: (0x636f6e74656e742d, 0x74797065, 0, 0)
    case .contentMD5: (0x636f6e74656e742d, 0x6d6435, 0, 0)
    case .authorization: (0x617574686f72697a, 0x6174696f6e, 0, 0)
    case .ifMatch: (0x69662d6d61746368, 0, 0, 0)
    case .ifNoneMatch: (0x69662d6e6f6e652d, 0x6d61746368, 0, 0)
    case .ifModifiedSince: (0x69662d6d6f646966, 0x6965642d73696e63, 0x65, 0)
    case .ifUnmodifiedSince: (0x69662d756e6d6f64, 0x69666965642d7369, 0x6e6365, 0)
    case .ifRange: (0x69662d72616e6765, 0, 0, 0)
    case .range: (0x72616e6765, 0, 0, 0)
    case .acceptEncoding: (0x6163636570742d65, 0x6e636f64696e67, 0, 0)
    case .origin: (0x6f726967696e, 0, 0, 0)
    case .accessControlRequestMethod:
      (0x6163636573732d63, 0x6f6e74726f6c2d72, 0x6571756573742d6d, 0x6574686f64)
    case .requestID: (0x782d726571756573, 0x742d6964, 0, 0)
    case .userAgent: (0x757365722d616765, 0x6e74, 0, 0)
    case .forwarded: (0x666f727761726465, 0x64, 0, 0)
    case .forwardedFor: (0x782d666f72776172, 0x6465642d666f72, 0, 0)
    case .forwardedProto: (0x782d666f72776172, 0x6465642d70726f74, 0x6f, 0)
    case .forwardedHost: (0x782d666f72776172, 0x6465642d686f7374, 0, 0)
    case .referer: (0x72656665726572, 0, 0, 0)
    }
  }
}
