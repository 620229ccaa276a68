internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `PATCH /games/{id}`: another title, other notes, as a merge patch (RFC 7396).
struct GameChange: Sendable {
  private let handler: DepotHandler
  private let id: GameID
  private let channel: ChannelName
  private let request: HTTPRequest
  private let base: BaseURL
  private let actor: Author

  private static let bodyLimit = 64 << 10

  /// Checks the token and the head; nothing of the body is read yet.
  init(_ id: GameID, _ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.handler = handler
    self.id = id
    self.request = request.detached()
    actor = try handler.access.authorise(request, for: .admin).author
    channel = try Parameters(request, ["channel"]).channel()
    base = try BaseURL(for: request, handler.settings.publicURL)
    try JSONBody.check(
      request, types: ["application/merge-patch+json", "application/json"], limit: Self.bodyLimit)
  }

  /// RFC 7396 §2: a member that is missing stays, one that is null goes.
  private struct Patch: Decodable {
    let edit: GameEdit

    enum CodingKeys: String, CodingKey { case title, notes }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      func member(_ key: CodingKeys) throws -> String?? {
        guard container.contains(key) else { return nil }
        return .some(try container.decode(String?.self, forKey: key))
      }
      edit = GameEdit(title: try member(.title), notes: try member(.notes))
    }
  }

  private static func check(_ edit: GameEdit) throws(Problem) {
    if let title = edit.title ?? nil, title.isEmpty || UploadFields.title(title) == nil {
      throw .badField("title", "title must be 1 to 200 characters without control characters, or null.")
    }
    if let notes = edit.notes ?? nil, UploadFields.notes(notes) == nil {
      throw .badField(
        "notes", "notes must be at most 10,000 characters, of controls only line ends and tabs.")
    }
  }

  func response(to body: any RequestBody) async throws(Problem) -> HTTPResponse {
    let patch = try await JSONBody.read(
      Patch.self, from: body, limit: Self.bodyLimit, within: handler.depot.bodyBudget)
    try Self.check(patch.edit)
    let release = try handler.depot.reading { catalogue throws(CatalogueError) in
      try catalogue.edit(id, channel: channel, patch.edit, actor: actor)
    }
    handler.noteChange(
      "a game was edited", request, ["game": id.text, "channel": channel.text, "token": actor.name])
    return try .json(.ok, Game(release, base), ["Cache-Control": "no-store"], for: request)
  }
}
