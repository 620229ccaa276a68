internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `GET …/manifest`: what is in a package, of a version or of what a channel holds.
struct ManifestRead: Sendable {
  private let depot: Depot
  private let base: BaseURL
  private let target: PackageTarget

  /// `version` as the path names it; nil leaves it to the query.
  init(_ id: GameID, _ version: H5Version?, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    base = try BaseURL(for: request, depot.settings.publicURL)
    target = try PackageTarget(id, version, request)
  }

  func answer() throws(Problem) -> Answer {
    let release = try target.release(in: depot)
    let facts = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.packageFacts(release.gameID, release.version)
    }
    // The game may have gone between the two reads.
    guard let facts else { throw .unknownVersion(release.gameID, release.version) }
    let manifest = Manifest(
      game: Game(release, base), root: facts.root, namesEncoding: facts.namesEncoding,
      unpackedSize: facts.unpackedSize, blockSize: facts.blockSize, blocks: facts.blocks, files: facts.files,
      ignored: facts.ignored)
    return try Answer(json: manifest, cacheControl: base.cacheControl)
  }
}
