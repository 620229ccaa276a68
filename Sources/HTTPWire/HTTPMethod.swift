/// A request method (RFC 9110 §9). Methods are case-sensitive.
public enum HTTPMethod: Hashable, Sendable {
  case get, head, post, put, patch, delete, options
  /// Any other token.
  case other(String)

  /// The method of a token.
  public init(_ text: String) {
    switch text {
    case "GET": self = .get
    case "HEAD": self = .head
    case "POST": self = .post
    case "PUT": self = .put
    case "PATCH": self = .patch
    case "DELETE": self = .delete
    case "OPTIONS": self = .options
    default: self = .other(text)
    }
  }

  /// The token on the wire.
  public var text: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .other(let text): text
    }
  }
}
