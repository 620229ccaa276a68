/// A named pointer to one version of each game: `stable`, `beta` …
///
/// 1–32 of `A-Z a-z 0-9 . _ -`, first a letter or digit.
public struct ChannelName: Hashable, Sendable, CustomStringConvertible {
  /// The channel an upload moves and a read sees when none is named.
  public static let stable = ChannelName(unchecked: "stable")

  /// The name as written.
  public let text: String

  /// Nil when `text` breaks a rule above.
  public init?(_ text: String) {
    guard Identifier.isValid(text, maximumLength: 32, allowsPlus: false) else { return nil }
    self.text = text
  }

  private init(unchecked text: String) { self.text = text }

  /// The same as `text`.
  public var description: String { text }
}
