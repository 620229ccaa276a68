internal import HTTPWire

/// The cookie that holds a login of the web console (RFC 6265): no script reads it, and no page of another site sends it.
enum SessionCookie {
  /// Over TLS under a name that browsers take from a secure origin alone, and not from its subdomains (RFC 6265bis
  /// §4.1.3.2).
  private static func name(_ request: HTTPRequest) -> String {
    request.isSecure ? "__Host-game-depot" : "game-depot"
  }

  /// The id that the request's cookie holds; nil without one, or with several.
  static func value(in request: HTTPRequest) -> String? {
    let name = name(request)
    let values = request.values(of: "cookie").joined(separator: ";").split(separator: ";").compactMap {
      pair in
      let text = pair.drop { $0 == " " }
      return text.hasPrefix("\(name)=") ? String(text.dropFirst(name.utf8.count + 1)) : nil
    }
    return values.count == 1 ? values[0] : nil
  }

  /// `Set-Cookie` for a login that lasts `seconds`; of 0 it makes the browser forget.
  static func field(_ id: String, seconds: Int64, for request: HTTPRequest) -> String {
    "\(name(request))=\(id); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(request.isSecure ? "; Secure" : "")"
  }
}
