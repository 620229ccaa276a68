import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Answers made on the worker pool.
@Suite struct LaterTests {
  @Test func answersManyAtOnce() async throws {
    try await withServer(loops: 2, workers: 4) { request in
      let target = request.target
      return .later { _ in
        await Task.yield()
        return .text(target)
      }
    } while: { live in
      let clients = try (0..<100).map { _ in try live.client() }
      for round in 0..<5 {
        for (number, client) in clients.enumerated() {
          try client.send("GET /\(round)/\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        for (number, client) in clients.enumerated() {
          #expect(try client.response().text == "/\(round)/\(number)")
        }
      }
    }
  }

  @Test func runsOnTheWorkersThreadsAndMayBlockThere() async throws {
    let busy = Semaphore()
    try await withServer(workers: 1) { request in
      guard request.target == "/block" else { return .respond(.text("loop")) }
      return .later { _ in
        busy.wait()
        return .text("worker")
      }
    } while: { live in
      let blocked = try live.client()
      try blocked.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().text == "loop")
      busy.signal()
      #expect(try blocked.response().text == "worker")
    }
  }

  @Test func neverGivesALateAnswerToAnotherConnection() async throws {
    let gate = Gate()
    let started = Atomic(0)
    try await withServer { request in
      guard request.target == "/late" else { return .respond(.text("mine")) }
      started.add(1, ordering: .relaxed)
      return .later { _ in
        await gate.passed()
        return .text("late")
      }
    } while: { live in
      var lost = try (0..<20).map { _ in try live.client() }
      for client in lost {
        try client.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
        client.resetOnClose()
      }
      try await eventually { started.load(ordering: .relaxed) == 20 }
      lost.removeAll()
      try await eventually { live.open == 0 }
      // These get the descriptors that the lost ones had.
      let clients = try (0..<20).map { _ in try live.client() }
      for client in clients {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.response().text == "mine")
      }
      gate.open()
      for client in clients {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.response().text == "mine")
      }
    }
  }

  @Test func sleepsWhileAHandlerWorksBehindAnAnswerThatTookLong() async throws {
    let gate = Gate()
    let clock = ManualClock()
    let large = [UInt8](repeating: 0x78, count: 8 << 20)
    try await withServer(clock: clock) { request in
      switch request.target {
      case "/late":
        .later { _ in
          await gate.passed()
          return .text("late")
        }
      case "/large": .respond(HTTPResponse(.ok, [:], .bytes(large)))
      default: .respond(.text("small"))
      }
    } while: { live in
      let waiting = try live.client(receiveBuffer: 32 << 10)
      try waiting.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\nGET /late HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try waiting.response().body.count == large.count)
      let other = try live.client()
      let before = clock.looks.load(ordering: .relaxed)
      for _ in 0..<200 {
        try other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try other.response().text == "small")
      }
      // One wake-up for each request, and some for what the first connection had left.
      #expect(clock.looks.load(ordering: .relaxed) - before < 500)
      gate.open()
      #expect(try waiting.response().text == "late")
    }
  }

  @Test func preparesABatchBeforeItsRequests() async throws {
    let handler = CountingHandler()
    let pool = try WorkerPool(count: 1)
    let server = try HTTPServer(
      handler: handler, listen: [try #require(ListenAddress("127.0.0.1:0"))], loops: 1, workers: pool,
      limits: .standard, accessLog: nil, logger: .silent)
    try server.start()
    let client = try RawClient(port: server.addresses[0].port)
    for _ in 0..<3 {
      try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 10))
      for _ in 0..<10 { #expect(try client.response().status == 200) }
    }
    let (batches, requests, unprepared) = handler.counts
    #expect(requests == 30)
    #expect(batches >= 3 && batches <= 30)
    #expect(unprepared == 0)
    await server.stop()
    pool.shutdown()
  }

  @Test(.timeLimit(.minutes(1))) func tellsTheHandlerOfTimeWithoutAnyRequest() async throws {
    let (ticks, told) = AsyncStream.makeStream(of: Void.self)
    let pool = try WorkerPool(count: 1)
    var limits = HTTPServerLimits.standard
    limits.idleTimeout = .milliseconds(40)
    let server = try HTTPServer(
      handler: TickingHandler { told.yield() }, listen: [try #require(ListenAddress("127.0.0.1:0"))],
      loops: 1,
      workers: pool, limits: limits, accessLog: nil, logger: .silent)
    try server.start()
    var count = 0
    for await _ in ticks {
      count += 1
      if count == 3 { break }
    }
    await server.stop()
    pool.shutdown()
  }

  @Test func runsWorkInTheOrderItCame() async throws {
    let pool = try WorkerPool(count: 1)
    let seen = Mutex<[Int]>([])
    for number in 0..<3000 { pool.run { seen.withLock { $0.append(number) } } }
    let task = Task(executorPreference: pool) { seen.withLock { $0.count } }
    #expect(await task.value == 3000)
    pool.shutdown()
    #expect(seen.withLock { $0 } == Array(0..<3000))
  }
}

private struct TickingHandler: HTTPHandler {
  let told: @Sendable () -> Void

  func tick() { told() }
  func respond(to request: HTTPRequest) -> HTTPReaction { .respond(.text("")) }
}

private final class CountingHandler: HTTPHandler {
  private let state = Mutex((batches: 0, requests: 0, unprepared: 0))

  var counts: (batches: Int, requests: Int, unprepared: Int) { state.withLock { $0 } }

  func prepareBatch() { state.withLock { $0.batches += 1 } }

  func respond(to request: HTTPRequest) -> HTTPReaction {
    state.withLock { state in
      state.requests += 1
      if state.batches == 0 { state.unprepared += 1 }
    }
    return .respond(.text("counted"))
  }
}
