import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Slow clients, each dropped by its deadline; the others are set so long that they cannot be the reason.
@Suite struct DeadlineTests {
  static func limits(_ change: (inout HTTPServerLimits) -> Void) -> HTTPServerLimits {
    var limits = HTTPServerLimits.patient
    change(&limits)
    return limits
  }

  @Test func answers408ToAHeadThatDoesNotEnd() async throws {
    try await withServer(limits: Self.limits { $0.headTimeout = .milliseconds(100) }) { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHo")
      #expect(try client.response().status == 200)
      let response = try client.response()
      #expect(response.status == 408)
      #expect(response["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test func doesNotLetDripsProlongAHead() async throws {
    let clock = ManualClock()
    let limits = Self.limits { $0.headTimeout = .milliseconds(200) }
    try await withServer(limits: limits, clock: clock) { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\n")
      try await eventually {
        // Broken once the server has closed: then the condition holds.
        _ = try? client.send("X: y\r\n")
        clock.advance(milliseconds: 1)
        return live.open == 0
      }
    }
  }

  @Test func closesASilentConnectionWithoutAWord() async throws {
    try await withServer(limits: Self.limits { $0.headTimeout = .milliseconds(100) }) { live in
      let client = try live.client()
      #expect(try client.isClosedByServer())
    }
  }

  @Test func closesAnIdleConnectionWithoutAWord() async throws {
    try await withServer(limits: Self.limits { $0.idleTimeout = .milliseconds(100) }) { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().status == 200)
      #expect(try client.isClosedByServer())
    }
  }

