public import DepotModel

/// What a mirror wrote down about its games. The disk says what can be played; this says what the disk does not.
///
/// Each question is answered from what is committed when it is asked: another process syncs meanwhile. A mirror that wrote
/// nothing down, or whose record cannot be read, answers nil. May block; asked on worker threads.
public protocol MirrorRecord: Sendable {
  /// An installed version; nil when nothing is known of it.
  func version(_ id: GameID, _ version: H5Version) -> RecordedVersion?
}

/// An installed version as it was written down.
public struct RecordedVersion: Sendable {
  /// Its files, each once.
  public let files: [RecordedFile]

  /// With what was recorded of each file.
  public init(files: [RecordedFile]) { self.files = files }
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
