/// The one seam between the transport and what it serves: a request in, a response out.
///
/// Called on a loop thread, from several loops at once: it must not block. Work that may block goes into `.later`.
public protocol HTTPHandler: Sendable {
  /// Called once each time a loop wakes, before the requests it then reads: the moment to see whether answers that
  /// are kept ready are still true.
  func prepareBatch()

  /// Called by each loop about once a second, whether requests come or not: for what happens with time.
  func tick()

  /// Changes, before whoever caused it is told, when a `.repeatable` answer given before may no longer hold. Asked for
  /// each request.
  var edition: Int { get }

  /// Answers a request from memory, or says what is to be done off the loop.
  func respond(to request: HTTPRequest) -> HTTPReaction

  /// The answer to something that never became a request, in the service's own form.
  func response(to refusal: HTTPRefusal) -> HTTPResponse
}

extension HTTPHandler {
  /// Nothing to prepare.
  public func prepareBatch() {}

  /// Nothing happens with time.
  public func tick() {}

  /// Always the same.
  public var edition: Int { 0 }

  /// The refusal's detail as plain text.
  public func response(to refusal: HTTPRefusal) -> HTTPResponse {
    var fields: HTTPFields = ["Content-Type": "text/plain; charset=utf-8"]
    if let retryAfter = refusal.retryAfter { fields.append("Retry-After", String(retryAfter)) }
    return HTTPResponse(refusal.status, fields, .bytes(Array("\(refusal.detail)\n".utf8)))
  }
}

/// What a handler makes of a request.
public enum HTTPReaction: Sendable {
  /// The answer, now. A request body that comes is discarded.
  case respond(HTTPResponse)
  /// The same, and the answer to every request whose head has the same bytes and came in the same scheme, whoever sends
  /// it, until `edition` changes: it need not be asked for again. So not for what depends on the time, on where a request
  /// comes from, or on a token that may end, and not where requests are counted before they are answered.
  case repeatable(HTTPResponse)
  /// Runs on a worker thread, may block there, and may read the request's body piece by piece.
  case later(@Sendable (any RequestBody) async -> HTTPResponse)
}

/// A request body that arrives while it is read. Nothing of it is taken from the socket (and no `100 Continue` is
/// sent) before the first `next()`; at most a small bounded queue is held in memory.
public protocol RequestBody: AnyObject, Sendable {
  /// The next bytes, never empty; nil after the last. Not to be called by two tasks at once.
  func next() async throws(RequestBodyError) -> [UInt8]?
}

/// Why a body ended before its end.
public enum RequestBodyError: Error, Hashable, Sendable {
  /// The client went away.
  case disconnected
  /// Too little came in the time allowed.
  case timedOut
  /// The chunked coding is broken (RFC 9112 §7.1).
  case malformed
  /// More than the limit given to `collect`.
  case tooLarge(limit: Int)
}

extension RequestBody {
  /// All of the body, at most `limit` bytes.
  public func collect(limit: Int) async throws(RequestBodyError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await next() {
      guard bytes.count + piece.count <= limit else { throw .tooLarge(limit: limit) }
      bytes += piece
    }
    return bytes
  }
}

/// A reason the transport itself turns a request down with; the connection closes after it.
public struct HTTPRefusal: Error, Hashable, Sendable {
  /// What it is answered with.
  public let status: HTTPStatus
  /// What was wrong, for a person.
  public let detail: String
  /// In how many seconds another attempt makes sense (RFC 9110 §10.2.3); nil when nobody knows.
  public let retryAfter: Int?

  /// A refusal with its reason.
  public init(_ status: HTTPStatus, _ detail: String, retryAfter: Int? = nil) {
    self.status = status
    self.detail = detail
    self.retryAfter = retryAfter
  }
}
