public import DepotModel

/// A version that was whole as a package but not as files once it stood: not tried again for a while.
public struct BadVersion: Sendable, Hashable {
  /// How long a version counts as bad, in seconds: long enough for a cron job not to flip back and forth all night, short
  /// enough for a disk that was mended in the morning.
  public static let period: Int64 = 6 * 3600

  /// The game.
  public let id: GameID
  /// Which version.
  public let version: H5Version
  /// Of its package: other bytes under the same version are another matter.
  public let sha256: SHA256Digest
  /// When it is tried again.
  public let until: Timestamp
  /// What was found, in one line.
  public let reason: String
}
