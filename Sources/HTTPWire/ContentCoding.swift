/// A coding that a body may be sent in (RFC 9110 §8.4.1).
public enum ContentCoding: String, Hashable, Sendable, CaseIterable {
  /// RFC 1952.
  case gzip
  /// Brotli, RFC 7932.
  case brotli = "br"

  /// What Content-Encoding calls it.
  public var name: String { rawValue }
}
