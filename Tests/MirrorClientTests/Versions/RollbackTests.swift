import DepotModel
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct RollbackTests {
  /// Versions 1 and 2 stand, 2 is in use.
  private func bench(_ options: SyncOptions = Bench.options()) async throws -> Bench {
    let bench = try Bench()
    for (version, page) in [("1", "one"), ("2", "two")] {
      try bench.depot.publish("game", version, page, extra: 2, at: 1_790_000_000)
      try await bench.sync(options)
    }
    bench.depot.fail(with: .unreachable(url: "u", reason: "no network"))
    return bench
  }

  private func rollBack(_ bench: Bench, to text: String? = nil) async throws -> Rollback {
    try await bench.mirror().rollBack(
      game("game"), to: try text.map { try version($0) }, lockWait: .zero)
  }

  @Test func bringsBackTheVersionBeforeWithoutANetwork() async throws {
    let bench = try await bench()
    let done = try await rollBack(bench)
    #expect(try done == Rollback(id: game("game"), from: version("2"), to: version("1")))
    #expect(bench.page("game") == "one" && bench.current("game") == "versions/1")
    #expect(try bench.mirror().installedGames().map(\.version) == [version("1")])
    #expect(bench.versions("game") == ["1", "2"])
    #expect(try bench.mirror().status().games.map(\.state) == [.held])
    #expect(try bench.mirror().status().text.contains("held at 1, offered: 2"))
  }

  @Test func syncsLeaveItAloneUntilSomethingNewerComes() async throws {
    let bench = try await bench()
    _ = try await rollBack(bench)
    bench.depot.fail(with: nil)
    bench.fetcher.forget()
    // Nothing new, a listing, other options: whatever makes a sync look at it.
    for options in [Bench.options(), Bench.options(only: ["game"]), Bench.options()] {
      bench.depot.forgetHistory()
      let report = try await bench.sync(options)
      #expect(report.exitCode == 0 && bench.page("game") == "one")
    }
    #expect(bench.fetcher.fetched == [])
    // The same offer once more, as after a change of its notes.
    try bench.depot.publish("game", "2", "two", extra: 2, at: 1_790_000_000)
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "one")
    // Older than what was offered: the server went back further than we did.
    try bench.depot.publish("game", "0", "zero", at: 1_789_999_999)
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "one")
    try bench.depot.publish("game", "3", "three", at: 1_790_000_001)
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "three")
    #expect(try bench.mirror().status().games.map(\.hold) == [nil])
  }

  @Test func endsWhenItIsReleased() async throws {
    let bench = try await bench()
    _ = try await rollBack(bench)
    #expect(try await bench.mirror().endHold(of: game("game"), lockWait: .zero))
    #expect(try await !bench.mirror().endHold(of: game("game"), lockWait: .zero))
    #expect(bench.page("game") == "one")
    bench.depot.fail(with: nil)
    bench.fetcher.forget()
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "two" && bench.fetcher.fetched == [])
  }

  @Test func goesToAnyKeptVersion() async throws {
    let bench = try await bench()
    bench.depot.fail(with: nil)
    try bench.depot.publish("game", "3", "three")
    try await bench.sync(Bench.options(keep: 3))
    _ = try await rollBack(bench, to: "1")
    #expect(bench.page("game") == "one")
    _ = try await rollBack(bench, to: "3")
    #expect(bench.page("game") == "three")
    // The one that is in use: it stays, and is held.
    let stay = try await rollBack(bench, to: "3")
    #expect(stay.from == stay.to && bench.page("game") == "three")
  }

  @Test func knowsWhatItDoesNotHave() async throws {
    let bench = try await bench()
    await #expect(throws: MirrorError.noSuchVersion(game: "game", version: "9", kept: ["2", "1"])) {
      try await rollBack(bench, to: "9")
    }
    await #expect(throws: MirrorError.notInstalled("other")) {
      try await bench.mirror().rollBack(game("other"), to: nil, lockWait: .zero)
    }
    bench.depot.fail(with: nil)
    try bench.depot.publish("single", "1", "x")
    try await bench.sync()
    await #expect(throws: MirrorError.noSuchVersion(game: "single", version: nil, kept: ["1"])) {
      try await bench.mirror().rollBack(game("single"), to: nil, lockWait: .zero)
    }
    #expect(bench.page("game") == "two")
  }

  @Test(arguments: ["missing", "short", "extra", "folder"])
  func aDamagedVersionIsNotGoneBackTo(damage: String) async throws {
    let bench = try await bench()
    let name = "mirror/games/game/versions/1/img/0.txt"
    switch damage {
    case "missing": try bench.folder.remove(name)
    case "short":
      try bench.folder.remove(name)
      try bench.folder.write("x", to: name)
    case "extra": try bench.folder.write("x", to: "mirror/games/game/versions/1/js/more.js")
    default: try bench.folder.remove("mirror/games/game/versions/1")
    }
    do {
      _ = try await rollBack(bench)
      Issue.record("went back to a damaged version")
    } catch let error as MirrorError {
      guard case .damaged(let version, let findings) = error else { throw error }
      #expect(version == "1" && !findings.isEmpty && error.exitCode == 65)
    }
    #expect(bench.page("game") == "two")
    #expect(try bench.mirror().status().games.map(\.hold) == [nil])
  }

  @Test func needsNoPackage() async throws {
    let bench = try await bench(Bench.options(keepsPackages: false))
    #expect(bench.packages("game") == [])
    _ = try await rollBack(bench)
    #expect(bench.page("game") == "one")
    bench.depot.fail(with: nil)
    bench.depot.forgetHistory()
    #expect(try await bench.sync(Bench.options(keepsPackages: false)).exitCode == 0)
    #expect(bench.page("game") == "one")
  }

  @Test func aHeldVersionThatIsGoneIsToldAndNotReplaced() async throws {
    let bench = try await bench()
    _ = try await rollBack(bench)
    try bench.folder.remove("mirror/games/game/versions/1")
    bench.depot.fail(with: nil)
    let report = try await bench.sync()
    #expect(bench.result(report, "game") == .failed(.heldButGone(version: "1")))
    #expect(report.exitCode == 1)
    #expect(try await bench.verify(repairs: true, fetches: false).exitCode == 0)
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "one")
  }

  @Test func putsBackTheLinkOfAHeldGame() async throws {
    let bench = try await bench()
    _ = try await rollBack(bench)
    try bench.folder.remove("mirror/games/game/current")
    bench.depot.fail(with: nil)
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "one")
  }

  @Test func waitsForNobodyWhoHoldsTheLock() async throws {
    let bench = try await bench()
    bench.depot.fail(with: nil)
    try bench.depot.publish("game", "3", "three")
    bench.fetcher.holdBack()
    let sync = Task { try await bench.sync() }
    while bench.fetcher.waiting == 0 { await Task.yield() }
    await #expect(throws: MirrorError.locked(path: "\(bench.destination)/mirror.lock")) {
      try await rollBack(bench)
    }
    await #expect(throws: MirrorError.locked(path: "\(bench.destination)/mirror.lock")) {
      try await bench.mirror().remove(game("game"), lockWait: .zero)
    }
    await #expect(throws: MirrorError.locked(path: "\(bench.destination)/mirror.lock")) {
      try await bench.verify()
    }
    bench.fetcher.letGo()
    #expect(try await sync.value.exitCode == 0)
    #expect(bench.page("game") == "three")
  }
}
