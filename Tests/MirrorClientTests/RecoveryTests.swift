import DepotModel
import Testing

@testable import MirrorClient

@Suite struct RecoveryTests {
  @Test func rebuildsALostStoreWithoutFetching() async throws {
    let bench = try Bench()
    for name in ["a", "b"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync()
    for name in ["mirror.sqlite", "mirror.sqlite-wal", "mirror.sqlite-shm"] {
      try? bench.folder.remove("mirror/\(name)")
    }
    bench.fetcher.forget()
    let report = try await bench.sync()
    #expect(report.exitCode == 0)
    #expect(bench.fetcher.fetched == [])
    #expect(bench.page("a") == "a" && bench.page("b") == "b")
    #expect(try bench.mirror().installedGames().count == 2)
  }

  @Test func bringsBackAGameSomebodyDeleted() async throws {
    let bench = try Bench()
    for name in ["a", "b"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync()
    try bench.folder.remove("mirror/games/a")
    #expect(try !bench.mirror().isInstalled(game("a")))
    bench.fetcher.forget()
    bench.depot.forgetRequests()
    let report = try await bench.sync()
    #expect(report.exitCode == 0)
    #expect(bench.page("a") == "a")
    #expect(bench.fetcher.fetched == [])
  }

  @Test func fetchesAPackageAgainThatSomebodyDeletedOrChanged() async throws {
    let bench = try Bench()
    for name in ["a", "b"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync()
    try bench.folder.remove("mirror/packages/a")
    try bench.folder.write("short", to: "mirror/packages/b/1.zip")
    bench.fetcher.forget()
    try await bench.sync()
    #expect(bench.fetcher.fetched == ["a 1", "b 1"])
    #expect(try bench.mirror().isInstalled(game("b")))
  }

  @Test func doesNotTrustAKeptPackageOfTheRightSize() async throws {
    let bench = try Bench()
    let release = try bench.depot.publish("a", "1", "a")
    try await bench.sync()
    try bench.folder.remove("mirror/games/a")
    try bench.folder.write(String(repeating: "x", count: Int(release.size)), to: "mirror/packages/a/1.zip")
    bench.fetcher.forget()
    try await bench.sync()
    #expect(bench.fetcher.fetched == ["a 1"])
    #expect(bench.page("a") == "a")
  }

  @Test(arguments: ["games/a/current", "games/a/versions/1", "packages/a/1.zip"])
  func bringsBackAPartOfAGameThoughTheServerHasNothingNew(part: String) async throws {
    let bench = try Bench()
    for name in ["a", "b"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync()
    try bench.folder.remove("mirror/\(part)")
    bench.depot.forgetRequests()
    let report = try await bench.sync()
    #expect(report.exitCode == 0 && report.failures.isEmpty)
    #expect(bench.page("a") == "a" && bench.packages("a") == ["1.zip"])
    #expect(bench.depot.requests.first == "since 2")
    #expect(try bench.mirror().isInstalled(game("a")))
    bench.depot.forgetRequests()
    #expect(try await bench.sync().outcomes == [])
  }

  @Test func putsALinkBackWhereSomebodyPutAFolder() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "one")
    try await bench.sync()
    for (number, text) in [(1, "one"), (2, "two")] {
      try bench.folder.remove("mirror/games/a/current")
      try bench.folder.write("a copy that followed links", to: "mirror/games/a/current/index.html")
      if number == 2 { try bench.depot.publish("a", "2", "two") }
      #expect(try await bench.sync().exitCode == 0)
      #expect(bench.current("a") == "versions/\(number)" && bench.page("a") == text)
      #expect(bench.leftovers("a") == [])
    }
  }

  @Test func replacesAFolderInThePlaceOfAPackage() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "one")
    try bench.folder.write("x", to: "mirror/packages/a/1.zip/x")
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("a") == "one")
    #expect(try bench.mirror().isInstalled(game("a")))
  }

  @Test func rebuildsAVersionFolderThatNoRecordSpeaksOf() async throws {
    let bench = try Bench()
    try bench.folder.write("half", to: "mirror/games/a/versions/1/index.html")
    try bench.folder.write("leftover", to: "mirror/games/a/.staging-1-01234567/index.html")
    try bench.depot.publish("a", "1", "whole")
    let report = try await bench.sync()
    #expect(report.exitCode == 0)
    #expect(bench.page("a") == "whole")
    #expect(bench.leftovers("a") == [])
  }

  @Test func removesPartialsThatNothingWants() async throws {
    let bench = try Bench()
    let orphan = String(repeating: "ab", count: 32)
    try bench.folder.write("x", to: "mirror/partial/\(orphan).part")
    try bench.folder.write("x", to: "mirror/partial/not-ours.txt")
    try bench.depot.publish("a", "1", "a")
    let failing = try bench.depot.publish("b", "1", "b")
    try bench.folder.write("x", to: "mirror/partial/\(failing.sha256.hex).part")
    bench.fetcher.fail("b", with: .download(reason: "no"))
    try await bench.sync()
    #expect(bench.folder.names("mirror/partial") == ["\(failing.sha256.hex).part", "not-ours.txt"].sorted())
  }

  @Test func removesWhatACrashWhileTidyingLeft() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "2", "two")
    try await bench.sync()
    // Forgotten, as pruning begins, and then the process died.
    try bench.folder.write("old", to: "mirror/games/a/versions/1/index.html")
    try bench.folder.write("old", to: "mirror/packages/a/1.zip")
    try bench.folder.write("mine", to: "mirror/packages/a/notes.txt")
    try bench.folder.write("x", to: "mirror/games/a/.current-01234567")
    try Store(root: bench.destination).markUnfinished()
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.versions("a") == ["2"])
    #expect(bench.packages("a") == ["2.zip", "notes.txt"])
    #expect(bench.leftovers("a") == [] && bench.page("a") == "two")
  }

  @Test func aDamagedStoreIsToldAndLeftAlone() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    try await bench.sync()
    for name in ["mirror.sqlite-wal", "mirror.sqlite-shm"] { try? bench.folder.remove("mirror/\(name)") }
    try bench.folder.write("no database at all, and long enough to be looked at", to: "mirror/mirror.sqlite")
    do {
      try await bench.sync()
      Issue.record("a damaged store was used")
    } catch {
      #expect(error.exitCode == 65)
      #expect(error.description.contains("move it away"))
    }
    #expect(bench.page("a") == "a")
  }
}
