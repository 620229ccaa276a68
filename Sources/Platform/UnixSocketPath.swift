/// The name of a Unix socket in the file system, as long as the kernel takes it.
public struct UnixSocketPath: Hashable, Sendable, CustomStringConvertible {
  /// Bytes a path may have: `sun_path` of unix(7) is 108, one of them for the NUL at its end.
  public static let limit = 107

  /// The path as it was given, relative ones too.
  public let text: String

  /// Nil when it is empty, longer than `limit`, or holds a NUL.
  public init?(_ text: String) {
    guard (1...Self.limit).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
    self.text = text
  }

  /// The path.
  public var description: String { text }
}
