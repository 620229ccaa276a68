internal import HTTPWire
internal import ReadAPI

/// Whether a request that carries a login was made by the console's own page, as the browser tells it. `SameSite` alone is
/// not enough: another port of this host is the same site.
enum RequestOrigin {
  /// Browsers send `Sec-Fetch-Site` (Fetch Metadata §2.4) where the connection is trustworthy, and `Origin` (the Fetch
  /// standard) with whatever may write. A read may have neither; a write has to have one, and whichever comes has to be
  /// right. `publicURL` is the depot's name outside, should a proxy not pass it on.
  static func isOfConsole(_ request: HTTPRequest, _ publicURL: PublicURL?) -> Bool {
    let isRead = request.method == .get || request.method == .head
    var isShown = isRead
    for site in request.values(of: "sec-fetch-site") {
      // `none`: somebody typed the address, or opened a bookmark.
      guard site == "same-origin" || isRead && site == "none" else { return false }
      isShown = true
    }
    for origin in request.values(of: "origin") {
      guard isOurs(origin, request, publicURL) else { return false }
      isShown = true
    }
    return isShown
  }

  /// A proxy that ends TLS need not tell of it, so the scheme may be either.
  private static func isOurs(_ origin: String, _ request: HTTPRequest, _ publicURL: PublicURL?) -> Bool {
    guard let authority = authority(origin), !authority.isEmpty else { return false }
    return authority == bare(request.host.lowercased())
      || publicURL.flatMap { Self.authority($0.text) } == authority
  }

  /// The host and port of an `http` or `https` URL.
  private static func authority(_ url: String) -> String? {
    let url = url.lowercased()
    guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
    return bare(String(url.dropFirst(scheme.count).prefix { $0 != "/" }))
  }

  /// Without the port that a scheme has anyway: an origin never has it, a Host may.
  private static func bare(_ authority: String) -> String {
    for port in [":443", ":80"] where authority.hasSuffix(port) {
      return String(authority.dropLast(port.count))
    }
    return authority
  }

  static let refusal = Problem(
    .forbidden, "A login of the console counts for requests of the console's own page alone."
  ).closingConnection()
}
