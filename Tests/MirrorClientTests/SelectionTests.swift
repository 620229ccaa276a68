import DepotModel
import Testing

@testable import MirrorClient

@Suite struct SelectionTests {
  @Test func mirrorsOnlyWhatIsNamed() async throws {
    let bench = try Bench()
    for name in ["a", "b", "c"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync(Bench.options(only: ["a", "c"], excluded: ["c"]))
    #expect(bench.folder.names("mirror/games") == ["a"])
  }

  @Test func patternsAddToNamesAndExclusionsBeatBoth() async throws {
    let bench = try Bench()
    for name in ["chess", "puzzle-1", "puzzle-2", "puzzle-beta", "quiz"] {
      try bench.depot.publish(name, "1", name)
    }
    try await bench.sync(Bench.options(only: ["quiz"], included: ["puzzle-*"], excluded: ["*-beta"]))
    #expect(bench.folder.names("mirror/games") == ["puzzle-1", "puzzle-2", "quiz"])
  }

  @Test func looksAgainWhenTheSelectionChanges() async throws {
    let bench = try Bench()
    for name in ["a", "b"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync(Bench.options(only: ["a"]))
    bench.depot.forgetRequests()
    try await bench.sync(Bench.options())
    #expect(bench.page("b") == "b")
    #expect(bench.depot.requests.first == "since 2")
    #expect(bench.fetcher.fetched == ["a 1", "b 1"])
  }

  @Test func aNameTheServerDoesNotHaveIsAFailure() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    let report = try await bench.sync(Bench.options(only: ["a", "nosuch"]))
    #expect(report.exitCode == 1)
    #expect(bench.result(report, "nosuch") == .failed(.unknownGame("nosuch")))
    #expect(bench.page("a") == "a")
  }

  @Test func anotherChannelIsListedWhole() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    try await bench.sync()
    bench.depot.forgetRequests()
    let beta = try #require(ChannelName("beta"))
    try await bench.sync(Bench.options(channel: beta))
    #expect(bench.depot.requests == ["listing "])
  }

  @Test func atMostSoManyDownloadsAtATime() async throws {
    let bench = try Bench()
    for number in 0..<12 { try bench.depot.publish("game\(number)", "1", "x") }
    try await bench.sync(Bench.options(concurrency: 3))
    #expect(bench.fetcher.mostActive <= 3)
    #expect(bench.fetcher.fetched.count == 12)
    #expect(bench.folder.names("mirror/games").count == 12)
  }
}
