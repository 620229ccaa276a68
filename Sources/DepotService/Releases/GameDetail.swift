internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `GET /games/{id}`: one game as a channel holds it, and where its other channels stand.
struct GameDetail: Sendable {
  private let depot: Depot
  private let id: GameID
  private let question: DetailQuestion

  init(_ id: GameID, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    self.id = id
    question = try DetailQuestion(request, depot.settings.publicURL)
  }

  func answer() throws(Problem) -> Answer {
    let release = try depot.release(id, question.channel)
    let (channels, count) = try depot.reading { catalogue throws(CatalogueError) in
      (try catalogue.channels(id), try catalogue.versionCount(id))
    }
    return try question.answer(
      Game(release, question.base), channels: channels.map { ListedChannel($0) }, versionCount: count)
  }
}

extension ListedChannel {
  fileprivate init(_ state: ChannelState) {
    self.init(
      name: state.name, version: state.version, rollout: state.rollout, mandatory: state.mandatory,
      minHostVersion: state.minHostVersion, movedAt: state.movedAt)
  }
}
