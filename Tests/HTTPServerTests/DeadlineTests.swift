import Glibc
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
    try await withServer(limits: Self.limits { $0.headTimeout = .milliseconds(200) }) { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\n")
      var sent = 0
      while sent < 100, (try? client.send("X\(sent): y\r\n")) != nil,
        live.open > 0
      {
        sent += 1
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(sent < 100)
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
    try await withServer(limits: limits, RequestBodyTests.digest) { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc")
      let dripping = Sender(client, [0x61], times: 1_000_000)
      let thread = try PosixThread(name: "drip") { dripping.drip() }
      try await eventually { live.open == 0 }
      thread.join()
    }
  }

  @Test func givesTimeToABodyThatComesSteadily() async throws {
    let limits = Self.limits {
      // Any progress will do, so that only the windows' number is left to a busy machine.
      $0.bodyWindow = .milliseconds(20)
      $0.bodyWindowBytes = 0
    }
    try await withServer(limits: limits, RequestBodyTests.digest) { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n")
      for _ in 0..<30 {
        try client.send([UInt8](repeating: 0x61, count: 1000))
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(
        try client.response().text == RequestBodyTests.expected([UInt8](repeating: 0x61, count: 30_000)))
    }
  }

  @Test func doesNotBlameTheClientForASlowHandler() async throws {
    let gate = Gate()
    try await withServer(limits: Self.limits { $0.bodyWindow = .milliseconds(40) }) { _ in
      .later { body in
        await gate.passed()
        return .text("\((try? await body.collect(limit: 100))?.count ?? -1)")
      }
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
      try await Task.sleep(for: .milliseconds(120))
      gate.open()
      #expect(try client.response().text == "3")
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
    let body = ResponseBody.bytes([UInt8](repeating: 0x61, count: 8 << 20))
    let limits = Self.limits {
      $0.sendWindow = .milliseconds(20)
      $0.sendWindowBytes = 0
    }
    try await withServer(limits: limits) { _ in
      .respond(HTTPResponse(.ok, [:], body))
    } while: { live in
      let client = try live.client(receiveBuffer: 64 << 10)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      for _ in 0..<16 {
        try client.skip(256 << 10)
        try await Task.sleep(for: .milliseconds(30))
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

extension Sender {
  /// Sends one byte after another with pauses, until the connection breaks.
  func drip() {
    while sent < 1_000_000, (try? client.send([0x61])) != nil { usleep(5000) }
  }
}
