public import DepotModel

/// How the last sync ended.
public struct LastSync: Sendable, Hashable {
  /// When it ended, by this machine's clock.
  public let at: Timestamp
  /// What the program ended with.
  public let exitCode: Int32
  /// One line for people.
  public let summary: String
}
