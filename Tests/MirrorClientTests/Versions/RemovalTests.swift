import DepotModel
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct RemovalTests {
  @Test func leavesNothingOfAGame() async throws {
    let bench = try Bench()
    for name in ["game", "other"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync()
    try bench.depot.publish("game", "2", "newer")
    try await bench.sync()
    _ = try await bench.mirror().rollBack(game("game"), to: nil, lockWait: .zero)
    try await bench.mirror().remove(game("game"), lockWait: .zero)
    #expect(bench.folder.names("mirror/games") == ["other"])
    #expect(bench.folder.names("mirror/packages") == ["other"])
    #expect(try bench.mirror().status().games.map(\.id.text) == ["other"])
    #expect(bench.page("other") == "other")
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func comesBackWithTheNextSyncUnlessItIsExcluded() async throws {
    let bench = try Bench()
    for name in ["game", "other"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync()
    try await bench.mirror().remove(game("game"), lockWait: .zero)
    bench.fetcher.forget()
    try await bench.sync(Bench.options(excluded: ["game"]))
    #expect(bench.page("game") == nil && bench.fetcher.fetched == [])
    try await bench.sync()
    #expect(bench.page("game") == "game" && bench.fetcher.fetched == ["game 1"])
  }

  @Test func takesItsUnfinishedDownloadsButNotThoseOfOthers() async throws {
    let bench = try Bench()
    let mine = try bench.depot.publish("game", "1", "mine")
    let shared = try bench.depot.publish("twin", "1", "shared")
    try bench.depot.publish("double", "1", "shared")
    for name in ["game", "twin", "double"] { bench.fetcher.fail(name, with: .download(reason: "no")) }
    try await bench.sync()
    for release in [mine, shared] {
      try bench.folder.write("half", to: "mirror/partial/\(release.sha256.hex).part")
    }
    try bench.folder.write("index", to: "mirror/partial/\(mine.sha256.hex).index")
    try await bench.mirror().remove(game("game"), lockWait: .zero)
    #expect(bench.folder.names("mirror/partial") == ["\(shared.sha256.hex).part"])
    await #expect(throws: MirrorError.notInstalled("nobody")) {
      try await bench.mirror().remove(game("nobody"), lockWait: .zero)
    }
  }

  @Test func takesAFolderThatNoRecordSpeaksOf() async throws {
    let bench = try Bench()
    try bench.depot.publish("other", "1", "x")
    try await bench.sync()
    try bench.folder.write("x", to: "mirror/games/game/versions/1/index.html")
    try await bench.mirror().remove(game("game"), lockWait: .zero)
    #expect(bench.folder.names("mirror/games") == ["other"])
  }
}
