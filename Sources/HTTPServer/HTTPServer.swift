public import HTTPWire
public import Platform
internal import Synchronization

/// An HTTP/1.1 server: some event loops on threads of their own, and a handler they all call.
///
/// Listens from `init` on, answers from `start()` until `stop()`. Safe to use from any thread.
public final class HTTPServer: Sendable {
  /// Where it listens, in the order asked for, with real ports.
  public let addresses: [BoundAddress]

  private struct State {
    /// Loops that were made and not started yet.
    var prepared: [(mailbox: Mailbox, run: @Sendable () -> Void)]
    var threads: [PosixThread] = []
    var running = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Removed with the stop; those of sockets that were inherited belong to whoever made them.
  private let socketFiles: [UnixSocketFile]
  private let mailboxes: [Mailbox]
  private let state: Mutex<State>

  /// Listens on the addresses with each of `loops` loops (at least one). An address in use is an error here, also
  /// when the other one shares its port. With `tls` they speak it where the address does not say otherwise.
  /// `workers` run what handlers do later; who made them ends them, after the stop. `proxies` are believed when they say
  /// who asks, and how.
  public convenience init(
    handler: some HTTPHandler, listen: [ListenAddress], tls: TLSContext? = nil, loops: Int,
    workers: WorkerPool, limits: HTTPServerLimits, proxies: TrustedProxies = .none,
    accessLog: AccessLog?, logger: Logger
  ) throws(SystemError) {
    try self.init(
      handler: handler, listen: listen, tls: tls, loops: loops,
      shared: ServerState(
        limits: limits, workers: workers, accessLog: accessLog, logger: logger, proxies: proxies
      ) {
        $0.accept()
      })
  }

  /// With what all loops share.
  init(
    handler: some HTTPHandler, listen: [ListenAddress], tls: TLSContext? = nil, loops: Int,
    shared: ServerState
  ) throws(SystemError) {
    Signals.ignoreBrokenPipes()
    var listeners: [[Listener]] = Array(repeating: [], count: max(1, loops))
    var addresses: [BoundAddress] = []
    var socketFiles: [UnixSocketFile] = []
    for address in listen {
      let secure = address.isSecure(byDefault: tls != nil) ? tls : nil
      guard secure != nil || !address.demandsTLS else {
        // EINVAL: what was asked for cannot be done with what was given.
        throw SystemError(errno: 22, operation: "listen without a certificate", path: address.description)
      }
      let bound = try Self.listeners(on: address, tls: secure, count: listeners.count, &socketFiles)
      addresses.append(
        BoundAddress(address: try bound[0].socket.localAddress, isSecure: bound[0].tls != nil))
      for (index, listener) in bound.enumerated() { listeners[index].append(listener) }
    }
    self.addresses = addresses
    self.socketFiles = socketFiles
    var prepared: [(mailbox: Mailbox, run: @Sendable () -> Void)] = []
    for listeners in listeners {
      let loop = LoopThread(try EventLoop(handler: handler, listeners: listeners, shared: shared))
      prepared.append((loop.mailbox, { loop.run() }))
    }
    mailboxes = prepared.map(\.mailbox)
    state = Mutex(State(prepared: prepared))
  }

  /// What its loops have done since the start, as of about a second ago.
  public var metrics: TransportMetrics {
    mailboxes.reduce(into: TransportMetrics()) { $0.add($1.metrics) }
  }

  /// Whether every loop has shown within that time that it goes on; each does so about once a second.
  public func areLoopsAlive(within time: Duration) -> Bool {
    let (seconds, attoseconds) = time.components
    let oldest = SystemClock.monotonicMilliseconds - seconds * 1000 - attoseconds / 1_000_000_000_000_000
    return mailboxes.allSatisfy { $0.lastSeen >= oldest }
  }

  /// A listener for each loop: of an internet address a socket each, between which the kernel spreads connections,
  /// else one for all. Unix sockets speak no TLS: nobody listens in on them.
  private static func listeners(
    on listen: ListenAddress, tls: TLSContext?, count: Int, _ socketFiles: inout [UnixSocketFile]
  ) throws(SystemError) -> [Listener] {
    switch listen.place {
    case .descriptor(let number):
      let socket = try Socket.inherited(number)
      if case .unix = try socket.localAddress { return shared(socket, tls: nil, count) }
      return shared(socket, tls: tls, count)
    case .address(.unix(let path?)):
      let socket = try Socket.listening(at: path, mode: socketMode, backlog: backlog)
      socketFiles.append(try UnixSocketFile(at: path))
      return shared(socket, tls: nil, count)
    case .address(let address): return try listeners(on: address, tls: tls, count: count)
    }
  }

  private static func shared(_ socket: consuming Socket, tls: TLSContext?, _ count: Int) -> [Listener] {
    Array(repeating: Listener(socket, tls: tls, isShared: count > 1), count: count)
  }

  private static let backlog: Int32 = 4096
  /// Of a Unix socket's file: who may connect are the owner and the group, whatever the umask.
  private static let socketMode: UInt32 = 0o660

  /// Sockets that share a port. The first bind does not share it: that one fails when somebody else listens there.
  private static func listeners(
    on address: SocketAddress, tls: TLSContext?, count: Int
  ) throws(SystemError) -> [Listener] {
    guard count > 1 else {
      return [Listener(try Socket.listening(on: address, sharesPort: false, backlog: backlog), tls: tls)]
    }
    var attempts = 0
    while true {
      let probe = try Socket.listening(on: address, sharesPort: false, backlog: 1)
      let bound = try probe.localAddress
      _ = consume probe
      do throws(SystemError) {
        var listeners: [Listener] = []
        for _ in 0..<count {
          let socket = try Socket.listening(on: bound, sharesPort: true, backlog: backlog)
          listeners.append(Listener(socket, tls: tls))
        }
        return listeners
      } catch {
        // Somebody else took the free port that the probe was given.
        attempts += 1
        guard address.port == 0, attempts < 10 else { throw error }
      }
    }
  }

  /// Begins to answer. A running server keeps itself alive until it is stopped.
  public func start() throws(SystemError) {
    let loops = state.withLock { state in
      let loops = state.prepared
      state.prepared = []
      state.running += loops.count
      return loops
    }
    for (index, loop) in loops.enumerated() {
      do throws(SystemError) {
        let thread = try PosixThread(name: "http-\(index)") {
          loop.run()
          self.loopEnded()
        }
        state.withLock { $0.threads.append(thread) }
      } catch {
        for _ in index..<loops.count { loopEnded() }
        for loop in loops { loop.mailbox.post(.stop) }
        throw error
      }
    }
  }

  /// Stops listening, closes connections that wait for nothing, lets what runs finish within `drainTimeout`, cuts off
  /// what is left, and returns. A stopped server does not start again.
  public func stop() async {
    state.withLock { $0.prepared = [] }
    // First of all, so that a server which takes the place over keeps its own file.
    for file in socketFiles { file.remove() }
    for mailbox in mailboxes { mailbox.post(.stop) }
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.running > 0 { state.waiters.append(continuation) }
        return state.running == 0
      }
      if isDone { continuation.resume() }
    }
  }

  /// Blocks the thread until somebody's `stop()` is done.
  public func waitUntilStopped() {
    for thread in state.withLock({ $0.threads }) { thread.join() }
  }

  private func loopEnded() {
    let waiters = state.withLock { state in
      state.running -= 1
      guard state.running == 0 else { return [CheckedContinuation<Void, Never>]() }
      let waiters = state.waiters
      state.waiters = []
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
