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

  /// Whether the package stays when the install is done.
  let keepsPackage: Bool
  /// Files that share their bytes with those of a version that stood already.
  let sharedFiles: Int
  /// Bytes of those files.
  let sharedBytes: Int64
  /// What `current` named when the install was sealed; nil for nothing.
  let previous: H5Version?
  /// It was found bad: what is left to do is to put back what was there before.
  let isUndone: Bool

  var isUnpacked: Bool { stagingInode != nil }
}

extension JournalEntry {
  /// Of a package that is only kept.
  init(packageOf release: Release) {
    self.init(
      id: release.id, title: release.title, version: release.version, sha256: release.sha256,
      md5: release.md5, size: release.size, unpackedSize: 0, stagingInode: nil, keepsPackage: true,
      sharedFiles: 0, sharedBytes: 0, previous: nil, isUndone: false)
  }
}
