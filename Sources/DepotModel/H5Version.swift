/// A version number of a game's package, as its studio writes it.
///
/// 1–64 of `A-Z a-z 0-9 . _ + -`, first a letter or digit. It has no order of its own: the current version is what a
/// channel points at, never what sorts highest.
public struct H5Version: Hashable, Sendable, CustomStringConvertible {
  /// The version as written.
  public let text: String

  /// Nil when `text` breaks a rule above.
  public init?(_ text: String) {
    guard Identifier.isValid(text, maximumLength: 64, allowsPlus: true) else { return nil }
    self.text = text
  }

  /// The same as `text`.
  public var description: String { text }
}
