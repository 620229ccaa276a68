internal import Catalogue
internal import DepotModel
internal import HTTPWire

/// `GET /games/{id}/versions`: every version of a game, newest first.
struct VersionHistory: Sendable {
  private let depot: Depot
  private let id: GameID
  private let base: BaseURL
  private let limit: Int
  private let after: String?
  private let parameters: Parameters

  init(_ id: GameID, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    self.id = id
    base = try BaseURL(for: request, depot.settings.publicURL)
    parameters = try Parameters(request, ["limit", "after"])
    limit = try parameters.limit()
    after = try parameters.after()
  }

  private struct Page: Encodable {
    let versions: [Version]
    let next: String?

    enum CodingKeys: CodingKey { case versions, next }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(versions, forKey: .versions)
      try container.encode(next, forKey: .next)
    }
  }

  /// One version: the game object with its state.
  struct Version: Encodable {
    private let game: Game
    private let state: String

    init(_ release: Release, _ base: BaseURL) {
      game = Game(release, base)
      state = release.state.rawValue
    }

    enum CodingKeys: CodingKey { case state }

    func encode(to encoder: any Encoder) throws {
      try game.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(state, forKey: .state)
    }
  }

  func answer() throws(Problem) -> Answer {
    guard try depot.presence(id) == .present else { throw .unknownGame(id) }
    let page = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.versions(id, after: after, limit: limit)
    }
    let versions = page.releases.map { Version($0, base) }
    let link: HTTPFields =
      page.next.map { ["Link": parameters.nextLink("\(base.text)/games/\(id)/versions", after: $0)] } ?? [:]
    return try Answer(
      json: Page(versions: versions, next: page.next), cacheControl: base.cacheControl, fields: link)
  }
}
