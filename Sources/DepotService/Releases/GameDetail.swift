internal import Catalogue
internal import DepotModel
internal import HTTPWire

/// `GET /games/{id}`: one game as a channel holds it, and where its other channels stand.
struct GameDetail: Sendable {
  private let depot: Depot
  private let id: GameID
  private let base: BaseURL
  private let channel: ChannelName

  init(_ id: GameID, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    self.id = id
    base = try BaseURL(for: request, depot.settings.publicURL)
    channel = try Parameters(request, ["channel"]).channel()
  }

  private struct Body: Encodable {
    let game: Game
    let channels: [Channel]
    let versionCount: Int

    enum CodingKeys: CodingKey { case channels, versionCount }

    func encode(to encoder: any Encoder) throws {
      try game.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(channels, forKey: .channels)
      try container.encode(versionCount, forKey: .versionCount)
    }
  }

  private struct Channel: Encodable {
    let state: ChannelState

    enum CodingKeys: CodingKey { case name, h5Version, rollout, mandatory, minHostVersion, movedAt }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(state.name, forKey: .name)
      try container.encode(state.version, forKey: .h5Version)
      try container.encode(state.rollout, forKey: .rollout)
      try container.encode(state.mandatory, forKey: .mandatory)
      try container.encode(state.minHostVersion, forKey: .minHostVersion)
      try container.encode(state.movedAt, forKey: .movedAt)
    }
  }

  func answer() throws(Problem) -> Answer {
    let release = try depot.release(id, channel)
    let (channels, count) = try depot.reading { catalogue throws(CatalogueError) in
      (try catalogue.channels(id), try catalogue.versionCount(id))
    }
    let body = Body(game: Game(release, base), channels: channels.map(Channel.init), versionCount: count)
    return try Answer(json: body, cacheControl: base.cacheControl)
  }
}
