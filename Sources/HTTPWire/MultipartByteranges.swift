/// Several parts of one representation in one body (RFC 9110 §14.6).
public struct MultipartByteranges: Sendable {
  /// What Content-Type of the response says.
  public let contentType: String
  /// Boundaries and parts; its `count` is the exact Content-Length.
  public let body: ResponseBody

  /// Puts `ranges` of a representation of `size` bytes and of type `contentType` one after the other; `part` gives the
  /// bytes of each. A line break comes before the first delimiter, too, as from nginx and Apache: zsync counts on it, and to
  /// others it is an empty preamble (RFC 2046 §5.1.1). The boundary must not occur in them: let `makeBoundary` make it.
  public init(
    ranges: [Range<Int64>], size: Int64, contentType: String, boundary: String,
    part: (Range<Int64>) -> ResponseBody
  ) {
    var segments: [ResponseBody] = []
    segments.reserveCapacity(2 * ranges.count + 1)
    for range in ranges {
      let head = """
        \r
        --\(boundary)\r
        Content-Type: \(contentType)\r
        Content-Range: \(Self.contentRange(range, size: size))\r
        \r

        """
      segments.append(.bytes(Array(head.utf8)))
      segments.append(part(range))
    }
    segments.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
    self.contentType = "multipart/byteranges; boundary=\(boundary)"
    body = .segments(segments)
  }

  /// 128 random bits in hexadecimal: what nobody can have put into a package.
  public static func makeBoundary() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// The value of a Content-Range for a part that is sent (RFC 9110 §14.4): `bytes 0-99/1000`.
  public static func contentRange(_ range: Range<Int64>, size: Int64) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
  }

  /// The value of a Content-Range for a 416: `bytes */1000`.
  public static func unsatisfiedContentRange(size: Int64) -> String { "bytes */\(size)" }
}
