internal import DepotModel
internal import HTTPClient

extension DepotAnswers {
  /// The few members of a manifest that a mirror needs to unpack; its files are only counted, and whether some are
  /// encrypted.
  private struct ManifestHead: Decodable {
    struct File: Decodable { let encrypted: Bool? }

    let gameId: GameID
    let h5Version: H5Version
    let h5Sha256: SHA256Digest
    let h5Size: Int64
    let root: String
    let namesEncoding: String
    let unpackedSize: Int64
    let files: [File]
  }

  /// Those it needs to mend a package.
  private struct ManifestBlocks: Decodable {
    let gameId: GameID
    let h5Version: H5Version
    let h5Sha256: SHA256Digest
    let h5Size: Int64
    let blockSize: Int64
    let blocks: [SHA256Digest]
  }

  /// `delta.json` without its patches.
  private struct Delta: Decodable {
    struct Index: Decodable {
      let url: String
      let size: Int64
      let sha256: SHA256Digest
    }

    struct Blocks: Decodable {
      let url: String
      let size: Int64
      let blockSize: Int64
    }

    let h5Version: H5Version
    let h5Sha256: SHA256Digest
    let h5Md5: MD5Digest
    let h5Size: Int64
    let root: String
    let namesEncoding: String
    let unpackedSize: Int64?
    let fileCount: Int?
    let encrypted: Bool?
    let index: Index?
    let blocks: Blocks?
  }

  static func manifest(_ bytes: [UInt8], of release: Release) throws(AnswerError) -> UnpackingFacts {
    let head = try decode(ManifestHead.self, bytes)
    guard head.gameId == release.id, head.h5Version == release.version, head.h5Sha256 == release.sha256,
      head.h5Size == release.size
    else { throw AnswerError("the manifest is of another package than the listing named") }
    guard head.unpackedSize >= 0 else { throw AnswerError("unpackedSize \(head.unpackedSize)") }
    try checkNames(root: head.root, namesEncoding: head.namesEncoding)
    return UnpackingFacts(
      root: head.root, namesEncoding: head.namesEncoding, unpackedSize: head.unpackedSize,
      fileCount: head.files.count, isEncrypted: head.files.contains { $0.encrypted == true })
  }

  /// Nil when the blocks do not make a package of its size.
  static func blocks(_ bytes: [UInt8], of release: Release) throws(AnswerError) -> PackageBlocks? {
    let head = try decode(ManifestBlocks.self, bytes)
    guard head.gameId == release.id, head.h5Version == release.version, head.h5Sha256 == release.sha256,
      head.h5Size == release.size
    else { throw AnswerError("the manifest is of another package than the listing named") }
    return PackageBlocks(packageSize: release.size, blockSize: head.blockSize, digests: head.blocks)
  }

  /// The same for a package of which only the bytes are known.
  static func blocks(_ bytes: [UInt8], of source: PackageSource) throws(AnswerError) -> PackageBlocks? {
    let head = try decode(ManifestBlocks.self, bytes)
    guard head.h5Sha256 == source.sha256, head.h5Size == source.size else {
      throw AnswerError("the manifest is of another package")
    }
    return PackageBlocks(packageSize: source.size, blockSize: head.blockSize, digests: head.blocks)
  }

  /// Throws when it is of another package, or names a place that an honest server would not: nothing else it says is
  /// believed then.
  static func delta(
    _ bytes: [UInt8], of release: Release, at url: WebURL, server: WebURL
  ) throws(AnswerError) -> DeltaOffer {
    let delta = try decode(Delta.self, bytes)
    guard delta.h5Version == release.version, delta.h5Sha256 == release.sha256, delta.h5Md5 == release.md5,
      delta.h5Size == release.size
    else { throw AnswerError("delta.json is of another package than the listing named") }
    try checkNames(root: delta.root, namesEncoding: delta.namesEncoding)
    var contents: PackageContents?
    if let unpackedSize = delta.unpackedSize, let fileCount = delta.fileCount, let encrypted = delta.encrypted
    {
      guard unpackedSize >= 0, fileCount >= 0 else {
        throw AnswerError("unpackedSize \(unpackedSize), fileCount \(fileCount)")
      }
      contents = PackageContents(unpackedSize: unpackedSize, fileCount: fileCount, isEncrypted: encrypted)
    }
    return DeltaOffer(
      root: delta.root, namesEncoding: delta.namesEncoding, contents: contents,
      index: try delta.index.flatMap { (index) throws(AnswerError) in
        let place = try usable(index.url, index.size, at: url, server: server)
        guard index.size <= DeltaOffer.Index.maximumSize else { return nil }
        return DeltaOffer.Index(url: place, size: index.size, sha256: index.sha256)
      },
      sums: try delta.blocks.flatMap { (blocks) throws(AnswerError) in
        let place = try usable(blocks.url, blocks.size, at: url, server: server)
        guard blocks.size <= DeltaOffer.Sums.maximumSize, blocks.blockSize == DeltaOffer.Sums.blockSize else {
          return nil
        }
        return DeltaOffer.Sums(url: place, size: blocks.size)
      })
  }

  private static func usable(
    _ text: String, _ size: Int64, at base: WebURL, server: WebURL
  ) throws(AnswerError) -> WebURL {
    guard let url = base.resolving(text), server.scheme == .http || url.scheme == .https else {
      throw AnswerError("no usable URL: \(text)")
    }
    guard size > 0 else { throw AnswerError("\(size) bytes at \(text)") }
    return url
  }

  private static func checkNames(root: String, namesEncoding: String) throws(AnswerError) {
    guard root.utf8.count <= maximumText, isPlain(namesEncoding, limit: 64) else {
      throw AnswerError("a root or an encoding that is none")
    }
  }
}
