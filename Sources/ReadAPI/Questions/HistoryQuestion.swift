package import DepotModel
package import HTTPWire

/// `GET /games/{id}/versions` as it was asked.
package struct HistoryQuestion: Sendable {
  package let base: BaseURL
  /// Versions a page.
  package let limit: Int
  /// The cursor of the page before.
  package let after: String?
  private let id: GameID
  private let parameters: Parameters

  /// Throws `bad-field`, `bad-request` and `bad-host`.
  package init(_ id: GameID, _ request: HTTPRequest, _ publicURL: PublicURL?) throws(Problem) {
    self.id = id
    base = try BaseURL(for: request, publicURL)
    parameters = try Parameters(request, ["limit", "after"])
    limit = try parameters.limit()
    after = try parameters.after()
  }

  private struct Page: Encodable {
    let versions: [ListedVersion]
    let next: String?

    enum CodingKeys: CodingKey { case versions, next }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(versions, forKey: .versions)
      try container.encode(next, forKey: .next)
    }
  }

  /// A page of versions, newest first; `next` is the cursor of the one that follows.
  package func page(of versions: [ListedVersion], next: String?) throws(Problem) -> Answer {
    let link: HTTPFields =
      next.map { ["Link": parameters.nextLink("\(base.text)/games/\(id)/versions", after: $0)] } ?? [:]
    return try Answer(
      json: Page(versions: versions, next: next), cacheControl: base.cacheControl, fields: link)
  }
}

/// One version of a history: the game object with its state.
package struct ListedVersion: Encodable, Sendable {
  private let game: Game
  private let state: String

  /// `state` is `published` or `yanked`.
  package init(_ game: Game, state: String) {
    self.game = game
    self.state = state
  }

  private enum CodingKeys: CodingKey { case state }

  package func encode(to encoder: any Encoder) throws {
    try game.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(state, forKey: .state)
  }
}
