internal import DepotModel
internal import HTTPWire

/// Which version a page is played from: that of its first page, for as long as it is installed.
///
/// A session cookie at the game's own path tells it. Whatever a page begins with comes from the current version and sets
/// it; everything that follows comes from the version it names.
struct VersionPin: Sendable {
  static let cookie = "depot-version"

  /// Whether the request is for what a page begins with, so that it gets the current version.
  let isBeginning: Bool
  /// The version that the page began with; nil when none is told.
  let version: H5Version?

  init(_ request: HTTPRequest, _ place: GamePlace) {
    isBeginning = Self.isBeginning(request, place)
    version = Self.version(in: request)
  }

  /// The value of a Set-Cookie. No Expires: it ends with the browser, when there is no page left that it is for.
  static func setting(_ version: H5Version, at place: GamePlace) -> String {
    "\(cookie)=\(version); Path=\(place.root); HttpOnly; SameSite=Lax"
  }

  /// RFC 6265 §4.2: cookie-string = cookie-pair *( ";" SP cookie-pair ).
  private static func version(in request: HTTPRequest) -> H5Version? {
    for line in request.values(of: "cookie") {
      for pair in line.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        guard pair.hasPrefix("\(cookie)=") else { continue }
        let value = pair.dropFirst(cookie.count + 1)
        if let version = H5Version(String(value.prefix { $0 != " " })) { return version }
      }
    }
    return nil
  }

  private static func isBeginning(_ request: HTTPRequest, _ place: GamePlace) -> Bool {
    // Fetch Metadata §2.1; browsers send it to hosts they trust, which an address in the LAN is not.
    switch request.field(named: "sec-fetch-dest") {
    case nil, "": return isPage(place.names.last ?? "")
    // A service worker keeps what it fetches when it is installed: its script and that must be of one version.
    case "document", "serviceworker": return true
    case "iframe", "frame", "embed", "object": return !isAskedByGame(request, place)
    default: return false
    }
  }

  private static func isPage(_ name: String) -> Bool {
    name.isEmpty || ["html", "htm", "xhtml"].contains(ContentType.parts(of: name)?.ending)
  }

  /// A frame in a page of the game itself; not in the page of an app or a front page around it.
  private static func isAskedByGame(_ request: HTTPRequest, _ place: GamePlace) -> Bool {
    guard request.field(named: "sec-fetch-site") == "same-origin" else { return false }
    guard let referrer = request[.referer], let scheme = referrer.firstRange(of: "://") else { return true }
    let path = referrer[scheme.upperBound...].drop { $0 != "/" }
    return path.hasPrefix(place.root)
  }
}
