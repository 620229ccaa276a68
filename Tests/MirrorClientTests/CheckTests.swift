import DepotModel
import Testing

@testable import MirrorClient

@Suite struct CheckTests {
  @Test func readsAllPages() async throws {
    let bench = try Bench()
    for number in 10..<35 { try bench.depot.publish("game\(number)", "1", "\(number)") }
    bench.depot.setPageSize(10)
    try await bench.sync(Bench.options(unpacks: false))
    #expect(bench.depot.requests == ["listing ", "listing game19", "listing game29"])
    #expect(bench.fetcher.fetched.count == 25)
  }

  @Test func anotherCatalogueIsListedWhole() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    try await bench.sync()
    bench.depot.restore(as: "another")
    bench.depot.forgetRequests()
    let report = try await bench.sync()
    #expect(bench.depot.requests == ["since 1", "listing "])
    #expect(report.exitCode == 0)
    bench.depot.forgetRequests()
    try await bench.sync()
    #expect(bench.depot.requests == ["since 1"])
  }

  @Test func aGameThatCannotBeReadFailsAloneAndIsAskedForAgain() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    bench.depot.offerUnreadable(UnreadableGame(game: "../evil", reason: "gameId: no id"))
    let report = try await bench.sync()
    #expect(report.failures.map(\.game) == ["../evil"])
    #expect(report.exitCode == 1 && report.revision == nil)
    #expect(bench.page("a") == "a")
    bench.depot.forgetRequests()
    bench.depot.offerUnreadable()
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.depot.requests == ["listing "])
  }

  @Test func anUnreadableChangeHoldsTheRevisionBack() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    try await bench.sync()
    try bench.depot.publish("a", "2", "b")
    bench.depot.offerUnreadable(UnreadableGame(game: "x", reason: "no"))
    #expect(try await bench.sync().exitCode == 1)
    #expect(bench.page("a") == "b")
    bench.depot.offerUnreadable()
    bench.depot.forgetRequests()
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.depot.requests == ["since 1"])
  }

  @Test func aServerThatCannotBeReachedChangesNothing() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    try await bench.sync()
    bench.depot.fail(with: .unreachable(url: "u", reason: "refused"))
    await #expect(throws: MirrorError.unreachable(url: "u", reason: "refused")) { try await bench.sync() }
    #expect(bench.page("a") == "a")
    #expect(try bench.mirror().status().lastSync?.exitCode == 69)
  }

  @Test func pagesThatRunInACircleEnd() async throws {
    let source = CirclingDepot(games: [.failure(UnreadableGame(game: "x", reason: "no"))])
    let check = Check(source: source, channel: .stable, serverName: "s")
    await #expect(throws: MirrorError.badAnswer(url: "s", reason: "its pages run in a circle")) {
      try await check.run(since: nil)
    }
    await #expect(throws: MirrorError.badAnswer(url: "s", reason: "its pages run in a circle")) {
      try await check.run(since: CataloguePoint(catalogue: "c", revision: 1))
    }
  }

  @Test func pagesOfNothingEnd() async throws {
    let check = Check(source: CirclingDepot(), channel: .stable, serverName: "s")
    let error = MirrorError.badAnswer(url: "s", reason: "a page without games names a next one")
    await #expect(throws: error) { try await check.run(since: nil) }
    await #expect(throws: error) { try await check.run(since: CataloguePoint(catalogue: "c", revision: 1)) }
  }

  @Test func aRevisionThatWentBackIsListedWhole() async throws {
    let check = Check(source: CirclingDepot(ends: true), channel: .stable, serverName: "s")
    let answer = try await check.run(since: CataloguePoint(catalogue: "c", revision: 100))
    #expect(answer.isComplete)
  }
}

private struct CirclingDepot: DepotSource {
  var ends = false
  var games: [OfferedGame] = []
  var name: String { "s" }

  func listing(channel: ChannelName, after cursor: String?) async throws(MirrorError) -> ListingPage {
    ListingPage(catalogue: "c", revision: 5, games: games, next: ends ? nil : cursor == "a" ? "b" : "a")
  }

  func changes(
    since point: CataloguePoint, channel: ChannelName, after cursor: String?
  ) async throws(MirrorError) -> ChangesAnswer {
    .page(ChangesPage(revision: 5, changed: games, removed: [], next: cursor == "a" ? "b" : "a"))
  }

  func manifest(of release: Release) async throws(MirrorError) -> UnpackingFacts {
    throw .badAnswer(url: "s", reason: "none")
  }
}
