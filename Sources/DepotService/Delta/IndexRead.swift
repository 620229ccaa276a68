internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `GET …/index` and `GET …/blocks`: what `delta.json` names.
struct IndexRead: Sendable {
  private let depot: Depot
  private let id: GameID
  private let version: H5Version
  private let part: IndexPart

  init(_ part: IndexPart, _ id: GameID, _ version: H5Version, _ depot: Depot) {
    self.depot = depot
    self.id = id
    self.version = version
    self.part = part
  }

  /// Throws `unknown-game`, `unknown-version`, or `not-found` when the version has none.
  func response(to request: HTTPRequest) throws(Problem) -> HTTPResponse {
    _ = try depot.release(id, version)
    let found = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.packageIndex(id, version)
    }
    guard let content = found.flatMap(content) else { throw .noIndexPart(part, id, version) }
    return try content.response(to: request)
  }

  private func content(_ index: StoredIndex) -> ImmutableBytes? {
    switch part {
    case .index: ImmutableBytes(index.bytes, sha256: index.sha256)
    case .blocks: ImmutableBytes(index.blockSums)
    }
  }
}
