internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ZipArchive

/// `GET …/delta.json`: what an update to a version needs, in few bytes.
struct DeltaRead: Sendable {
  private let depot: Depot
  private let base: BaseURL
  private let id: GameID
  private let version: H5Version

  init(_ id: GameID, _ version: H5Version, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    self.id = id
    self.version = version
    base = try BaseURL(for: request, depot.settings.publicURL)
  }

  func answer() throws(Problem) -> Answer {
    let release = try depot.release(id, version)
    let facts = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.updateFacts(id, version)
    }
    // The game may have gone between the two reads.
    guard let facts else { throw .unknownVersion(id, version) }
    let index = facts.index.map {
      DeltaDescription.Index(url: base.index(.index, of: id, version), size: $0.size, sha256: $0.sha256)
    }
    let blocks = facts.index.flatMap { index in
      index.blockSumsSize == 0
        ? nil
        : DeltaDescription.Blocks(
          url: base.index(.blocks, of: id, version), size: index.blockSumsSize,
          blockSize: Int64(BlockSums.blockSize))
    }
    let delta = DeltaDescription(
      h5Version: version, h5Sha256: release.sha256, h5Md5: release.md5, h5Size: release.size,
      h5Down: base.package(of: id, version), root: facts.root, namesEncoding: facts.namesEncoding,
      unpackedSize: facts.unpackedSize, fileCount: facts.fileCount, encrypted: facts.isEncrypted,
      index: index, blocks: blocks, patches: [])
    return try Answer(json: delta, cacheControl: base.cacheControl)
  }
}
