internal import HTTPWire
internal import Platform

/// One client's connection, confined to its loop. While it is idle it owns no memory but itself.
final class Connection {
  /// What the connection does once nothing is left to send. While something is, nothing is read.
  enum Phase {
    /// TLS is being agreed on; a connection too many is then turned down with those words.
    case handshaking(refusal: HTTPRefusal?)
    /// Waits for a request head, or for the rest of one.
    case reading
    /// A handler works on the answer, and perhaps reads the body.
    case answering
    /// The answer is out; the rest of a small body is read and thrown away. Its time runs once it has begun.
    case draining(hasBegun: Bool)
    /// Closes, at once or after lingering.
    case closing(lingers: Bool)
    /// Nothing is sent any more; input is thrown away, at most that many bytes.
    case lingering(left: Int)
    case closed
  }

  let transport: Transport
  let token: ConnectionToken
  let peer: PeerAddress
  /// Whether it speaks for others, and says for whom.
  let isTrustedProxy: Bool
  var parser: RequestParser
  var phase = Phase.reading
  /// What the poller watches it for, once it does.
  var armed = Poller.Interest.input
  /// Whether the poller knows of it: not before a new connection was looked at once (see `EventLoop.add`).
  var isWatched = false
  /// Input that was read and not used yet.
  var saved: [UInt8] = []
  /// Whether `saved` is more than the beginning of a head.
  var hasUnparsed = false
  /// When the head that is incomplete began, in the loop's milliseconds; 0 when none is.
  var headStartedAt: Int64
  /// Whether the client has ended its side; that end may still have to be read.
  var isInputEnded = false
  /// Answers, or parts of them, that the kernel has not taken yet; nil when there are none.
  var output: OutputQueue?
  /// Whether the kernel takes in only a little of it ahead (see `EventLoop.crowd`).
  var isUnsentLimited = false
  var exchange: Exchange?
  /// The answer being sent, for the access log.
  var logged: LoggedAnswer?
  /// Bytes handed to the kernel so far.
  var sent: Int64 = 0
  /// What the client had acknowledged of them when the current progress window began.
  var sendWindowStart: Int64 = 0
  /// Bytes of bodies received so far.
  var received: Int64 = 0
  /// How many of them there were when the current progress window began.
  var bodyWindowStart: Int64 = 0

  init(
    _ transport: consuming Transport, token: ConnectionToken, peer: PeerAddress, isTrustedProxy: Bool,
    limits: HTTPLimits, now: Int64
  ) {
    self.transport = transport
    self.token = token
    self.peer = peer
    self.isTrustedProxy = isTrustedProxy
    parser = RequestParser(limits: limits)
    headStartedAt = now
  }

  var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// Whether input is of use now.
  var wantsInput: Bool {
    guard output == nil else { return false }
    switch phase {
    case .handshaking, .reading, .draining, .lingering: return true
    case .answering: return exchange?.isReading ?? false
    case .closing, .closed: return false
    }
  }
}

/// What the access log says of an answer that takes more than one turn to send. A class, so that connections without
/// one spend a word on it and not a whole request.
final class LoggedAnswer {
  let request: HTTPRequest
  let status: Int
  let startedAt: Int64
  /// `Connection.sent` when the first byte of the body was about to go.
  let bodyStart: Int64

  init(request: HTTPRequest, status: Int, startedAt: Int64, bodyStart: Int64) {
    self.request = request
    self.status = status
    self.startedAt = startedAt
    self.bodyStart = bodyStart
  }
}
