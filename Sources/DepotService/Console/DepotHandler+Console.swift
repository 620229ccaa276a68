internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// The web console: one page with its script and style, and who is logged in. Its page works with the routes that are
/// there for everybody.
extension DepotHandler {
  func console(_ part: Route.ConsolePart, _ request: HTTPRequest) throws(Problem) -> HTTPReaction {
    guard settings.hasConsole else { throw Route.nothing }
    switch (part, request.method) {
    case (.session, .post):
      let login = try ConsoleLogin(request, self)
      return later(request, isShared: false) { body throws(Problem) in try await login.response(to: body) }
    case (.session, .delete): return .respond(try logOut(request))
    case (.session, _): return .respond(try whoIsThere(request))
    case (.folder, _):
      return .respond(
        HTTPResponse(.permanentRedirect, ["Location": "../console", "Cache-Control": "no-cache"]))
    case (.page, _): return .respond(ConsoleFiles.page)
    case (.script, _): return .respond(ConsoleFiles.script)
    case (.style, _): return .respond(ConsoleFiles.style)
    case (.icon, _): return .respond(ConsoleFiles.icon)
    }
  }

  /// Needs no token: one that was revoked can still log out.
  private func logOut(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    guard RequestOrigin.isOfConsole(request, settings.publicURL) else { throw RequestOrigin.refusal }
    if let id = SessionCookie.value(in: request) { access.sessions?.close(id) }
    return HTTPResponse(
      .noContent,
      ["Cache-Control": "no-store", "Set-Cookie": SessionCookie.field("", seconds: 0, for: request)])
  }

  private func whoIsThere(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let grant = try access.authorise(request, for: .read)
    return try .json(.ok, LoggedIn(grant), ["Cache-Control": "no-store"], for: request)
  }
}

/// `POST /console/session`: a token, once; from then on the cookie stands for it.
struct ConsoleLogin: Sendable {
  private let handler: DepotHandler
  private let request: HTTPRequest
  private static let bodyLimit = 4 << 10

  init(_ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.handler = handler
    self.request = request.detached()
    // A page of another origin must not log anybody in as somebody else either.
    guard RequestOrigin.isOfConsole(request, handler.settings.publicURL) else { throw RequestOrigin.refusal }
    try JSONBody.check(request, limit: Self.bodyLimit)
  }

  private struct Form: Decodable { let token: String }

  func response(to body: any RequestBody) async throws(Problem) -> HTTPResponse {
    let form = try await JSONBody.read(
      Form.self, from: body, limit: Self.bodyLimit, within: handler.depot.bodyBudget)
    let token = AccessToken(presented: form.token)
    let grant = try handler.access.authorise(token, request.peer, for: .read)
    guard let sessions = handler.access.sessions,
      let id = sessions.open(tokenHash: token.hash, now: handler.depot.clock())
    else { throw .tryAgain("There are no random bytes for a login now.") }
    return try .json(
      .ok, LoggedIn(grant),
      [
        "Cache-Control": "no-store",
        "Set-Cookie": SessionCookie.field(id, seconds: ConsoleSessions.lifetime, for: request),
      ], for: request)
  }
}

/// Whose login it is and what it allows.
private struct LoggedIn: Encodable {
  let name: String
  let scope: String
  /// The games that it may publish; nil for all.
  let games: [String]?

  init(_ grant: Grant) {
    name = grant.token.name
    scope = grant.token.scope.rawValue
    games = grant.token.games.map { $0.sorted().map(\.text) }
  }

  enum CodingKeys: CodingKey { case name, scope, games }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(scope, forKey: .scope)
    try container.encode(games, forKey: .games)
  }
}
