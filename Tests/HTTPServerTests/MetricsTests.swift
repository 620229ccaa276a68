import HTTPWire
import TestSupport
import Testing

@testable import HTTPServer

/// What loops count, and when others see it.
@Suite struct MetricsTests {
  private func answer(_ kind: UInt8, _ status: HTTPStatus = .ok, _ text: String = "x") -> HTTPResponse {
    var response = HTTPResponse(status, [:], .bytes(Array(text.utf8)))
    response.kind = kind
    return response
  }

  @Test func countsAnswersByKindAndStatusWhoeverMakesThem() async throws {
    try await withServer({ [self] request in
      switch request.target {
      case "/later": .later { _ in answer(2) }
      case "/repeated": .repeatable(answer(3))
      case "/missing": .respond(answer(1, .notFound))
      default: .respond(answer(1))
      }
    }) { live in
      let client = try live.client()
      for target in ["/", "/later", "/missing", "/repeated", "/repeated", "/repeated", "/repeated"] {
        try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.response()
      }
      try client.send("NONSENSE\r\n\r\n")
      #expect(try client.response().status == 400)
      let expected: [TransportMetrics.Answers: UInt64] = [
        .init(kind: 1, status: 200): 1, .init(kind: 2, status: 200): 1, .init(kind: 1, status: 404): 1,
        .init(kind: 3, status: 200): 4, .init(kind: 0, status: 400): 1,
      ]
      try await eventually { live.server.metrics.answers == expected }
      let metrics = live.server.metrics
      #expect(metrics.times.reduce(0, +) == 8)
      #expect(metrics.accepted == 1 && metrics.refused == 0)
      #expect(metrics.received > 200 && metrics.sent > 500)
    }
  }

  @Test func tellsOfConnectionsAndOfThoseThatFoundNoRoom() async throws {
    var limits = HTTPServerLimits.patient
    limits.connections = 1
    try await withServer(limits: limits) { live in
      let first = try live.client()
      try first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try first.response()
      let second = try live.client()
      #expect(try second.response().status == 503)
      try await eventually {
        let metrics = live.server.metrics
        return metrics.accepted == 2 && metrics.refused == 1 && metrics.open >= 1
      }
    }
  }

  @Test func sortsTimesByTheirLimits() {
    var counters = LoopCounters()
    counters.count(kind: 0, status: 200, after: 100_000)
    counters.count(kind: 0, status: 200, after: 100_001 * 1000)
    counters.count(kind: 0, status: 200, after: .max)
    counters.count(kind: 0, status: 200, after: -5)
    counters.count(kind: 255, status: 999)
    counters.count(kind: 255, status: 0)
    #expect(counters.hasAnswered)
    counters.endWake(after: 260_000)
    #expect(!counters.hasAnswered)
    let metrics = counters.metrics(open: 3)
    #expect(metrics.times.first == 2 && metrics.times.last == 1)
    #expect(metrics.times[2] == 2 && metrics.times[10] == 1)
    #expect(metrics.answers[.init(kind: 255, status: 599)] == 1)
    #expect(metrics.answers[.init(kind: 255, status: 100)] == 1)
    #expect(metrics.open == 3)
  }

  @Test func sumsAreThoseOfAllLoops() {
    var counters = LoopCounters()
    counters.count(kind: 1, status: 200, after: 5)
    counters.sent = 7
    var sum = counters.metrics(open: 1)
    sum.add(counters.metrics(open: 2))
    #expect(sum.answers == [.init(kind: 1, status: 200): 2] && sum.sent == 14 && sum.open == 3)
    #expect(sum.times.first == 2)
  }

  @Test func aLoopThatHangsIsNotTakenForAlive() async throws {
    let clock = ManualClock()
    try await withServer(clock: clock) { live in
      #expect(live.server.areLoopsAlive(within: .seconds(3600)))
      #expect(!live.server.areLoopsAlive(within: .seconds(-1)))
    }
  }
}
