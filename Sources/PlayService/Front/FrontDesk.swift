internal import DepotModel
internal import HTTPWire
internal import Platform

/// Answers `/` with a page of what is installed now.
struct FrontDesk: Sendable {
  private let games: InstalledGames
  private let covers = Covers()

  init(games: InstalledGames) { self.games = games }

  /// The page in the language of the browser. It offers each game's own origin when it was opened at `localhost`: only
  /// there do names below it lead to the same server (RFC 6761 §6.3).
  func response(to request: HTTPRequest) throws(SystemError) -> HTTPResponse {
    let question = FrontPage.Question(request)
    return FrontPage(
      games: try list(), question: question,
      language: FrontLanguage.preferred(by: request, asked: question.language),
      ownOrigin: Self.ownOrigin(below: request.host)
    ).response()
  }

  private func list() throws(SystemError) -> [FrontGame] {
    try games.all().map { game in
      FrontGame(
        id: game.id, version: game.version, title: game.id.text, size: nil, installedAt: nil,
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
