internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `GET /games/{id}/versions`: every version of a game, newest first.
struct VersionHistory: Sendable {
  private let depot: Depot
  private let id: GameID
  private let question: HistoryQuestion

  init(_ id: GameID, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    self.id = id
    question = try HistoryQuestion(id, request, depot.settings.publicURL)
  }

  func answer() throws(Problem) -> Answer {
    guard try depot.presence(id) == .present else { throw .unknownGame(id) }
    let page = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.versions(id, after: question.after, limit: question.limit)
    }
    return try question.page(
      of: page.releases.map { ListedVersion($0, question.base) }, next: page.next)
  }
}

extension ListedVersion {
  init(_ release: Release, _ base: BaseURL) {
    self.init(Game(release, base), state: release.state.rawValue)
  }
}
