internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `DELETE /games/{id}/versions/{v}`: a version is taken back for good, and its number never used again.
struct Yank: Sendable {
  private let handler: DepotHandler
  private let id: GameID
  private let version: H5Version
  private let request: HTTPRequest
  private let actor: Author

  init(_ id: GameID, _ version: H5Version, _ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.handler = handler
    self.id = id
    self.version = version
    self.request = request.detached()
    actor = try handler.access.authorise(request, for: .admin).author
  }

  func response() throws(Problem) -> HTTPResponse {
    try handler.depot.reading { catalogue throws(CatalogueError) in
      _ = try catalogue.yank(id, version, actor: actor)
    }
    handler.noteChange(
      "a version was yanked", request, ["game": id.text, "version": version.text, "token": actor.name])
    return HTTPResponse(.noContent)
  }
}
