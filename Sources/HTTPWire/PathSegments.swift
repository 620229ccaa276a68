/// A path as the names between its slashes, decoded one by one (RFC 3986 §3.3).
public struct PathSegments: Hashable, Sendable {
  /// At least one; the last is empty when the path ends with a slash. An encoded slash stays inside its segment, so
  /// that `a%2Fb` is one strange name and never two.
  public let segments: [String]

  /// Reads a path; nil unless it begins with a slash, and for a broken `%`, bytes that are not UTF-8, control
  /// characters, and the segments `.` and `..` in any spelling: a client resolves those before it sends them.
  public init?(_ path: String) {
    let bytes = Array(path.utf8)
    self.init(bytes.span, in: 0..<bytes.count)
  }

  init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
    guard !range.isEmpty, bytes[range.lowerBound] == UInt8(ascii: "/") else { return nil }
    var segments: [String] = []
    var start = range.lowerBound + 1
    while start <= range.upperBound {
      let end = bytes.firstIndex(of: UInt8(ascii: "/"), in: start..<range.upperBound) ?? range.upperBound
      guard let segment = PercentEncoding.decode(bytes, in: start..<end), segment != ".", segment != "..",
        segment.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
      else { return nil }
      segments.append(segment)
      start = end + 1
    }
    self.segments = segments
  }
}
