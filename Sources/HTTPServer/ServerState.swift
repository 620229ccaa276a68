internal import HTTPWire
internal import Platform
internal import Synchronization

/// What all loops of a server share.
final class ServerState: Sendable {
  let limits: HTTPServerLimits
  let times: LoopTimes
  let workers: WorkerPool
  let accessLog: AccessLog?
  let logger: Logger
  let proxies: TrustedProxies
  /// Nil when they are not limited.
  let addresses: AddressCounts?
  /// Connections of all loops.
  let open = Atomic<Int>(0)
  /// Takes the next connection off a listener; tests put failures here.
  let accept: @Sendable (borrowing Socket) -> Socket.Accepted
  /// Nanoseconds of the monotonic clock, by which deadlines are judged; tests put a clock of their own here.
  let clock: @Sendable () -> Int64
  /// The same clock, to see how long something took.
  let stopwatch: @Sendable () -> Int64

  /// Connections above the limit that are still answered before they close.
  static let overflow = 64
  /// Seconds after which who found no room may try again.
  static let retryAfter = 5

  init(
    limits: HTTPServerLimits, workers: WorkerPool, accessLog: AccessLog?, logger: Logger,
    proxies: TrustedProxies = .none,
    clock: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds },
    stopwatch: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds },
    accept: @escaping @Sendable (borrowing Socket) -> Socket.Accepted
  ) {
    var limits = limits
    let head = limits.head
    limits.head = HTTPLimits(
      headBytes: min(head.headBytes, 48 << 10), fieldCount: head.fieldCount, targetBytes: head.targetBytes)
    self.limits = limits
    times = LoopTimes(limits)
    self.workers = workers
    self.accessLog = accessLog
    self.logger = logger
    self.proxies = proxies
    addresses = limits.connectionsPerAddress.map { AddressCounts(limit: $0) }
    self.accept = accept
    self.clock = clock
    self.stopwatch = stopwatch
  }
}

/// A listening socket of one loop, or of all loops: accept(2) is safe to call from many threads.
final class Listener: Sendable {
  let socket: Socket
  /// Nil where connections are not encrypted.
  let tls: TLSContext?
  /// Whether other loops have it too.
  let isShared: Bool

  init(_ socket: consuming Socket, tls: TLSContext?, isShared: Bool = false) {
    self.socket = socket
    self.tls = tls
    self.isShared = isShared
  }

  /// Begins to be told of its connections.
  func watch(with poller: borrowing Poller) throws(SystemError) {
    try poller.add(
      socket.number, isShared ? [.input, .exclusive] : .input,
      token: ConnectionToken(number: socket.number, generation: 0).bits)
  }
}
