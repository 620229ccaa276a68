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
}

/// Who may do what: the token of a request against the catalogue as it is now, so that a revoked one ends at once.
struct Access: Sendable {
  let catalogue: Catalogue

  /// The token behind a request, if it is known, neither expired nor revoked, and includes `scope`.
  /// Nothing of the request's body has been read when this refuses, so the connection ends with the refusal.
  func authorise(_ request: HTTPRequest, for scope: TokenScope) throws(Problem) -> Grant {
    let token: AccessToken
    switch request.authorization {
    case .bearer(let text): token = AccessToken(presented: text)
    case .absent:
      throw Self.unauthorized(
        "This needs a token: send Authorization: Bearer with one.", "Bearer realm=\"game-depot\"")
    case .unreadable:
      throw Self.unauthorized(
        "The Authorization field does not hold one bearer token.",
        "Bearer realm=\"game-depot\", error=\"invalid_request\"")
    }
    let hash = token.hash
    let record: TokenRecord?
    do throws(CatalogueError) { record = try catalogue.token(matching: hash) } catch { throw Problem(error) }
    guard let found = record, Secrets.areEqual(found.hash, hash) else {
      throw Self.unauthorized(
        "The token is unknown, expired or revoked.", "Bearer realm=\"game-depot\", error=\"invalid_token\"")
    }
    guard found.scope.includes(scope) else {
      // RFC 6750 §3.1.
      throw Problem(
        .forbidden,
        "The token \(found.name) has the scope \(found.scope.rawValue); this needs \(scope.rawValue).",
        fields: [
          "WWW-Authenticate":
            "Bearer realm=\"game-depot\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
        ]
      ).closingConnection()
    }
    return Grant(token: found, author: Author(name: found.name, origin: request.peer.description))
  }

  private static func unauthorized(_ detail: String, _ challenge: String) -> Problem {
    Problem(.unauthorized, detail, fields: ["WWW-Authenticate": challenge]).closingConnection()
  }
}
