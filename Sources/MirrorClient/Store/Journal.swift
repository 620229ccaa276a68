internal import DepotModel

/// An install that is past the point of return: everything it needs stands on disk and is synchronized, so it can be
/// finished without the network whenever the program is started again.
struct JournalEntry: Sendable, Hashable {
  let id: GameID
  let title: String
  let version: H5Version
  let sha256: SHA256Digest
  let md5: MD5Digest
  let size: Int64
  let unpackedSize: Int64
  /// The folder that was unpacked into, wherever it has been moved to since; nil when the package is only kept.
  let stagingInode: UInt64?

  init(
    release: Release, unpackedSize: Int64, stagingInode: UInt64?
  ) {
    self.init(
      id: release.id, title: release.title, version: release.version, sha256: release.sha256,
      md5: release.md5,
      size: release.size, unpackedSize: unpackedSize, stagingInode: stagingInode)
  }

  init(
    id: GameID, title: String, version: H5Version, sha256: SHA256Digest, md5: MD5Digest, size: Int64,
    unpackedSize: Int64, stagingInode: UInt64?
  ) {
    self.id = id
    self.title = title
    self.version = version
    self.sha256 = sha256
    self.md5 = md5
    self.size = size
    self.unpackedSize = unpackedSize
    self.stagingInode = stagingInode
  }
}
