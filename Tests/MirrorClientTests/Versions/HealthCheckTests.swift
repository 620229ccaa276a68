import DepotModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct HealthCheckTests {
  /// Six hours later.
  private static let later = 1_800_000_000 + BadVersion.period

  /// Loses a file of version `version`, or cuts it short, when that is about to become current.
  private func disk(losing version: String, _ fault: Fault) -> MeddlingVolume {
    let count = Mutex(0)
    return MeddlingVolume { folder in
      // Once: what is swapped back must not be harmed.
      guard folder.hasSuffix("game/versions/\(version)"),
        count.withLock({
          $0 += 1; return $0
        }) == 1
      else { return }
      let path = "\(folder)/js/a.js"
      switch fault {
      case .missing: try? FileManager.default.removeItem(atPath: path)
      case .short:
        try? FileManager.default.removeItem(atPath: path)
        try? Data("x".utf8).write(to: URL(fileURLWithPath: path))
      case .folder:
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
    }
  }

  enum Fault: String, CaseIterable, Sendable { case missing, short, folder }

  @Test(arguments: Fault.allCases) func aVersionThatDoesNotStandGivesWayToTheOneBefore(fault: Fault)
    async throws
  {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "old")
    try bench.depot.publish("other", "1", "other")
    try await bench.sync()
    try bench.depot.publish("game", "2", "new")
    try bench.depot.publish("other", "2", "newer")
    let report = try await bench.sync(volume: disk(losing: "2", fault))
    #expect(report.exitCode == 1)
    guard case .failed(.unsound(let version, let until, let reason)) = bench.result(report, "game") else {
      Issue.record("\(report.outcomes)")
      return
    }
    #expect(version == "2" && until == Timestamp(seconds: Self.later).description)
    #expect(reason.contains("\"js/a.js\""))
    #expect(bench.page("game") == "old" && bench.current("game") == "versions/1")
    #expect(bench.versions("game") == ["1"] && bench.packages("game") == ["1.zip"])
    #expect(bench.page("other") == "newer")
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func aBadVersionIsLeftAloneForSixHoursAndThenTriedWithoutFetching() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "old")
    try await bench.sync()
    try bench.depot.publish("game", "2", "new")
    try await bench.sync(volume: disk(losing: "2", .missing))
    bench.fetcher.forget()
    for seconds in [1_800_000_000, Self.later - 1] {
      let report = try await bench.sync(at: seconds)
      #expect(report.exitCode == 1 && bench.page("game") == "old")
    }
    #expect(bench.fetcher.fetched == [])
    #expect(try bench.mirror().status().games.first?.badVersions.map(\.version.text) == ["2"])
    #expect(try bench.mirror(at: Self.later).status().games.first?.badVersions == [])
    let report = try await bench.sync(at: Self.later)
    #expect(report.exitCode == 0 && bench.page("game") == "new")
    #expect(bench.leftovers("game") == [])
  }

  @Test func otherBytesOfABadVersionAreAnotherMatter() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "old")
    try await bench.sync()
    try bench.depot.publish("game", "2", "new")
    try await bench.sync(volume: disk(losing: "2", .missing))
    try bench.depot.publish("game", "2", "mended")
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "mended" && bench.leftovers("game") == [])
    #expect(try bench.mirror().status().games.first?.badVersions == [])
  }

  @Test func releasingAGameTriesABadVersionAtOnce() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "new")
    try await bench.sync(volume: disk(losing: "1", .missing))
    #expect(try await bench.mirror().endHold(of: game("game"), lockWait: .zero))
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "new")
  }

  @Test func nothingIsCurrentWhenTheFirstVersionDoesNotStand() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "new")
    let report = try await bench.sync(volume: disk(losing: "1", .short))
    #expect(report.exitCode == 1)
    #expect(bench.current("game") == nil && bench.versions("game") == [])
    #expect(try !bench.mirror().isInstalled(game("game")))
    #expect(try bench.mirror().status().games.map(\.state) == [.missing])
  }

  @Test func otherBytesOfTheSameVersionGiveWayWithTheirPackage() async throws {
    let bench = try Bench()
    let first = try bench.depot.publish("game", "1", "old")
    try await bench.sync()
    let package = bench.folder.tree("mirror/packages")
    try bench.depot.publish("game", "1", "new", extra: 2)
    let report = try await bench.sync(volume: disk(losing: "1", .missing))
    #expect(report.exitCode == 1)
    #expect(bench.page("game") == "old" && bench.current("game") == "versions/1")
    #expect(bench.folder.tree("mirror/packages") == package)
    #expect(try bench.mirror().installedGames().map(\.sha256) == [first.sha256])
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func withoutKeptPackagesItGivesWay() async throws {
    let bench = try Bench()
    let options = Bench.options(keepsPackages: false)
    try bench.depot.publish("game", "1", "old")
    try await bench.sync(options)
    try bench.depot.publish("game", "2", "new")
    #expect(try await bench.sync(options, volume: disk(losing: "2", .missing)).exitCode == 1)
    #expect(bench.page("game") == "old")
    #expect(try await bench.sync(options, at: Self.later).exitCode == 0)
    #expect(bench.page("game") == "new" && bench.packages("game") == [] && bench.leftovers("game") == [])
  }

  @Test func whatAPageLacksIsToldAndNoReasonToTurnBack() async throws {
    let bench = try Bench()
    let page = "<script src=\"js/a.js\"></script><img src=\"img/gone.png\">"
    try bench.depot.publish("lacking", "1", page)
    try bench.depot.publish("pageless", "1", zip: ZipBuilder.zip(["game.html": "x"]))
    let report = try await bench.sync()
    #expect(report.exitCode == 0)
    #expect(
      report.notices.sorted() == [
        "lacking 1: its index.html refers to what it does not have: \"img/gone.png\"",
        "pageless 1 has no index.html: it will not play",
      ])
    #expect(bench.page("lacking") == page)
    #expect(try await bench.sync().notices == [])
  }
}
