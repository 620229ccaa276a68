import DepotModel
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct SyncRulesTests {
  @Test func fetchesAGameItDoesNotKnow() async throws {
    let bench = try Bench()
    let release = try bench.depot.publish("puzzle", "1.0", "one")
    let report = try await bench.sync()
    #expect(bench.result(report, "puzzle") == .installed(release.version))
    #expect(report.exitCode == 0)
    #expect(report.bytesFetched == release.size)
    #expect(bench.page("puzzle") == "one")
    #expect(bench.folder.text("mirror/games/puzzle/current/js/a.js") == "let a = \"1.0\"")
    #expect(bench.current("puzzle") == "versions/1.0")
    #expect(bench.packages("puzzle") == ["1.0.zip"])
    #expect(bench.leftovers("puzzle") == [])
    #expect(try bench.mirror().isInstalled(game("puzzle")))
    #expect(try bench.mirror().installedGames().map(\.version) == [release.version])
  }

  @Test func replacesAKnownGameByItsNewVersionAndKeepsTheOldOne() async throws {
    let bench = try Bench()
    try bench.depot.publish("puzzle", "1.0", "one")
    try await bench.sync()
    try bench.depot.publish("puzzle", "2.0", "two")
    let report = try await bench.sync()
    #expect(try bench.result(report, "puzzle") == .updated(version("2.0"), previous: version("1.0")))
    #expect(bench.page("puzzle") == "two")
    #expect(bench.versions("puzzle") == ["1.0", "2.0"])
    #expect(bench.packages("puzzle") == ["1.0.zip", "2.0.zip"])
  }

  @Test func nothingToDoIsOneRequest() async throws {
    let bench = try Bench()
    for number in 0..<5 { try bench.depot.publish("game\(number)", "1", "x") }
    try await bench.sync()
    bench.depot.forgetRequests()
    let report = try await bench.sync()
    #expect(bench.depot.requests == ["since 5"])
    #expect(report.outcomes == [] && report.exitCode == 0)
    #expect(bench.fetcher.fetched.count == 5)
  }

  @Test func twoGamesMayHaveTheVerySamePackage() async throws {
    let bench = try Bench()
    for name in ["a", "b", "c"] { try bench.depot.publish(name, "1", "the same") }
    let report = try await bench.sync(Bench.options(concurrency: 3))
    #expect(report.exitCode == 0)
    for name in ["a", "b", "c"] { #expect(bench.page(name) == "the same") }
  }

  @Test func asksForNoPackageThatStands() async throws {
    let bench = try Bench()
    try bench.depot.publish("puzzle", "1", "one")
    try await bench.sync()
    bench.depot.forgetHistory()
    bench.fetcher.forget()
    let report = try await bench.sync()
    #expect(try bench.result(report, "puzzle") == .unchanged(version("1")))
    #expect(bench.fetcher.fetched == [])
    #expect(!bench.depot.requests.suffix(2).contains { $0.hasPrefix("manifest") })
  }

  @Test func readsNamesAsTheServerDid() async throws {
    let bench = try Bench()
    // 背景 in GBK, which a publisher has called CP437: no mirror knows better.
    for (id, encoding) in [("told", "cp437"), ("found", "gb18030")] {
      let entries = [ZipEntry("index.html", "\(id)"), ZipEntry([0xB1, 0xB3, 0xBE, 0xB0], "y")]
      try bench.depot.publish(
        id, "1", zip: ZipBuilder(entries).build(),
        facts: UnpackingFacts(
          root: "", namesEncoding: encoding, unpackedSize: 6, fileCount: 2, isEncrypted: false))
    }
    try await bench.sync()
    #expect(bench.folder.text("mirror/games/told/current/▒│╛░") == "y")
    #expect(bench.folder.text("mirror/games/found/current/背景") == "y")
  }

  @Test(arguments: ["koi8-r", "utf-8"]) func refusesNamesItCannotReadAsTheServerDid(encoding: String)
    async throws
  {
    let bench = try Bench()
    let zip = ZipBuilder([ZipEntry("index.html", "x"), ZipEntry([0xB1, 0xB3, 0xBE, 0xB0], "y")]).build()
    try bench.depot.publish(
      "puzzle", "1", zip: zip,
      facts: UnpackingFacts(
        root: "", namesEncoding: encoding, unpackedSize: 2, fileCount: 2, isEncrypted: false))
    let report = try await bench.sync()
    guard case .failed(.refused(let findings)) = bench.result(report, "puzzle") else {
      Issue.record("\(report.outcomes)")
      return
    }
    #expect(findings.count == 1 && findings[0].hasPrefix("error name-encoding"), "\(findings)")
    #expect(bench.current("puzzle") == nil)
  }

  @Test func recordsNothingThatDidNotUnpack() async throws {
    let bench = try Bench()
    try bench.depot.publish("broken", "1", zip: Array("this is no zip".utf8))
    let report = try await bench.sync()
    guard case .failed(.refused) = bench.result(report, "broken") else {
      Issue.record("\(report.outcomes)")
      return
    }
    #expect(report.exitCode == 1)
    #expect(try !bench.mirror().isInstalled(game("broken")))
    #expect(bench.current("broken") == nil)
    #expect(bench.folder.names("mirror/games/broken").filter { $0.hasPrefix(".") } == [])
  }

  @Test func followsARollbackWithoutFetching() async throws {
    let bench = try Bench()
    let first = try bench.depot.publish("puzzle", "1", "one")
    try await bench.sync()
    try bench.depot.publish("puzzle", "2", "two")
    try await bench.sync()
    bench.depot.rollBack(to: first)
    bench.fetcher.forget()
    let report = try await bench.sync()
    #expect(try bench.result(report, "puzzle") == .updated(version("1"), previous: version("2")))
    #expect(bench.fetcher.fetched == [])
    #expect(bench.page("puzzle") == "one")
  }

  @Test func swapsOtherBytesOfTheSameVersion() async throws {
    let bench = try Bench()
    try bench.depot.publish("puzzle", "1", "one")
    try await bench.sync()
    let other = try bench.depot.publish("puzzle", "1", "one, mended")
    let report = try await bench.sync()
    #expect(try bench.result(report, "puzzle") == .updated(version("1"), previous: version("1")))
    #expect(bench.page("puzzle") == "one, mended")
    #expect(bench.versions("puzzle") == ["1"])
    #expect(bench.leftovers("puzzle") == [])
    #expect(try bench.mirror().installedGames().map(\.sha256) == [other.sha256])
  }

  @Test func oneBadGameStopsNoOther() async throws {
    let bench = try Bench()
    for name in ["a", "b", "c"] { try bench.depot.publish(name, "1", name) }
    bench.fetcher.fail("b", with: .download(reason: "SHA-256 is wrong"))
    let report = try await bench.sync()
    #expect(report.exitCode == 1)
    #expect(report.failures.map(\.game) == ["b"])
    #expect(bench.page("a") == "a" && bench.page("c") == "c" && bench.page("b") == nil)
  }

  @Test func triesAFailedGameAgainThoughNothingChanged() async throws {
    let bench = try Bench()
    for name in ["a", "b"] { try bench.depot.publish(name, "1", name) }
    bench.fetcher.fail("b", with: .download(reason: "no"))
    try await bench.sync()
    bench.fetcher.fail("b", with: nil)
    bench.fetcher.forget()
    let report = try await bench.sync()
    #expect(bench.fetcher.fetched == ["b 1"])
    #expect(report.exitCode == 0 && bench.page("b") == "b")
  }

  @Test func keepsAsManyVersionsAsToldAndTheOneInUse() async throws {
    let bench = try Bench()
    for number in 1...4 {
      try bench.depot.publish("puzzle", "\(number)", "text \(number)")
      try await bench.sync(Bench.options(keep: 2))
    }
    #expect(bench.versions("puzzle") == ["3", "4"])
    #expect(bench.packages("puzzle") == ["3.zip", "4.zip"])
    try bench.depot.publish("puzzle", "5", "text 5")
    try await bench.sync(Bench.options(keep: 1))
    #expect(bench.versions("puzzle") == ["5"])
    #expect(bench.page("puzzle") == "text 5")
  }

  @Test func gamesTheServerRemovedStay() async throws {
    let bench = try Bench()
    try bench.depot.publish("old", "1", "old")
    try await bench.sync()
    try bench.depot.remove("old")
    let report = try await bench.sync()
    #expect(try report.removedOnServer == [game("old")])
    #expect(report.exitCode == 0 && bench.page("old") == "old")
    #expect(try bench.mirror().status().games.map(\.state) == [.removedOnServer])
  }

  @Test func withoutUnpackingOnlyPackagesAreKept() async throws {
    let bench = try Bench()
    try bench.depot.publish("puzzle", "1", "one")
    try await bench.sync(Bench.options(unpacks: false))
    #expect(bench.packages("puzzle") == ["1.zip"])
    #expect(bench.versions("puzzle") == [] && bench.current("puzzle") == nil)
    #expect(!bench.depot.requests.contains { $0.hasPrefix("manifest") })
    #expect(try bench.mirror().isInstalled(game("puzzle")))

    bench.fetcher.forget()
    try await bench.sync()
    #expect(bench.page("puzzle") == "one")
    #expect(bench.fetcher.fetched == [])
  }

  @Test func anUpdateWithoutUnpackingLeavesWhatIsInUse() async throws {
    let bench = try Bench()
    try bench.depot.publish("puzzle", "1", "one")
    try await bench.sync()
    for number in 2...4 {
      try bench.depot.publish("puzzle", "\(number)", "more")
      try await bench.sync(Bench.options(unpacks: false))
    }
    #expect(bench.page("puzzle") == "one")
    #expect(bench.packages("puzzle").contains("4.zip"))
  }
}
