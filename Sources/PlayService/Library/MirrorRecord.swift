public import DepotModel

/// What a mirror wrote down about its games. The disk says what can be played; this says what the disk does not.
///
/// Each question is answered from what is committed when it is asked: another process syncs meanwhile. A mirror that wrote
/// nothing down, or whose record cannot be read, answers nil. May block; asked on worker threads.
public protocol MirrorRecord: Sendable {
  /// The versions in use, in any order.
  func games() -> [RecordedGame]
  /// A game's version in use; nil when nothing is known of it.
  func game(_ id: GameID) -> RecordedGame?
  /// An installed version; nil when nothing is known of it.
  func version(_ id: GameID, _ version: H5Version) -> RecordedVersion?
}

/// An installed version as it was written down.
public struct RecordedVersion: Sendable {
  /// Its files, each once.
  public let files: [RecordedFile]
  /// Whether its pages need to be isolated (COOP, COEP), for threads.
  public let needsIsolation: Bool

  /// With what was recorded of each file.
  public init(files: [RecordedFile], needsIsolation: Bool = false) {
    self.files = files
    self.needsIsolation = needsIsolation
  }
}

/// A game's version in use.
public struct RecordedGame: Sendable {
  /// The game.
  public let id: GameID
  /// The version in use.
  public let version: H5Version
  /// As its publisher wrote it.
  public let title: String
  /// Bytes of its files.
  public let size: Int64
  /// When this version was installed.
  public let installedAt: Timestamp
  /// What the mirror's server offers, when it is another version that does not stand here yet.
  public let newer: H5Version?

  /// As the record has it.
  public init(
    id: GameID, version: H5Version, title: String, size: Int64, installedAt: Timestamp, newer: H5Version?
  ) {
    self.id = id
    self.version = version
    self.title = title
    self.size = size
    self.installedAt = installedAt
    self.newer = newer
  }
}

/// A file of an installed version, as it was written to the disk.
public struct RecordedFile: Sendable, Hashable {
  /// Below the version's folder, `/` separated.
  public let path: String
  /// Bytes.
  public let size: Int64
  /// Of its bytes.
  public let sha256: SHA256Digest
  /// When it was written, in nanoseconds since 1970: the digest counts for a file of that time and size.
  public let modifiedAtNanoseconds: Int64

  /// As the record has it.
  public init(path: String, size: Int64, sha256: SHA256Digest, modifiedAtNanoseconds: Int64) {
    self.path = path
    self.size = size
    self.sha256 = sha256
    self.modifiedAtNanoseconds = modifiedAtNanoseconds
  }
}
