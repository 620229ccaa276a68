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
  private let clock: @Sendable () -> Timestamp

  init(depot: Depot) {
    catalogue = depot.catalogue
    uses = depot.tokenUses
    failures = AddressLimiter(perMinute: depot.settings.wrongTokens)
    clock = depot.clock
  }

  /// The token behind a request, if it is known, neither expired nor revoked, and includes `scope`.
  /// Nothing of the request's body has been read when this refuses, so the connection ends with the refusal.
  func authorise(_ request: HTTPRequest, for scope: TokenScope) throws(Problem) -> Grant {
    switch request.authorization {
    case .bearer(let text): return try authorise(AccessToken(presented: text), request.peer, for: scope)
    case .absent:
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
    let hash = token.hash
    let record: TokenRecord?
    do throws(CatalogueError) { record = try catalogue.token(matching: hash) } catch { throw Problem(error) }
    guard let found = record, Secrets.areEqual(found.hash, hash) else {
      throw failed(
        peer,
        Self.unauthorized(
          "The token is unknown, expired or revoked.", "Bearer realm=\"game-depot\", error=\"invalid_token\"")
      )
    }
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
