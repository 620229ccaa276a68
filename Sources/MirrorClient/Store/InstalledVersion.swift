public import DepotModel

/// One version of a game that stands in a mirror, as `mirror.sqlite` records it.
public struct InstalledVersion: Sendable, Hashable {
  /// The game.
  public let id: GameID
  /// For people.
  public let title: String
  /// Which version.
  public let version: H5Version
  /// Of the package.
  public let sha256: SHA256Digest
  /// Of the package.
  public let md5: MD5Digest
  /// Bytes of the package.
  public let size: Int64
  /// Bytes of its files; 0 when it is not unpacked.
  public let unpackedSize: Int64
  /// Whether its files stand below `games/`; else only the package is kept.
  public let isUnpacked: Bool
  /// Whether the package is kept beside the files.
  public let hasPackage: Bool
  /// How many of its files share their bytes with those of a version that stood when it was installed.
  public let sharedFiles: Int
  /// Bytes of those files.
  public let sharedBytes: Int64
  /// Whether its pages need to be isolated (COOP, COEP), for threads; nil when it is not unpacked, or was installed before
  /// anybody looked.
  public let needsIsolation: Bool?
  /// Whether it is the one that is in use.
  public let isCurrent: Bool
  /// When it was installed.
  public let installedAt: Timestamp
}
