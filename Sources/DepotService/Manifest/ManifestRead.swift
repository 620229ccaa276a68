internal import Catalogue
internal import DepotModel
internal import HTTPWire

/// `GET …/manifest`: what is in a package, of a version or of what a channel holds.
struct ManifestRead: Sendable {
  private let depot: Depot
  private let base: BaseURL
  private let target: PackageTarget

  /// Bodies from this size on are also kept compressed.
  private static let compressedFrom = 1024

  /// `version` as the path names it; nil leaves it to the query.
  init(_ id: GameID, _ version: H5Version?, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    base = try BaseURL(for: request, depot.settings.publicURL)
    target = try PackageTarget(id, version, request)
  }

  func answer() throws(Problem) -> ReadyAnswer {
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
    let body = try Answer.encode(manifest)
    let plain = Answer(
      body, type: "application/json", cacheControl: base.cacheControl, varies: "Accept-Encoding")
    guard body.count >= Self.compressedFrom, let small = Gzip.compress(body) else {
      return ReadyAnswer(plain)
    }
    return ReadyAnswer(
      plain,
      compressed: Answer(
        small, type: "application/json", cacheControl: base.cacheControl, varies: "Accept-Encoding",
        fields: ["Content-Encoding": "gzip"]))
  }
}
