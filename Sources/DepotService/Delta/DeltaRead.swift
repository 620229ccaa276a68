internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

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
    let unpacked = UnpackedFacts(
      root: facts.root, namesEncoding: facts.namesEncoding, unpackedSize: facts.unpackedSize,
      fileCount: facts.fileCount, isEncrypted: facts.isEncrypted)
    let index = facts.index.map {
      IndexFacts(size: $0.size, sha256: $0.sha256, blockSumsSize: Int64($0.blockSumsSize))
    }
    return try Answer(
      json: DeltaDescription(Game(release, base), unpacked, index: index, base),
      cacheControl: base.cacheControl)
  }
}
