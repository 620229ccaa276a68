/// Where a response sends its client next (RFC 9110 §15.4), and whether that may be followed.
enum Redirect {
  /// The `Location` of a redirect; nil for any other response.
  static func location(in head: ResponseHead) -> String? {
    [301, 302, 303, 307, 308].contains(head.status) ? head["Location"] : nil
  }

  /// Nil for what must not be followed: other schemes than http and https, credentials, and from https to http, where
  /// everybody on the way could put other bytes in.
  static func target(of location: String, from url: WebURL) -> WebURL? {
    guard let next = url.resolving(location), url.scheme == .http || next.scheme == .https else { return nil }
    return next
  }
}
