public import DepotModel

/// A game that was rolled back by hand: syncs leave it alone until the server publishes something newer than what it
/// offered then.
public struct Hold: Sendable, Hashable {
  /// The game.
  public let id: GameID
  /// The version it was rolled back to.
  public let version: H5Version
  /// The package the server offered at that time; nil when it offered none.
  public let offered: SHA256Digest?
  /// When that was published; when the server offered none, the time of the rollback.
  public let offeredAt: Timestamp

  /// Whether a release ends the hold: other bytes, published no earlier than those offered at the time of the rollback.
  func isEnded(by release: Release) -> Bool {
    release.sha256 != offered && release.publishedAt >= offeredAt
  }
}
