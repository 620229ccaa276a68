import DepotService
import HTTPWire
import TestSupport
import Testing

/// `/metrics`.
@Suite struct DepotMetricsTests {
  private let fixture: DepotFixture

  init() async throws {
    fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1", Samples.game())
    try await fixture.publish("gameId=a&h5Version=1", Samples.game())
    try await fixture.publish("gameId=b&h5Version=1", [1, 2, 3])
  }

  /// The value of a line that begins so.
  private func value(_ name: String, in text: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.map {
      String($0.dropFirst(name.utf8.count + 1))
    }
  }

  @Test func tellsHowTheServerFares() async throws {
    fixture.handler.observe {
      var metrics = TransportMetrics()
      metrics.answers = [.init(kind: 5, status: 200): 12, .init(kind: 0, status: 404): 3]
      metrics.times[0] = 14
      metrics.times[metrics.times.count - 1] = 1
      metrics.time = 1_500_000
      (metrics.received, metrics.sent, metrics.accepted, metrics.refused, metrics.open) = (10, 20, 3, 1, 2)
      return metrics
    }
    let answer = try await fixture.ask("/metrics")
    #expect(answer.status == 200)
    #expect(answer.fields["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    #expect(answer.fields["Cache-Control"] == "no-store")
    let text = answer.text
    let checks = #"game_depot_http_requests_total{route="/games/{id}/check",status="200"}"#
    #expect(value(checks, in: text) == "12")
    #expect(value(#"game_depot_http_requests_total{route="other",status="404"}"#, in: text) == "3")
    let duration = "game_depot_http_request_duration_seconds"
    #expect(value(#"\#(duration)_bucket{le="0.000100"}"#, in: text) == "14")
    #expect(value(#"\#(duration)_bucket{le="10.000000"}"#, in: text) == "14")
    #expect(value(#"\#(duration)_bucket{le="+Inf"}"#, in: text) == "15")
    #expect(value("\(duration)_sum", in: text) == "1.500000" && value("\(duration)_count", in: text) == "15")
    #expect(value(#"game_depot_uploads_total{outcome="published"}"#, in: text) == "1")
    #expect(value(#"game_depot_uploads_total{outcome="repeated"}"#, in: text) == "1")
    #expect(value(#"game_depot_uploads_total{outcome="refused"}"#, in: text) == "1")
    #expect(value("game_depot_uploads_running", in: text) == "0")
    #expect(value("game_depot_games", in: text) == "1" && value("game_depot_versions", in: text) == "1")
    #expect(value("game_depot_packages_bytes", in: text) == "\(Samples.game().count)")
    #expect(value("game_depot_http_connections", in: text) == "2")
    #expect(value("game_depot_disk_floor_bytes", in: text) == "0")
  }

  @Test func everyMetricIsExplainedOnceAndEveryLineHasANumber() async throws {
    let text = try await fixture.ask("/metrics").text
    var explained: Set<String> = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# TYPE ") {
        #expect(explained.insert(String(line.split(separator: " ")[2])).inserted, "\(line)")
      } else if !line.hasPrefix("#") {
        #expect(Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
        let name = String(line.prefix { $0 != "{" && $0 != " " })
        let family = ["_bucket", "_sum", "_count"].reduce(name) {
          $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0
        }
        #expect(explained.contains(name) || explained.contains(family), "\(line)")
      }
    }
    #expect(text.hasSuffix("\n") && explained.count > 15)
  }

  @Test func answersCountAsTheRouteTheyAreOf() async throws {
    func kind(_ method: String, _ target: String) async throws -> UInt8 {
      let head = try request(method, target, [:])
      switch fixture.handler.respond(to: head) {
      case .respond(let response), .repeatable(let response): return response.kind
      case .later(let work): return await work(BytesBody()).kind
      }
    }
    let targets: [(String, UInt8)] = [
      ("/games", 1), ("/games/check", 2), ("/games/a", 3), ("/games/a/versions", 4), ("/games/a/check", 5),
      ("/games/a/manifest", 6), ("/games/a/package.zip", 7), ("/games/a/versions/1", 8),
      ("/games/a/versions/1/manifest", 9), ("/games/a/versions/1/package.zip", 10),
      ("/games/a/versions/1/delta.json", 11), ("/games/a/versions/1/index", 12),
      ("/games/a/channels/stable", 15), ("/audit", 16), ("/healthz", 17), ("/readyz", 18), ("/metrics", 19),
      ("/openapi.yaml", 20), ("/nothing", 0), ("/games/%2e%2e", 0),
    ]
    for (target, expected) in targets {
      // The second time it may be kept ready, the third repeated.
      for _ in 0..<3 { #expect(try await kind("GET", target) == expected, "\(target)") }
    }
    #expect(try await kind("GET", "/games/unknown/check") == 5, "a refusal counts where it was asked for")
  }

  @Test func aDepotThatIsClosedTellsItsNumbersToTokenHoldersOnly() async throws {
    let closed = try DepotFixture { $0.requiresReadToken = true }
    #expect(try await closed.ask("/metrics").status == 401)
    #expect(try await closed.ask("GET", "/metrics", ["Authorization": "Bearer read-token"]).status == 200)
  }
}
