import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// A stop that finishes what runs.
@Suite struct StopTests {
  private static func start(
    _ limits: HTTPServerLimits = .patient, _ respond: @escaping @Sendable (HTTPRequest) -> HTTPReaction
  ) throws -> (HTTPServer, WorkerPool, UInt16) {
    let pool = try WorkerPool(count: 2)
    let listen = try #require(ListenAddress("127.0.0.1:0"))
    let server = try HTTPServer(
      handler: ClosureHandler(body: respond), listen: [listen], loops: 2,
      workers: pool, limits: limits,
      accessLog: nil, logger: .silent)
    try server.start()
    return (server, pool, server.addresses[0].port)
  }

  @Test func finishesWhatRunsAndClosesWhatIsIdle() async throws {
    let gate = Gate()
    let started = Atomic(false)
    let (server, pool, port) = try Self.start { request in
      guard request.target == "/run" else { return .respond(.text("quick")) }
      started.store(true, ordering: .relaxed)
      return .later { body in
        await gate.passed()
        return .text("\((try? await body.collect(limit: 10))?.count ?? -1)")
      }
    }
    let idle = try RawClient(port: port)
    try idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try idle.response().status == 200)
    let running = try RawClient(port: port)
    try running.send("POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo")
    try await eventually { started.load(ordering: .relaxed) }
    let stop = Task(executorPreference: pool) { await server.stop() }
    #expect(try idle.isClosedByServer())
    try await eventually {
      // Nobody listens any more.
      (try? RawClient(port: port)) == nil
    }
    gate.open()
    try running.send("dy")
    let response = try running.response()
    #expect(response.text == "4")
    #expect(response["Connection"] == "close")
    running.finishSending()
    await stop.value
    server.waitUntilStopped()
    pool.shutdown()
  }

  @Test func doesNotWaitLongForWhoAsksForNothing() async throws {
    var limits = HTTPServerLimits.patient
    limits.drainTimeout = .seconds(120)
    limits.lingerTimeout = .milliseconds(100)
    try await TLSTests.withSecureServer(limits: limits) { live in
      // Begins no handshake.
      let silent = try live.client()
      let draining = try live.secureClient()
      try draining.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
      #expect(try draining.response().status == 200)
      try await eventually { live.open == 2 }
      let stop = Task { await live.server.stop() }
      #expect(try silent.isClosedByServer())
      #expect(try draining.isClosedByServer())
      await stop.value
    }
  }

  @Test func cutsOffWhatTakesTooLong() async throws {
    var limits = HTTPServerLimits.patient
    limits.drainTimeout = .milliseconds(200)
    let failure = Mutex<RequestBodyError?>(nil)
    let started = Atomic(false)
    let (server, pool, port) = try Self.start(limits) { _ in
      started.store(true, ordering: .relaxed)
      return .later { body in
        do throws(RequestBodyError) {
          while try await body.next() != nil {}
        } catch {
          failure.withLock { $0 = error }
        }
        return .text("too late")
      }
    }
    let client = try RawClient(port: port)
    try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
    try await eventually { started.load(ordering: .relaxed) }
    await server.stop()
    #expect(try client.isClosedByServer())
    pool.shutdown()
    #expect(failure.withLock { $0 } == .disconnected)
  }

  /// For who is stopped by hand: an answer under way and one that is still made are cut off.
  @Test func waitsForNothingWithoutATimeToDrain() async throws {
    var limits = HTTPServerLimits.patient
    limits.drainTimeout = .zero
    let large = [UInt8](repeating: 7, count: 64 << 20)
    let (server, pool, port) = try Self.start(limits) { request in
      request.path == "/large"
        ? .respond(HTTPResponse(.ok, [:], .bytes(large)))
        : .later { body in
          while (try? await body.next()) != nil {}
          return .text("too late")
        }
    }
    let (slow, waiting) = (try RawClient(port: port, receiveBuffer: 4096), try RawClient(port: port))
    try slow.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    try slow.skip(100)
    try waiting.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
    await server.stop()
    #expect(try waiting.isClosedByServer())
    pool.shutdown()
  }

  @Test func stopsTwiceAndWithoutAStart() async throws {
    let (server, pool, _) = try Self.start { _ in .respond(.text("")) }
    await server.stop()
    await server.stop()
    let unstarted = try HTTPServer(
      handler: ClosureHandler { _ in .respond(.text("")) },
      listen: [try #require(ListenAddress("127.0.0.1:0"))],
      loops: 1, workers: pool, limits: .standard, accessLog: nil, logger: .silent)
    let port = unstarted.addresses[0].port
    await unstarted.stop()
    try unstarted.start()
    #expect((try? RawClient(port: port)) == nil)
    pool.shutdown()
  }
}
