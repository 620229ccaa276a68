internal import DepotModel
internal import HTTPWire
internal import Platform

/// Answers `/` with a page of what is installed now.
struct FrontDesk: Sendable {
  let games: InstalledGames
  let record: (any MirrorRecord)?
  private let covers = Covers()

  init(games: InstalledGames, record: (any MirrorRecord)?) {
    self.games = games
    self.record = record
  }

  /// The page in the language of the browser. It offers each game's own origin when it was opened at `localhost`: only
  /// there do names below it lead to the same server (RFC 6761 §6.3).
  func response(to request: HTTPRequest) throws(SystemError) -> HTTPResponse {
    let question = FrontPage.Question(request)
    return FrontPage(
      games: try list(), question: question,
      language: FrontLanguage.preferred(by: request, asked: question.language),
      ownOrigin: Self.ownOrigin(below: request.host)
    ).response(to: request)
  }

  private func list() throws(SystemError) -> [FrontGame] {
    let recorded = Dictionary((record?.games() ?? []).map { ($0.id, $0) }) { first, _ in first }
    return try games.all().map { game in
      let known = recorded[game.id].flatMap { $0.version == game.version ? $0 : nil }
      return FrontGame(
        id: game.id, version: game.version, title: recorded[game.id]?.title ?? game.id.text,
        size: known?.size,
        installedAt: known?.installedAt,
        cover: covers.path(of: game.id, game.version) { () throws(SystemError) in
          try games.files(of: game.id, game.version)
        })
    }
  }

  private static func ownOrigin(below host: String) -> (@Sendable (GameID) -> String?)? {
    let host = host.lowercased()
    guard host == "localhost" || host.hasPrefix("localhost:") else { return nil }
    return { id in GameLabel.of(id).map { "http://\($0).\(host)/" } }
  }
}
