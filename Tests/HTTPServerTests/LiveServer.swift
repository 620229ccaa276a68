import Glibc
import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// What a handler's answers are the current ones of.
final class Editions: Sendable {
  let current = Atomic<Int>(0)
  /// How often a handler was told of a batch.
  let batches = Atomic<Int>(0)

  func begin() { current.add(1, ordering: .sequentiallyConsistent) }
}

/// A handler made of a closure.
struct ClosureHandler: HTTPHandler {
  let body: @Sendable (HTTPRequest) -> HTTPReaction
  var editions = Editions()

  var edition: Int { editions.current.load(ordering: .sequentiallyConsistent) }

  func prepareBatch() { editions.batches.add(1, ordering: .sequentiallyConsistent) }

  func respond(to request: HTTPRequest) -> HTTPReaction { body(request) }
}

extension HTTPServerLimits {
  /// No deadline that a busy machine could miss.
  static var patient: HTTPServerLimits {
    var limits = HTTPServerLimits.standard
    (limits.headTimeout, limits.idleTimeout) = (.seconds(600), .seconds(600))
    (limits.bodyWindow, limits.sendWindow) = (.seconds(600), .seconds(600))
    return limits
  }
}

/// How a server comes by connections.
struct Acceptor {
  let accept: @Sendable (borrowing Socket) -> Socket.Accepted
}

/// Says that descriptors have run out, some times, before it accepts anybody.
final class ScarceDescriptors: Sendable {
  private let left: Atomic<Int>

  init(failures: Int) { left = Atomic(failures) }

  /// Whether it has said so as often as it was to.
  var areThereAgain: Bool { left.load(ordering: .relaxed) == 0 }

  var acceptor: Acceptor {
    Acceptor { [self] listener in
      guard !areThereAgain else { return listener.accept() }
      left.subtract(1, ordering: .relaxed)
      return .failed(SystemError(errno: EMFILE, operation: "accept"))
    }
  }
}

/// A monotonic clock that goes forward when it is told to.
final class ManualClock: Sendable {
  private let nanoseconds = Atomic<Int64>(1_000_000_000)
  /// How often a loop has looked at it: once each time it wakes.
  let looks = Atomic<Int>(0)

  /// Nanoseconds.
  var value: Int64 {
    looks.add(1, ordering: .relaxed)
    return nanoseconds.load(ordering: .sequentiallyConsistent)
  }

  /// Nanoseconds, for who is no loop that wakes.
  var now: Int64 { nanoseconds.load(ordering: .sequentiallyConsistent) }

  func advance(milliseconds: Int64) {
    nanoseconds.add(milliseconds * 1_000_000, ordering: .sequentiallyConsistent)
  }
}

/// A server on a free port of this machine.
struct LiveServer {
  let server: HTTPServer
  let shared: ServerState
  let port: UInt16

  /// Connections the server has.
  var open: Int { shared.open.load(ordering: .relaxed) }

  func client(receiveBuffer: Int32? = nil) throws -> RawClient {
    try RawClient(port: port, receiveBuffer: receiveBuffer)
  }

  func secureClient(_ offer: TLSClientSession.Offer = .init(), receiveBuffer: Int32? = nil) throws
    -> RawClient
  {
    try RawClient(port: port, offering: offer, receiveBuffer: receiveBuffer)
  }
}

/// Serves while `body` runs, then stops and waits for the end.
func withServer(
  limits: HTTPServerLimits = .patient, listen: [ListenAddress]? = nil, tls: TLSContext? = nil, loops: Int = 1,
  workers: Int = 2, accessLog: AccessLog? = nil, proxies: TrustedProxies = .none,
  logger: Logger = .silent, clock: ManualClock? = nil,
  acceptor: Acceptor = Acceptor { $0.accept() },
  editions: Editions = Editions(),
  _ respond: @escaping @Sendable (HTTPRequest) -> HTTPReaction = {
    .respond(.text("answer to \($0.target)"))
  },
  while body: (LiveServer) async throws -> Void
) async throws {
  let pool = try WorkerPool(count: workers)
  let time: @Sendable () -> Int64 = { clock?.value ?? SystemClock.monotonicNanoseconds }
  let shared = ServerState(
    limits: limits, workers: pool, accessLog: accessLog, logger: logger, proxies: proxies, clock: time,
    stopwatch: { clock?.now ?? SystemClock.monotonicNanoseconds }, accept: acceptor.accept)
  let listen = try listen ?? [#require(ListenAddress("127.0.0.1:0"))]
  let server = try HTTPServer(
    handler: ClosureHandler(body: respond, editions: editions), listen: listen, tls: tls, loops: loops,
    shared: shared)
  try server.start()
  do {
    try await body(LiveServer(server: server, shared: shared, port: server.addresses[0].port))
  } catch {
    await server.stop()
    pool.shutdown()
    throw error
  }
  await server.stop()
  pool.shutdown()
}

extension HTTPResponse {
  static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(.ok, ["Content-Type": "text/plain"], .bytes(Array(text.utf8)))
  }
}

/// Comes back when the condition holds; an error after thirty seconds.
func eventually(_ condition: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation)
  async throws
{
  let deadline = SystemClock.monotonicMilliseconds + 30_000
  while try !condition() {
    try #require(
      SystemClock.monotonicMilliseconds < deadline, "never came true", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Lets tasks through once it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func passed() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// Requests that outlive their answers.
final class Kept: Sendable {
  private let requests = Mutex<[HTTPRequest]>([])

  func add(_ request: HTTPRequest) { requests.withLock { $0.append(request) } }

  var targets: [String] { requests.withLock { $0.map(\.target) } }
}
