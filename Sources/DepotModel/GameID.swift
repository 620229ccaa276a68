/// The name a game is published under.
///
/// 1–128 of `A-Z a-z 0-9 . _ -`, first a letter or digit; `check` and `uploads` are routes, not games. Ids that differ
/// only by case are refused by the catalogue, so that a mirror also works on a case-insensitive file system.
public struct GameID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The id as written by its publisher.
  public let text: String

  /// Nil when `text` breaks a rule above.
  public init?(_ text: String) {
    guard Identifier.isValid(text, maximumLength: 128, allowsPlus: false), text != "check", text != "uploads"
    else { return nil }
    self.text = text
  }

  /// The id with ASCII letters in lower case: two ids with the same folding may not both exist.
  public var folded: String { text.lowercased() }
  /// The same as `text`.
  public var description: String { text }
  /// Byte order, which is the order of a listing.
  public static func < (left: GameID, right: GameID) -> Bool { Identifier.precedes(left.text, right.text) }
}
