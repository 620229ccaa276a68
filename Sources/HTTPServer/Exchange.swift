internal import HTTPWire

/// A request that is not answered yet, or whose body is not read whole: the part of a connection that most do without.
final class Exchange {
  /// A copy that does not keep the loop's buffer.
  let request: HTTPRequest
  /// When its head was read, in nanoseconds of the monotonic clock.
  let startedAt: Int64
  let body: InboundBody
  /// Whether the loop is to read the body now.
  var isReading = false
  /// How much the body's queue takes before the loop must pause.
  var room = 0
  /// What the handler sent that the loop has not seen to yet.
  enum Message {
    case wantBody
    case answer(HTTPResponse)
  }

  /// Waits here while answers to earlier requests still wait for the client to read them: what goes into the loop's
  /// output overtakes what a connection keeps.
  var message: Message?
  /// Whether the client holds its body back until it gets `100 Continue`.
  var awaitsContinue: Bool
  private(set) var isWhole: Bool
  /// The end of the body cannot be found any more, or its bytes do not come.
  private(set) var isBroken = false
  private var remaining: UInt64 = 0
  private var chunks: ChunkedBody?

  init(_ request: HTTPRequest, startedAt: Int64, mailbox: Mailbox, token: ConnectionToken) {
    self.request = request.detached()
    self.startedAt = startedAt
    switch request.body {
    case .none: break
    case .length(let count): remaining = count
    case .chunked: chunks = ChunkedBody()
    }
    isWhole = chunks == nil && remaining == 0
    // RFC 9110 §10.1.1: an expectation in an HTTP/1.0 request is ignored.
    awaitsContinue = request.expectsContinue && !isWhole && request.version == .http11
    body = InboundBody(isEmpty: isWhole, mailbox: mailbox, token: token)
  }

  /// Takes what belongs to the body off a range of `input`; hands it to the reader unless it is to be thrown away.
  /// Returns how many bytes that were.
  func take(_ input: [UInt8], _ range: Range<Int>, discarding: Bool = false) -> Int {
    guard !isWhole, !isBroken else { return 0 }
    guard chunks != nil else {
      let count = Int(min(remaining, UInt64(range.count)))
      remaining -= UInt64(count)
      isWhole = remaining == 0
      if !discarding {
        room = body.push(Array(input[range.lowerBound..<range.lowerBound + count]))
        if isWhole { body.finish() }
      }
      return count
    }
    var content: [UInt8] = []
    if !discarding { content.reserveCapacity(range.count) }
    do throws(HTTPRefusal) {
      let count = try chunks?.decode(input.span.extracting(range), into: &content) ?? 0
      isWhole = chunks?.isFinished ?? true
      if !discarding {
        room = body.push(content)
        if isWhole { body.finish() }
      }
      return count
    } catch {
      fail(.malformed)
      return range.count
    }
  }

  /// No more of the body can come.
  func fail(_ error: RequestBodyError) {
    isReading = false
    isBroken = !isWhole
    body.fail(error)
  }

  /// What is to become of the rest of the body once the answer is made.
  enum Rest {
    case nothing
    /// Reading it away costs less than a new connection.
    case drained
    /// The connection must close.
    case abandoned
  }

  /// Bytes that are read away to keep a connection.
  static let drainLimit: UInt64 = 64 << 10

  var rest: Rest {
    if isWhole { return .nothing }
    // How long a chunked body is nobody knows, and a client that awaits `100 Continue` may send its body or not.
    if isBroken || awaitsContinue || chunks != nil { return .abandoned }
    return remaining <= Self.drainLimit ? .drained : .abandoned
  }
}
