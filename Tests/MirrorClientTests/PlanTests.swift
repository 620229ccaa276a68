import DepotModel
import Foundation
import Platform
import Testing

@testable import MirrorClient

@Suite struct PlanTests {
  private func plan(_ bench: Bench, _ options: SyncOptions = Bench.options()) async throws -> SyncPlan {
    try await bench.mirror().plan(from: bench.depot, options: options)
  }

  private func actions(_ plan: SyncPlan) -> [String] { plan.games.map { "\($0.game) \($0.action.rawValue)" } }

  @Test func tellsWhatASyncWouldDo() async throws {
    let bench = try Bench()
    let first = try bench.depot.publish("back", "1", "one")
    for name in ["gone", "same", "up"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync()
    try bench.depot.publish("back", "2", "two")
    try await bench.sync()
    bench.depot.rollBack(to: first)
    try bench.depot.remove("gone")
    let new = try bench.depot.publish("new", "1", "new")
    let up = try bench.depot.publish("up", "2", "up", extra: 1)
    bench.depot.forgetHistory()
    let plan = try await plan(bench, Bench.options(deleting: .percent(50)))
    #expect(actions(plan) == ["back activate", "gone remove", "new install", "same unchanged", "up update"])
    #expect(plan.games[4].installed?.text == "1" && plan.games[4].version?.text == "2")
    #expect(plan.bytesToFetch == new.size + up.size)
    #expect(plan.bytesToWrite == new.size + up.size + 2000 && plan.filesToWrite == 6)
    #expect(plan.exitCode == 0 && plan.isEnough && plan.untouched == 0)
    let report = try await bench.sync(Bench.options(deleting: .percent(50)))
    #expect(report.outcomes.count { $0.result.isChange } == 4 && report.bytesFetched == plan.bytesToFetch)
  }

  @Test func changesNothing() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    try await bench.sync()
    try bench.depot.publish("a", "2", "b")
    try bench.depot.publish("b", "1", "b")
    let before = try bench.folder.everything()
    let lock = try await MirrorLock.acquire(in: try Directory(path: bench.destination), wait: .zero)
    #expect(try await actions(plan(bench)) == ["a update", "b install"])
    #expect(try await actions(plan(bench, Bench.options(only: ["b", "c"]))) == ["b install", "c fail"])
    #expect(try bench.folder.everything() == before)
    #expect(bench.fetcher.fetched == ["a 1"])
    withExtendedLifetime(lock) {}
  }

  @Test func needsNoMirror() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    let plan = try await plan(bench)
    #expect(actions(plan) == ["a install"])
    #expect(plan.devices.map(\.folders) == [["games", "packages", "partial"]])
    #expect(bench.folder.names(".") == [])
  }

  @Test func countsWhatIsHereOfAPackage() async throws {
    let bench = try Bench()
    let release = try bench.depot.publish("a", "1", "a")
    bench.fetcher.fail("a", with: .download(reason: "no"))
    try await bench.sync()
    try bench.folder.write("0123456789", to: "mirror/partial/\(release.sha256.hex).part")
    #expect(try await plan(bench).bytesToFetch == release.size - 10)
  }

  @Test func aSyncAsksWhatAPackageHoldsOnce() async throws {
    let bench = try Bench()
    for number in 0..<30 { try bench.depot.publish("game\(number)", "1", "x") }
    try await bench.sync()
    #expect(bench.depot.requests.count { $0.hasPrefix("manifest") } == 30)
  }

  @Test func tellsItInWordsAndAsJSON() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    try await bench.sync()
    let release = try bench.depot.publish("a", "2", "b")
    bench.depot.offerUnreadable(UnreadableGame(game: "../evil\u{1b}", reason: "no id"))
    let plan = try await plan(bench)
    let lines = plan.text.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("fail ../evil\u{FFFD}: unusable answer"))
    #expect(lines[1].hasPrefix("update a 1 -> 2: \(release.size) B to fetch, "))
    #expect(lines[2].hasPrefix("in all: 1 to update, 1 to fail, 0 unchanged; \(release.size) B to fetch"))
    #expect(
      lines[3].hasPrefix("room: \(bench.destination)")
        && lines[3].contains("(games, packages, partial): needs "))
    let json = try #require(JSONSerialization.jsonObject(with: Data(plan.json.utf8)) as? [String: Any])
    #expect(json["exitCode"] as? Int == 1 && json["isEnough"] as? Bool == true)
    let games = try #require(json["games"] as? [[String: Any]])
    #expect(games.map { $0["action"] as? String } == ["fail", "update"])
    #expect(games[1]["gameId"] as? String == "a" && games[1]["h5Version"] as? String == "2")
    #expect(games[1]["installed"] as? String == "1" && games[1]["bytesToFetch"] as? Int64 == release.size)
  }

  @Test func countsGamesNothingNewIsKnownOf() async throws {
    let bench = try Bench()
    for number in 0..<5 { try bench.depot.publish("game\(number)", "1", "x") }
    try await bench.sync()
    let plan = try await plan(bench)
    #expect(plan.games == [] && plan.untouched == 5)
    #expect(plan.text.hasPrefix("in all: 5 unchanged; 0 B to fetch"))
  }
}
