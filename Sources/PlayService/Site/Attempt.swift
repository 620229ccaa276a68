internal import HTTPWire

/// An answer, or what is to be done off the loop before there is one.
enum Attempt: Sendable {
  case answer(HTTPResponse)
  /// One that takes longer to make. May block the thread it runs on.
  case later(@Sendable () async -> HTTPResponse)
  /// The same for one that reads the request's body first.
  case reading(@Sendable (any RequestBody) async -> HTTPResponse)
  /// May block the thread it runs on. Another attempt knows what it found out.
  case work(@Sendable () async -> Void)
}
