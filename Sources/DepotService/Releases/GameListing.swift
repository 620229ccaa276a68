internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `GET /games`: the games a channel holds, page by page, or what changed since a revision, now or as soon as something
/// does.
struct GameListing: Sendable {
  private let depot: Depot
  private let question: ListingQuestion

  init(_ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    question = try ListingQuestion(request, depot.settings.publicURL)
  }

  /// Seconds that the answer may be held back while nothing has changed; 0 to answer at once.
  var wait: Int { question.wait }

  func answer() throws(Problem) -> Answer { try changesNow().answer }

  /// What changed since, and whether anything did; without `since` the games that there are.
  func changesNow() throws(Problem) -> (answer: Answer, isEmpty: Bool) {
    guard let since = question.since else { return (try page(), false) }
    return try changes(since: since.revision(in: depot.catalogue.identity))
  }

  private func page() throws(Problem) -> Answer {
    let after = try question.afterGame()
    let page = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.games(
        channel: question.channel, after: after?.text, limit: question.limit, matching: question.matching)
    }
    return try question.page(
      of: page.releases.map { Game($0, question.base) }, catalogue: depot.catalogue.identity,
      revision: page.revision, next: page.next)
  }

  private func changes(since revision: Int64) throws(Problem) -> (answer: Answer, isEmpty: Bool) {
    let page = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.changes(
        since: revision, channel: question.channel, after: question.after, limit: question.limit)
    }
    let answer = try question.changes(
      page.changed.map { Game($0, question.base) }, removed: page.removed, revision: page.revision,
      next: page.next)
    return (answer, page.changed.isEmpty && page.removed.isEmpty)
  }
}
