package import DepotModel
internal import ZipArchive

/// What a package's index and the sums of its blocks are, as `delta.json` names them.
package struct IndexFacts: Sendable {
  /// Bytes of the index.
  package let size: Int64
  package let sha256: SHA256Digest
  /// Bytes of the sums; 0 for none.
  package let blockSumsSize: Int64

  package init(size: Int64, sha256: SHA256Digest, blockSumsSize: Int64) {
    self.size = size
    self.sha256 = sha256
    self.blockSumsSize = blockSumsSize
  }
}

/// What unpacking a package comes to.
package struct UnpackedFacts: Sendable {
  package let root: String
  package let namesEncoding: String
  package let unpackedSize: Int64
  package let fileCount: Int64
  package let isEncrypted: Bool

  package init(
    root: String, namesEncoding: String, unpackedSize: Int64, fileCount: Int64, isEncrypted: Bool
  ) {
    self.root = root
    self.namesEncoding = namesEncoding
    self.unpackedSize = unpackedSize
    self.fileCount = fileCount
    self.isEncrypted = isEncrypted
  }
}

extension DeltaDescription {
  /// Of the version that `game` tells of, with URLs that begin with `base`.
  package init(_ game: Game, _ facts: UnpackedFacts, index: IndexFacts?, _ base: BaseURL) {
    let (id, version) = (game.gameId, game.h5Version)
    var blocks: Blocks?
    if let index, index.blockSumsSize > 0 {
      blocks = Blocks(
        url: base.index(.blocks, of: id, version), size: index.blockSumsSize,
        blockSize: Int64(BlockSums.blockSize))
    }
    self.init(
      h5Version: version, h5Sha256: game.h5Sha256, h5Md5: game.h5Md5, h5Size: game.h5Size,
      h5Down: game.h5Down, root: facts.root, namesEncoding: facts.namesEncoding,
      unpackedSize: facts.unpackedSize, fileCount: facts.fileCount, encrypted: facts.isEncrypted,
      index: index.map {
        Index(url: base.index(.index, of: id, version), size: $0.size, sha256: $0.sha256)
      },
      blocks: blocks, patches: [])
  }
}
