internal import HTTPWire

extension HTTPResponse {
  /// A line of text for a person. RFC 9110 §15.1: caches may keep a 404 or 308 as long as they like unless they are told.
  static func plain(_ status: HTTPStatus, _ text: String, _ fields: HTTPFields = [:]) -> HTTPResponse {
    var fields = fields
    fields["Cache-Control"] = "no-cache"
    fields["X-Content-Type-Options"] = "nosniff"
    fields.append("Content-Type", "text/plain; charset=utf-8")
    return HTTPResponse(status, fields, .bytes(Array("\(text)\n".utf8)))
  }

  /// Browsers ask every origin for an icon, and tell in a game's console when there is none.
  static let noIcon = HTTPResponse(.noContent, ["Cache-Control": "max-age=86400"])

  /// To a folder that was asked for without its slash: relative links in its page would lead astray. Built from the path as
  /// it was sent.
  static func redirectToFolder(_ request: HTTPRequest, _ fields: HTTPFields = [:]) -> HTTPResponse {
    let query = request.query.map { "?\($0)" } ?? ""
    // RFC 9110 §15.4.9, and two slashes at the start would name another host (RFC 3986 §4.2).
    let path = "/" + request.path.drop { $0 == "/" }
    var fields = fields
    fields["Cache-Control"] = "no-cache"
    fields.append("Location", "\(path)/\(query)")
    return HTTPResponse(.permanentRedirect, fields)
  }
}
