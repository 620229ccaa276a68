internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `PUT /games/{id}/channels/{name}`: promotes a version, or rolls back to one.
struct ChannelChange: Sendable {
  private let handler: DepotHandler
  private let id: GameID
  private let name: ChannelName
  private let request: HTTPRequest
  private let base: BaseURL
  private let actor: Author

  private static let bodyLimit = 64 << 10

  /// Checks the token and the head; nothing of the body is read yet.
  init(_ id: GameID, _ name: ChannelName, _ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.handler = handler
    self.id = id
    self.name = name
    self.request = request.detached()
    actor = try handler.access.authorise(request, for: .admin).author
    base = try BaseURL(for: request, handler.settings.publicURL)
    try JSONBody.check(request, limit: Self.bodyLimit)
  }

  private struct Setting: Decodable {
    let h5Version: H5Version
    let rollout: Int?
    let mandatory: Bool?
    let minHostVersion: H5Version?
  }

  func response(to body: any RequestBody) async throws(Problem) -> HTTPResponse {
    let setting = try await JSONBody.read(
      Setting.self, from: body, limit: Self.bodyLimit, within: handler.depot.bodyBudget)
    guard setting.rollout ?? 100 == 100 else {
      throw .badField("rollout", "rollout must be 100: a version reaches every client of its channel.")
    }
    let release = try handler.depot.reading { catalogue throws(CatalogueError) in
      try catalogue.setChannel(
        id, name, to: setting.h5Version, mandatory: setting.mandatory ?? false,
        minHostVersion: setting.minHostVersion?.text, actor: actor)
    }
    handler.noteChange(
      "a channel was set", request,
      ["game": id.text, "channel": name.text, "version": release.version.text, "token": actor.name])
    return try .json(.ok, Game(release, base), ["Cache-Control": "no-store"], for: request)
  }
}
