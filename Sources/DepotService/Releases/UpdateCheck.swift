internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `GET /games/{id}/check`: is there something else than what is installed.
struct UpdateCheck: Sendable {
  private let depot: Depot
  private let question: CheckQuestion

  init(_ id: GameID, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    question = try CheckQuestion(id, request, depot.settings.publicURL)
  }

  /// The next client is likely to ask the same.
  var isWorthKeeping: Bool { question.isWorthKeeping }

  func answer() throws(Problem) -> Answer {
    guard let verdict = try Verdict.of(question.installed, channel: question.channel, in: depot) else {
      throw .unknownChannel(question.installed.id, question.channel)
    }
    return try question.answer(verdict.reason, verdict.release.map { Game($0, question.base) })
  }
}
