public import HTTPWire

/// What one client may take of the server, and how long it may take over it.
///
/// Times are looked at once a tick: a second, or a quarter of the shortest time when that is less. So a deadline may
/// be overrun by a tick, except those of lingering and of a stop.
///
/// | deadline | runs while | begins anew with | when it is over |
/// |---|---|---|---|
/// | `headTimeout` | a TLS handshake or a request head is incomplete | the connection, the head's first byte | 408 if bytes came, else closed without a word |
/// | `idleTimeout` | the connection is kept between requests | each answer | closed without a word |
/// | `bodyWindow` | a body is waited for (not while its reader is slow) | `bodyWindowBytes` arrived | the reader gets `timedOut`, its answer closes |
/// | `bodyWindow` | the rest of a body nobody wants is read away | nothing | closed |
/// | `sendWindow` | an answer is not wholly sent | the client acknowledged `sendWindowBytes` | reset |
/// | `lingerTimeout` | unread input is thrown away after a closing answer | nothing | closed |
/// | `drainTimeout` | the server stops | nothing | what still runs is cut off |
public struct HTTPServerLimits: Sendable, Hashable {
  /// Of request heads.
  public var head: HTTPLimits
  /// Connections of all loops together; one more is answered 503 and closed.
  public var connections: Int
  /// Connections of one client address, of all loops together: an IPv4 address, or the /64 an IPv6 one is in, which is
  /// what one customer gets. One more is answered 503 and closed. Nil: as many as it likes. Unix sockets and trusted
  /// proxies, which stand for many clients, are not counted.
  public var connectionsPerAddress: Int?
  /// For a whole request head; for the first of a connection the TLS handshake counts too.
  public var headTimeout: Duration
  /// Between requests.
  public var idleTimeout: Duration
  /// In which a body must bring `bodyWindowBytes`.
  public var bodyWindow: Duration
  /// Bytes, or the rest of the body if that is less.
  public var bodyWindowBytes: Int
  /// In which a client must acknowledge `sendWindowBytes`.
  public var sendWindow: Duration
  /// Bytes, or the rest of the answer if that is less.
  public var sendWindowBytes: Int
  /// How long input is read and thrown away after an answer that closes the connection, so that the client sees the
  /// answer and not a reset.
  public var lingerTimeout: Duration
  /// How much input at most is thrown away then.
  public var lingerBytes: Int
  /// How long a stop waits for what runs.
  public var drainTimeout: Duration

  /// Limits of one's own. `head.headBytes` counts as at most 48 KiB: a head must fit into the read buffer.
  public init(
    head: HTTPLimits, connections: Int, connectionsPerAddress: Int?, headTimeout: Duration,
    idleTimeout: Duration, bodyWindow: Duration,
    bodyWindowBytes: Int, sendWindow: Duration, sendWindowBytes: Int, lingerTimeout: Duration,
    lingerBytes: Int,
    drainTimeout: Duration
  ) {
    self.head = head
    self.connections = connections
    self.connectionsPerAddress = connectionsPerAddress
    self.headTimeout = headTimeout
    self.idleTimeout = idleTimeout
    self.bodyWindow = bodyWindow
    self.bodyWindowBytes = bodyWindowBytes
    self.sendWindow = sendWindow
    self.sendWindowBytes = sendWindowBytes
    self.lingerTimeout = lingerTimeout
    self.lingerBytes = lingerBytes
    self.drainTimeout = drainTimeout
  }

  /// For the open internet, phones on bad networks included: 400 bytes a second are enough to stay.
  public static let standard = HTTPServerLimits(
    head: .standard, connections: 10_000, connectionsPerAddress: nil, headTimeout: .seconds(15),
    idleTimeout: .seconds(75),
    bodyWindow: .seconds(20), bodyWindowBytes: 8 << 10, sendWindow: .seconds(30), sendWindowBytes: 12 << 10,
    lingerTimeout: .seconds(2), lingerBytes: 8 << 20, drainTimeout: .seconds(30))
}

/// The times in milliseconds, as the loops compare them.
struct LoopTimes {
  let head: Int64
  let idle: Int64
  let body: Int64
  let send: Int64
  let linger: Int64
  let drain: Int64
  /// How often deadlines are looked at.
  let tick: Int64

  init(_ limits: HTTPServerLimits) {
    head = Self.milliseconds(limits.headTimeout)
    idle = Self.milliseconds(limits.idleTimeout)
    body = Self.milliseconds(limits.bodyWindow)
    send = Self.milliseconds(limits.sendWindow)
    linger = Self.milliseconds(limits.lingerTimeout)
    drain = Self.milliseconds(limits.drainTimeout)
    tick = max(5, min(1000, min(head, idle, body, send, linger) / 4))
  }

  private static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    // A year is for ever.
    return min(max(seconds, 0), 31_536_000) * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
