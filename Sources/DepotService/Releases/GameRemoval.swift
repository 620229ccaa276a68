internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `DELETE /games/{id}`: the game goes, a tombstone tells mirrors, and its version numbers stay used.
struct GameRemoval: Sendable {
  private let handler: DepotHandler
  private let id: GameID
  private let request: HTTPRequest
  private let actor: Author

  init(_ id: GameID, _ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.handler = handler
    self.id = id
    self.request = request.detached()
    actor = try handler.access.authorise(request, for: .admin).author
  }

  func response() throws(Problem) -> HTTPResponse {
    try handler.depot.reading { catalogue throws(CatalogueError) in
      _ = try catalogue.removeGame(id, actor: actor)
    }
    handler.noteChange("a game was removed", request, ["game": id.text, "token": actor.name])
    return HTTPResponse(.noContent)
  }
}
