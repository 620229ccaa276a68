import DepotModel
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct DeletionTests {
  private func bench(_ count: Int) async throws -> Bench {
    let bench = try Bench()
    for number in 0..<count { try bench.depot.publish("game\(number)", "1", "\(number)") }
    try await bench.sync()
    return bench
  }

  private let tenPercent = Bench.options(deleting: .percent(10))

  @Test func removesWhatTheServerRemoved() async throws {
    let bench = try await bench(10)
    try bench.depot.publish("game3", "2", "again")
    try await bench.sync()
    try bench.depot.remove("game3")
    let report = try await bench.sync(tenPercent)
    #expect(try bench.result(report, "game3") == .removed(version("2")))
    #expect(report.exitCode == 0 && report.removedOnServer == [] && report.heldDeletion == nil)
    #expect(!bench.folder.exists("mirror/games/game3") && !bench.folder.exists("mirror/packages/game3"))
    #expect(try bench.mirror().status().games.count == 9)
    bench.depot.forgetRequests()
    #expect(try await bench.sync(tenPercent).outcomes == [])
    #expect(bench.depot.requests == ["since 12"])
  }

  @Test func removesWhatIsMissingInAWholeListing() async throws {
    let bench = try await bench(10)
    try bench.depot.remove("game3")
    bench.depot.forgetHistory()
    #expect(try await bench.sync(tenPercent).exitCode == 0)
    #expect(bench.folder.names("mirror/games").count == 9)
  }

  @Test func moreThanTheLimitAllowsDeletesNothingButUpdates() async throws {
    let bench = try await bench(20)
    for number in 0..<3 { try bench.depot.remove("game\(number)") }
    try bench.depot.publish("game9", "2", "new")
    let report = try await bench.sync(tenPercent)
    #expect(report.exitCode == 25)
    #expect(
      report.heldDeletion
        == HeldDeletion(games: 3, installed: 20, reason: .tooMany(limit: .percent(10), allowed: 2)))
    #expect(report.removedOnServer.count == 3)
    #expect(bench.folder.names("mirror/games").count == 20 && bench.page("game9") == "new")
    // It goes on being told, though the server says nothing new.
    #expect(try await bench.sync(tenPercent).exitCode == 25)
    #expect(try await bench.sync(Bench.options(deleting: .count(3))).exitCode == 0)
    #expect(bench.folder.names("mirror/games").count == 17)
  }

  @Test func anEmptyCatalogueDeletesNothingUntilSomebodySaysSo() async throws {
    let bench = try await bench(1)
    try bench.depot.remove("game0")
    for _ in 0..<2 {
      let report = try await bench.sync(Bench.options(deleting: .count(5)))
      #expect(report.exitCode == 25)
      #expect(try #require(report.heldDeletion).description.contains("run once with --max-delete 100%"))
    }
    #expect(bench.page("game0") == "0")
    #expect(try await bench.sync(Bench.options(deleting: .percent(100))).exitCode == 0)
    #expect(bench.folder.names("mirror/games") == [])
  }

  @Test(arguments: [true, false])
  func anotherOrAnOlderCatalogueDeletesNothing(isAnother: Bool) async throws {
    let bench = try await bench(20)
    try bench.depot.remove("game3")
    if isAnother { bench.depot.restore(as: "another") } else { bench.depot.setRevision(7) }
    // Seen first by a run that deletes nothing anyway, and remembered.
    #expect(try await bench.sync().exitCode == 0)
    let report = try await bench.sync(tenPercent)
    #expect(report.exitCode == 25 && bench.page("game3") == "3")
    guard case .doubt = report.heldDeletion?.reason else {
      Issue.record("\(report)")
      return
    }
    // Once nothing is missing it is believed again.
    try bench.depot.publish("game3", "1", "3")
    #expect(try await bench.sync(tenPercent).exitCode == 0)
    try bench.depot.remove("game4")
    #expect(try await bench.sync(tenPercent).exitCode == 0)
    #expect(bench.page("game4") == nil && bench.page("game3") == "3")
  }

  @Test func gamesThatAreNotSelectedStay() async throws {
    let bench = try await bench(10)
    try bench.depot.remove("game3")
    let options = Bench.options(excluded: ["game3", "game4"], deleting: .percent(10))
    let report = try await bench.sync(options)
    #expect(report.exitCode == 0 && bench.page("game3") == "3" && bench.page("game4") == "4")
  }

  @Test func anAnswerThatCannotBeReadInFullDeletesNothing() async throws {
    let bench = try await bench(10)
    try bench.depot.remove("game3")
    bench.depot.offerUnreadable(UnreadableGame(game: "(unreadable game)", reason: "no gameId"))
    bench.depot.forgetHistory()
    let report = try await bench.sync(tenPercent)
    #expect(report.heldDeletion?.reason == .unreadable && report.exitCode == 1)
    #expect(bench.page("game3") == "3")
  }

  @Test func aGameThatFailsOutranksOneThatStays() async throws {
    let bench = try await bench(20)
    for number in 0..<3 { try bench.depot.remove("game\(number)") }
    try bench.depot.publish("game9", "2", "new")
    bench.fetcher.fail("game9", with: .download(reason: "no"))
    #expect(try await bench.sync(tenPercent).exitCode == 1)
  }

  @Test func aRemovalThatFailsIsFinishedByTheNextRunWithoutTheServer() async throws {
    let bench = try await bench(10)
    try bench.depot.remove("game3")
    let report = try await bench.sync(tenPercent, volume: FaultyVolume(failing: 2, errno: 5))
    #expect(report.exitCode == 73 && bench.page("game3") == nil)
    try bench.folder.write("half", to: "mirror/games/game3/versions/1/index.html")
    bench.depot.fail(with: .unreachable(url: "u", reason: "no"))
    await #expect(throws: MirrorError.self) { try await bench.sync() }
    #expect(!bench.folder.exists("mirror/games/game3"))
  }

  @Test func aDeletedGameComesBackWithTheServer() async throws {
    let bench = try await bench(10)
    try bench.depot.remove("game3")
    try await bench.sync(tenPercent)
    try bench.depot.publish("game3", "2", "back")
    try await bench.sync(tenPercent)
    #expect(bench.page("game3") == "back" && bench.versions("game3") == ["2"])
  }

  @Test(arguments: zip(["0", "25", "0%", "10%", "100%"], [0, 25, 0, 1, 9]))
  func aLimitIsACountOrAPercentageOfWhatIsInstalled(text: String, allowed: Int) throws {
    #expect(try #require(DeletionLimit(text)).allowed(of: 9) == allowed)
    #expect(DeletionLimit(text)?.text == text)
  }

  @Test(arguments: ["", "%", "-1", "101%", "1.5%", "ten", "1 %", "10%%", "99999999999999999999"])
  func otherLimitsAreNone(text: String) { #expect(DeletionLimit(text) == nil) }
}
