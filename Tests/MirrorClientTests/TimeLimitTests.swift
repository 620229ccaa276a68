import DepotModel
import Testing

@testable import MirrorClient

@Suite struct TimeLimitTests {
  @Test func noTimeBeginsNothing() async throws {
    let bench = try Bench()
    for name in ["a", "b"] { try bench.depot.publish(name, "1", name) }
    let report = try await bench.sync(Bench.options(within: .zero))
    #expect(try report.left == [game("a"), game("b")])
    #expect(report.exitCode == 1 && report.outcomes == [])
    #expect(bench.fetcher.fetched == [])
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("a") == "a" && bench.page("b") == "b")
  }

  @Test func whenItIsOverDownloadsStopAndTheNextRunGoesOn() async throws {
    let bench = try Bench()
    for number in 0..<9 { try bench.depot.publish("game\(number)", "1", "\(number)") }
    bench.fetcher.holdBack()
    let fetcher = bench.fetcher
    let mirror = bench.mirror(sleep: { _ in while fetcher.waiting < 2 { await Task.yield() } })
    let report = try await bench.sync(Bench.options(within: .seconds(3600)), by: mirror)
    #expect(report.left.count == 9 && report.exitCode == 1 && report.failures.isEmpty)
    #expect(bench.folder.names("mirror/partial").count >= 2)
    #expect(try mirror.status().lastSync?.summary == "0 changed, 0 failed, 9 left")
    bench.fetcher.letGo()
    let next = try await bench.sync()
    #expect(next.exitCode == 0 && bench.folder.names("mirror/games").count == 9)
    #expect(bench.folder.names("mirror/partial") == [])
  }

  @Test func aRunThatEndsInTimeWaitsForNothing() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    // Returns only when it is cancelled.
    let mirror = bench.mirror(sleep: { _ in
      let (endless, continuation) = AsyncStream.makeStream(of: Void.self)
      for await _ in endless {}
      withExtendedLifetime(continuation) {}
      throw CancellationError()
    })
    #expect(try await bench.sync(Bench.options(within: .seconds(3600)), by: mirror).exitCode == 0)
  }
}
