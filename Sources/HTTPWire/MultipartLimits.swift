/// What a multipart body may weigh besides its files.
public struct MultipartLimits: Sendable, Hashable {
  /// Bytes of one part's head.
  public let headBytes: Int
  /// Bytes of a part that is no file, that is, has no file name.
  public let fieldBytes: Int
  /// How many parts.
  public let parts: Int

  /// Limits of one's own; none may be negative.
  public init(headBytes: Int, fieldBytes: Int, parts: Int) {
    self.headBytes = headBytes
    self.fieldBytes = fieldBytes
    self.parts = parts
  }

  /// 8 KiB, 64 KiB, 64 parts.
  public static let standard = MultipartLimits(headBytes: 8 << 10, fieldBytes: 64 << 10, parts: 64)
}

/// Why a multipart body is turned down.
public enum MultipartError: Error, Hashable, Sendable {
  /// The Content-Type has no boundary, or one that RFC 2046 §5.1.1 does not allow.
  case badBoundary
  /// Something that the format does not have; the text is for a person.
  case malformed(String)
  /// A part's head is over the limit.
  case headTooLarge(limit: Int)
  /// There are more parts than the limit.
  case tooManyParts(limit: Int)
  /// The value of a field that is no file is over the limit.
  case fieldTooLarge(name: String, limit: Int)
  /// The body ends before its closing delimiter.
  case truncated
}
