package import DepotModel
package import HTTPWire

/// What the absolute URLs of one answer begin with.
package struct BaseURL: Sendable, Hashable {
  /// Without a slash at the end.
  package let text: String
  /// The path in front of every route, when a proxy adds one.
  package let path: String
  /// Whether everybody gets the same URLs, whatever Host they sent.
  package let isShared: Bool

  /// The operator's URL if there is one, else what the request was sent to.
  package init(for request: HTTPRequest, _ publicURL: PublicURL?) throws(Problem) {
    if let publicURL {
      text = publicURL.text
      path = publicURL.path
      isShared = true
      return
    }
    guard Authority.isValid(request.bytes[request.hostSlice.range]) else {
      throw Problem(
        .badHost, "The Host field must be a host name or address and perhaps a port: links are made from it.")
    }
    text = "\(request.isSecure ? "https" : "http")://\(request.host)"
    path = ""
    isShared = false
  }

  /// For answers that hold such URLs: a shared cache must not keep one client's Host for all.
  package var cacheControl: String { isShared ? "public, no-cache" : "private, no-cache" }

  /// The immutable package. Ids and versions hold nothing a path would escape (RFC 3986 §3.3).
  package func package(of id: GameID, _ version: H5Version) -> String {
    "\(text)/games/\(id)/versions/\(version)/package.zip"
  }

  /// The immutable index of that package, or the sums of its blocks.
  package func index(_ part: IndexPart, of id: GameID, _ version: H5Version) -> String {
    "\(text)/games/\(id)/versions/\(version)/\(part.rawValue)"
  }
}
