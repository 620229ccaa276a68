internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// A request's right to be answered.
struct Grant: Sendable {
  let token: TokenRecord
  /// Who asks and from where, for the audit log.
  let author: Author

  /// Refuses a game that the token is not for.
  func check(_ game: GameID) throws(Problem) {
    guard let games = token.games, !games.contains(game) else { return }
    throw Access.insufficient(
      "The token \(token.name) is not for the game \(game); it may publish \(Self.list(games)).", .publish)
  }

  private static func list(_ games: Set<GameID>) -> String {
    games.sorted().map(\.text).joined(separator: ", ")
  }
}

/// Who may do what: the token of a request against the catalogue as it is now, so that a revoked one ends at once.
struct Access: Sendable {
  private let catalogue: Catalogue
  private let uses: TokenUses
  /// Wrong tokens. Right ones are accepted from everywhere: 256 random bits are not guessed, and whoever shares an
  /// address with a broken script must not be locked out by it.
  private let failures: AddressLimiter
  /// Logins of the web console; nil without one.
  let sessions: ConsoleSessions?
  private let publicURL: PublicURL?
  private let clock: @Sendable () -> Timestamp

  init(depot: Depot) {
    catalogue = depot.catalogue
    uses = depot.tokenUses
    failures = AddressLimiter(perMinute: depot.settings.wrongTokens)
    sessions = depot.settings.hasConsole ? ConsoleSessions() : nil
    publicURL = depot.settings.publicURL
    clock = depot.clock
  }

  /// The token behind a request, if it is known, neither expired nor revoked, and includes `scope`.
  /// Nothing of the request's body has been read when this refuses, so the connection ends with the refusal.
  func authorise(_ request: HTTPRequest, for scope: TokenScope) throws(Problem) -> Grant {
    switch request.authorization {
    case .bearer(let text): return try authorise(AccessToken(presented: text), request.peer, for: scope)
    case .absent:
      if let hash = try sessionToken(request) {
        return try authorise(session: hash, request.peer, for: scope)
      }
      throw Self.unauthorized(
        "This needs a token: send Authorization: Bearer with one.", "Bearer realm=\"game-depot\"")
    case .unreadable:
      throw failed(
        request.peer,
        Self.unauthorized(
          "The Authorization field does not hold one bearer token.",
          "Bearer realm=\"game-depot\", error=\"invalid_request\""))
    }
  }

  /// The same for a token that came in another way.
  func authorise(
    _ token: AccessToken, _ peer: PeerAddress, for scope: TokenScope
  ) throws(Problem) -> Grant {
    guard let found = try record(of: token.hash) else { throw failed(peer, Self.unknownToken) }
    return try grant(found, peer, for: scope)
  }

  /// The hash of the token that the request's browser is logged in with; nil when it sends no login.
  ///
  /// Throws `forbidden` for a login that comes along with a request which the console did not make: a page of another
  /// origin must not act for whoever is logged in.
  private func sessionToken(_ request: HTTPRequest) throws(Problem) -> [UInt8]? {
    guard let sessions, let id = SessionCookie.value(in: request) else { return nil }
    guard RequestOrigin.isOfConsole(request, publicURL) else { throw RequestOrigin.refusal }
    return sessions.tokenHash(of: id, now: clock())
  }

  /// The token is looked up again for each request, so that it ends its logins when it ends.
  private func authorise(
    session hash: [UInt8], _ peer: PeerAddress, for scope: TokenScope
  ) throws(Problem) -> Grant {
    guard let found = try record(of: hash) else {
      sessions?.closeAll(of: hash)
      throw Self.unknownToken
    }
    return try grant(found, peer, for: scope)
  }

  private func record(of hash: [UInt8]) throws(Problem) -> TokenRecord? {
    let record: TokenRecord?
    do throws(CatalogueError) { record = try catalogue.token(matching: hash) } catch { throw Problem(error) }
    return record.flatMap { Secrets.areEqual($0.hash, hash) ? $0 : nil }
  }

  private static let unknownToken = unauthorized(
    "The token is unknown, expired or revoked.", "Bearer realm=\"game-depot\", error=\"invalid_token\"")

  private func grant(
    _ found: TokenRecord, _ peer: PeerAddress, for scope: TokenScope
  ) throws(Problem) -> Grant {
    uses.note(found, at: clock())
    guard found.scope.includes(scope) else {
      throw Self.insufficient(
        "The token \(found.name) has the scope \(found.scope.rawValue); this needs \(scope.rawValue).", scope)
    }
    return Grant(token: found, author: Author(name: found.name, origin: peer.description))
  }

  /// The refusal of a token that is none, or of too many of them.
  private func failed(_ peer: PeerAddress, _ refusal: Problem) -> Problem {
    guard let seconds = failures.count(peer, now: SystemClock.monotonicMilliseconds) else { return refusal }
    return Problem(
      .tooManyRequests, "Too many wrong tokens came from this address: try again in \(seconds) s.",
      fields: ["Retry-After": "\(seconds)"]
    ).closingConnection()
  }

  private static func unauthorized(_ detail: String, _ challenge: String) -> Problem {
    Problem(.unauthorized, detail, fields: ["WWW-Authenticate": challenge]).closingConnection()
  }

  /// RFC 6750 §3.1.
  fileprivate static func insufficient(_ detail: String, _ scope: TokenScope) -> Problem {
    Problem(
      .forbidden, detail,
      fields: [
        "WWW-Authenticate":
          "Bearer realm=\"game-depot\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
      ]
    ).closingConnection()
  }
}
