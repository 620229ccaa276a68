internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `POST /games/check`: many installed games in one request.
struct BatchCheck: Sendable {
  private let depot: Depot
  private let head: BatchQuestion.Head

  init(_ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    head = try BatchQuestion.Head(request, depot.settings.publicURL)
  }

  func response(to body: any RequestBody) async throws(Problem) -> HTTPResponse {
    let question = try await head.question(body, within: depot.bodyBudget)
    // Read before the games, so that a change in between is told again and never missed.
    let revision = try depot.reading { catalogue throws(CatalogueError) in try catalogue.revision() }
    return try question.response(revision: revision) { (game) throws(Problem) in
      guard let verdict = try Verdict.of(game, channel: question.channel, in: depot) else { return nil }
      return (verdict.reason, verdict.release.map { Game($0, question.base) })
    }
  }
}