  @Test func givesUpOnABodyThatStalls() async throws {
    let limits = Self.limits { $0.bodyWindow = .milliseconds(100) }
    try await withServer(limits: limits, RequestBodyTests.digest) { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
      let response = try client.response()
      #expect(response.text == "timedOut")
      #expect(response["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test func givesUpOnABodyThatOnlyDrips() async throws {
    let limits = Self.limits {
      $0.bodyWindow = .milliseconds(200)
      $0.bodyWindowBytes = 1000
    }
    let clock = ManualClock()
    try await withServer(limits: limits, clock: clock, RequestBodyTests.digest) { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\nabc")
      try await eventually {
        _ = try? client.send([0x61])
        clock.advance(milliseconds: 1)
        return live.open == 0
      }
    }
  }

  @Test func givesTimeToABodyThatComesSteadily() async throws {
    let clock = ManualClock()
    let arrived = Count()
    let limits = Self.limits {
      $0.bodyWindow = .milliseconds(100)
      $0.bodyWindowBytes = 1000
    }
    try await withServer(limits: limits, clock: clock) { _ in
      .later { body in
        while let piece = try? await body.next() { arrived.add(piece.count) }
        return .text("\(arrived.value)")
      }
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n")
      for round in 1...30 {
        try client.send([UInt8](repeating: 0x61, count: 1000))
        try await eventually { arrived.value == round * 1000 }
        clock.advance(milliseconds: 90)
      }
      #expect(try client.response().text == "30000")
    }
  }

  @Test func doesNotBlameTheClientForASlowHandler() async throws {
    let gate = Gate()
    let clock = ManualClock()
    let limits = Self.limits { $0.bodyWindow = .milliseconds(40) }
    try await withServer(limits: limits, clock: clock) { request in
      guard request.method == .post else { return .respond(.text("still here")) }
      return .later { body in
        await gate.passed()
        return .text("\((try? await body.collect(limit: 100))?.count ?? -1)")
      }
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
      clock.advance(milliseconds: 120)
      try live.letATickPass()
      gate.open()
      #expect(try client.response().text == "3")
    }
  }

  @Test func givesUpOnABodyJustBelowItsWindowAndKeepsOneJustAtIt() async throws {
    let limits = Self.limits {
      $0.bodyWindow = .milliseconds(100)
      $0.bodyWindowBytes = 1000
    }
    for (perWindow, survives) in [(1000, true), (999, false)] {
      let clock = ManualClock()
      let arrived = Count()
      let outcome = Mutex<RequestBodyError?>(nil)
      try await withServer(limits: limits, clock: clock) { request in
        guard request.method == .post else { return .respond(.text("still here")) }
        return .later { body in
          do throws(RequestBodyError) {
            while let piece = try await body.next() { arrived.add(piece.count) }
          } catch {
            outcome.withLock { $0 = error }
          }
          return .text("")
        }
      } while: { live in
        let client = try live.client()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
        // The window begins when the handler asks for the body.
        try client.send([0x61])
        try await eventually { arrived.value == 1 }
        var total = 1
        // The first byte counts for the first window, not for the second.
        for _ in 0..<(survives ? 5 : 2) where outcome.withLock({ $0 }) == nil {
          try client.send([UInt8](repeating: 0x61, count: perWindow))
          total += perWindow
          try await eventually { arrived.value == total || outcome.withLock { $0 } != nil }
          clock.advance(milliseconds: 101)
          try live.letATickPass()
        }
        if survives {
          #expect(outcome.withLock { $0 } == nil)
        } else {
          try await eventually { outcome.withLock { $0 } == .timedOut }
        }
      }
    }
  }

  @Test func givesUpOnAClientThatAsksToContinueAndThenSendsNothing() async throws {
    let clock = ManualClock()
    let limits = Self.limits { $0.bodyWindow = .milliseconds(200) }
    try await withServer(limits: limits, clock: clock, RequestBodyTests.digest) { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      #expect(try client.response().status == 100)
      clock.advance(milliseconds: 199)
      try live.letATickPass()
      #expect(live.open >= 1)
      clock.advance(milliseconds: 50)
      let response = try client.response()
      #expect(response.text == "timedOut")
      #expect(response["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test func doesNotLetDripsProlongTheRestOfABodyNobodyWants() async throws {
    let clock = ManualClock()
    let limits = Self.limits {
      $0.bodyWindow = .milliseconds(200)
      $0.bodyWindowBytes = 1
    }
    try await withServer(limits: limits, clock: clock) { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
      #expect(try client.response().status == 200)
      for _ in 0..<5 {
        _ = try? client.send([0x61])
        clock.advance(milliseconds: 60)
        try live.letATickPass()
      }
      try await eventually { live.open == 0 }
    }
  }

  @Test func givesAHeadBehindAnIdleTimeItsWholeTime() async throws {
    let clock = ManualClock()
    let limits = Self.limits { $0.headTimeout = .milliseconds(200) }
    try await withServer(limits: limits, clock: clock) { live in
      let client = try live.client()
      try client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().text == "answer to /1")
      clock.advance(milliseconds: 10_000)
      try live.letATickPass()
      try client.send("GET /2 HT")
      try live.letATickPass()
      clock.advance(milliseconds: 190)
      try live.letATickPass()
      try client.send("TP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().text == "answer to /2")
    }
  }

  @Test func doesNotBlameAHeadForTheTimeItsClientReadAnswers() async throws {
    let clock = ManualClock()
    let limits = Self.limits { $0.headTimeout = .milliseconds(200) }
    // Heads that do not divide what is read at a time, so that each piece ends within one.
    let request = "GET /1 HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 1000))\r\n\r\n"
    let requests = 12_000
    try await withServer(limits: limits, clock: clock) { live in
      let sender = Sender(
        try live.client(receiveBuffer: 4096), Array(String(repeating: request, count: 100).utf8),
        times: requests / 100)
      let thread = try PosixThread(name: "sender") { sender.run() }
      try live.untilStuck(sender)
      clock.advance(milliseconds: 1000)
      try live.letATickPass()
      for _ in 0..<requests { #expect(try sender.client.response().text == "answer to /1") }
      thread.join()
    }
  }

  @Test func dropsAReaderThatStopsWithinSeveralRanges() async throws {
    let clock = ManualClock()
    let limits = Self.limits { $0.sendWindow = .milliseconds(200) }
    let part = ResponseBody.bytes([UInt8](repeating: 0x61, count: 4 << 20))
    let body = ResponseBody.segments([.bytes(Array("--edge\r\n".utf8)), part, part, part])
    try await withServer(limits: limits, clock: clock) { request in
      .respond(request.path == "/parts" ? HTTPResponse(.partialContent, [:], body) : .text("still here"))
    } while: { live in
      let client = try live.client(receiveBuffer: 4096)
      try client.send("GET /parts HTTP/1.1\r\nHost: a\r\n\r\n")
      // Into the second part.
      try client.skip(5 << 20)
      try live.letATickPass()
      try await eventually {
        clock.advance(milliseconds: 100)
        try live.letATickPass()
        return live.open == 0
      }
      #expect(throws: RawClient.Failure.self) { try client.skip(8 << 20) }
    }
  }

  @Test func dropsAReaderThatStops() async throws {
    let body = ResponseBody.bytes([UInt8](repeating: 0x61, count: 32 << 20))
    let limits = Self.limits { $0.sendWindow = .milliseconds(200) }
    try await withServer(limits: limits) { _ in
      .respond(HTTPResponse(.ok, [:], body))
    } while: { live in
      let client = try live.client(receiveBuffer: 4096)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      try client.skip(1000)
      try await eventually { live.open == 0 }
      #expect(throws: RawClient.Failure.self) { try client.response() }
    }
  }

  @Test func waitsForAReaderThatIsMerelySlow() async throws {
    let body = ResponseBody.bytes([UInt8](repeating: 0x61, count: 16 << 20))
    let clock = ManualClock()
    let limits = Self.limits {
      $0.sendWindow = .milliseconds(20)
      $0.sendWindowBytes = 1
    }
    try await withServer(limits: limits, clock: clock) { request in
      .respond(request.path == "/large" ? HTTPResponse(.ok, [:], body) : .text("still here"))
    } while: { live in
      let client = try live.client(receiveBuffer: 64 << 10)
      try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
      // The window has begun by then.
      try client.skip(2 << 20)
      try live.letATickPass()
      // More each time than the kernel's buffers hold, so that some of it was acknowledged since the last time.
      for _ in 0..<5 {
        try client.skip(2 << 20)
        clock.advance(milliseconds: 21)
        try live.letATickPass()
      }
      try client.skip(4 << 20)
    }
  }

  @Test func readsDeadlinesFromAnyDuration() {
    let times = LoopTimes(Self.limits { $0.headTimeout = .seconds(1 << 60) })
    #expect(times.head == 31_536_000_000)
    #expect(times.tick == 500)
    #expect(LoopTimes(.standard).linger == 2000)
    #expect(LoopTimes(Self.limits { $0.idleTimeout = .milliseconds(-5) }).tick == 5)
  }
}

extension LiveServer {
  /// Comes back when the loop has looked at its deadlines since the call: it does so after the requests of a wake-up,
  /// and answers the second one in a later wake-up than the first.
  func letATickPass() throws {
    let client = try client()
    for _ in 0..<2 {
      try client.send("GET /tick HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try client.response()
    }
  }

  /// Comes back when a sender cannot go on: turn after turn the loop took nothing of what it sends.
  func untilStuck(_ sender: Sender) throws {
    var last = -1
    var quietTurns = 0
    while quietTurns < 50 {
      try letATickPass()
      let sent = sender.sent
      quietTurns = sent == last && sent > 0 ? quietTurns + 1 : 0
      last = sent
    }
  }
}

/// A number that several threads add to.
private final class Count: Sendable {
  private let total = Atomic(0)

  var value: Int { total.load(ordering: .sequentiallyConsistent) }

  func add(_ count: Int) { total.add(count, ordering: .sequentiallyConsistent) }
}
