internal import HTTPWire
internal import Platform

/// Answers that a loop keeps by the very bytes of the heads that asked for them.
///
/// Most requests of a busy server are few different ones, byte for byte: an app asks for its game with the same head on
/// every device. Such a head is neither read nor judged again. What is kept may depend on nothing but its bytes, the
/// scheme, and the handler's `edition`.
struct RepeatedRequests: ~Copyable {
  /// Bytes of input up to which it is looked into: a head, and what was sent along with it.
  private static var longest: Int { 1024 }
  /// How many are kept, a power of two. With those bodies that nothing else keeps, 4 MiB at most.
  private static var capacity: Int { 256 }

  private struct Slot {
    /// Of the input that was looked into last; its request is kept when that comes again at once. So whoever asks for
    /// very many things in turn leaves nothing behind here.
    var hash: UInt64 = 0
    var known: RepeatedRequest?
  }

  /// What was looked for last and not found, if it is to be kept.
  private struct Sought {
    let place: Int
    let edition: Int
  }

  private var slots = Array(repeating: Slot(), count: Self.capacity)
  private var sought: Sought?
  // Random, so that nobody can choose what displaces what.
  private let seed = UInt64.random(in: .min ... .max)

  /// The known request that a range of `input` begins with.
  mutating func find(
    _ input: [UInt8], in range: Range<Int>, isSecure: Bool, edition: Int
  ) -> RepeatedRequest? {
    sought = nil
    guard range.count <= Self.longest else { return nil }
    let hash = input.span.quickHash(in: range, seed: isSecure ? ~seed : seed)
    let place = Int(truncatingIfNeeded: hash) & (Self.capacity - 1)
    guard slots[place].hash == hash else {
      slots[place].hash = hash
      return nil
    }
    if let known = slots[place].known, known.edition == edition, known.request.isSecure == isSecure {
      let head = known.request.bytes
      if input.span.extracting(..<range.upperBound).holds(head.span, at: range.lowerBound) { return known }
    }
    sought = Sought(place: place, edition: edition)
    return nil
  }

  /// The next request is none that may be kept.
  mutating func skip() { sought = nil }

  /// Keeps the answer to what was not found just now, where it came before and is worth keeping.
  mutating func keep(_ request: HTTPRequest, _ response: HTTPResponse, _ ends: HeadEnds) {
    guard let sought else { return }
    slots[sought.place].known = RepeatedRequest(request, response, edition: sought.edition, ends)
  }
}

/// A request that came more than once, and what it is answered with.
final class RepeatedRequest {
  /// Its bytes are those of the head alone.
  let request: HTTPRequest
  let edition: Int
  let status: Int
  let kind: UInt8
  /// What goes before the date.
  let start: [UInt8]
  /// What goes behind the request id: the end of the head, and the body.
  let end: [UInt8]
  /// Bytes of the body.
  let bodyCount: Int
  /// Whether the connection ends with this answer.
  let isLast: Bool
  /// Made when a log is first written to.
  private var logPieces: AccessLogPieces?

  /// Nil for what has to be answered anew each time.
  init?(_ request: HTTPRequest, _ response: HTTPResponse, edition: Int, _ ends: HeadEnds) {
    guard !response.closesConnection, !request.has(.requestID), case .bytes(let bytes) = response.body,
      bytes.count <= OutputBuffer.copiedBody
    else { return nil }
    self.request = request.detached()
    self.edition = edition
    status = response.status.code
    kind = response.kind
    start = response.head
    let body = request.isHead || !response.hasBody ? [] : bytes
    end = ends.end(of: request, isLast: !request.isKeepAlive) + body
    bodyCount = body.count
    isLast = !request.isKeepAlive
  }

  /// What of a line of the access log is the same each time.
  func logged(as format: AccessLog.Format) -> AccessLogPieces {
    if let logPieces { return logPieces }
    let made = AccessLogPieces(AccessLogEntry(request, status: status, bytes: bodyCount), as: format)
    logPieces = made
    return made
  }
}
