import DepotModel
import Foundation
import HTTPClient
import Platform
import TestSupport
import Testing
import ZipArchive

@testable import MirrorClient

@Suite struct RoomTests {
  @Test func fetchesNothingThatCannotFit() async throws {
    let bench = try Bench()
    let zip = ZipBuilder.zip(["index.html": "big"])
    try bench.depot.publish(
      "big", "1", zip: zip,
      facts: UnpackingFacts(
        root: "", namesEncoding: "utf-8", unpackedSize: 1 << 60, fileCount: 1, isEncrypted: false))
    try bench.depot.publish("small", "1", "small")
    let report = try await bench.sync()
    guard case .failed(.noRoom(let needed, let available, _)) = bench.result(report, "big") else {
      Issue.record("\(report.outcomes)")
      return
    }
    #expect(needed >= 1 << 60 && available < needed)
    #expect(report.exitCode == 73)
    #expect(bench.fetcher.fetched == ["small 1"])
    #expect(bench.page("small") == "small")
  }

  @Test func countsFilesAndNeverOverflows() {
    #expect(RoomNeed(bytes: 10, files: 3).bytes == 10 + 3 * 2048)
    #expect(RoomNeed(bytes: .max, files: .max).bytes == .max)
    #expect((RoomNeed(bytes: .max, files: 1) + RoomNeed(bytes: .max, files: 1)).bytes == .max)
  }

  @Test func waitsForTheRoomOthersHoldBeforeItGivesUp() async throws {
    let folder = try BenchFolder()
    let directory = try Directory(path: folder.path)
    let ledger = RoomLedger(try DiskDevices(root: directory, destination: folder.path))
    func need(_ bytes: Int64) -> DiskNeed {
      DiskNeed(unpacked: RoomNeed(bytes: bytes, files: 0), fetched: .none, package: .none)
    }
    let half = need(Int64(clamping: try directory.room.bytes) / 2 + (64 << 20))
    try await ledger.reserve(half)
    let second = Task { try await ledger.reserve(half) }
    ledger.release(half)
    try await second.value
    ledger.release(half)
    await #expect(throws: MirrorError.self) {
      try await ledger.reserve(need(.max))
    }
  }

  /// So many bytes that two such games are too much and one is not.
  private func publishLargeGames(_ bench: Bench, _ names: String...) throws -> ZipLimits {
    let room = try Directory(path: bench.folder.path).room
    for name in names {
      try bench.depot.publish(
        name, "1", zip: ZipBuilder.zip(["index.html": "\(name)"]),
        facts: UnpackingFacts(
          root: "", namesEncoding: "utf-8", unpackedSize: Int64(clamping: room.bytes) / 5 * 3, fileCount: 1,
          isEncrypted: false))
    }
    var limits = ZipLimits.standard
    limits.unpackedSize = .max
    return limits
  }

  @Test func fetchesNothingAtAllWhenNotAllGamesFit() async throws {
    let bench = try Bench()
    let limits = try publishLargeGames(bench, "a", "b")
    let mirror = bench.mirror(limits: limits)
    do throws(MirrorError) {
      try await bench.sync(Bench.options(), by: mirror)
      Issue.record("it went on")
    } catch {
      guard case .noRoomForAll(let devices) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(error.exitCode == 73 && devices.count == 1)
      #expect(devices[0].needed > devices[0].available && devices[0].available > 0)
      #expect(error.description.contains("needs \(devices[0].needed) bytes"))
    }
    #expect(bench.fetcher.fetched == [])
    #expect(bench.folder.names("mirror/games") == [])
    #expect(try mirror.status().lastSync?.exitCode == 73)
    #expect(try await bench.sync(Bench.options(only: ["b"]), by: mirror).exitCode == 0)
  }

  @Test func aGameLargerThanTheLimitsIsNotFetched() async throws {
    let bench = try Bench()
    try bench.depot.publish(
      "bomb", "1", zip: ZipBuilder.zip(["index.html": "x"]),
      facts: UnpackingFacts(
        root: "", namesEncoding: "utf-8", unpackedSize: (8 << 30) + 1, fileCount: 1, isEncrypted: false))
    try bench.depot.publish(
      "crowd", "1", zip: ZipBuilder.zip(["index.html": "y"]),
      facts: UnpackingFacts(
        root: "", namesEncoding: "utf-8", unpackedSize: 1, fileCount: 100_001, isEncrypted: false))
    let report = try await bench.sync()
    #expect(report.failures.map(\.game) == ["bomb", "crowd"])
    #expect(report.failures.allSatisfy { if case .refused = $0.error { true } else { false } })
    #expect(bench.fetcher.fetched == [])
  }

  @Test func removesWhatNothingWantsWhenThatMakesRoom() async throws {
    let bench = try Bench()
    try bench.depot.publish("old", "1", "old")
    try await bench.sync()
    let limits = try publishLargeGames(bench, "a")
    // It takes no room, but says so: what it is said to free would be enough.
    let stale = "mirror/partial/\(String(repeating: "ab", count: 32)).part"
    try bench.folder.write("", to: stale)
    let room = Int64(clamping: try Directory(path: bench.folder.path).room.bytes)
    try #require(FileHandle(forWritingAtPath: "\(bench.folder.path)/\(stale)")).truncate(
      atOffset: UInt64(room / 2))
    _ = try publishLargeGames(bench, "b")
    let plan = try await bench.mirror(limits: limits).plan(from: bench.depot, options: Bench.options())
    #expect(plan.isEnough && plan.bytesToReclaim == room / 2 && plan.exitCode == 0)
    await #expect(throws: MirrorError.self) {
      try await bench.sync(Bench.options(), by: bench.mirror(limits: limits))
    }
    #expect(!bench.folder.exists(stale), "it was tried, and measured again")
    #expect(bench.fetcher.fetched == ["old 1"] && bench.page("old") == "old")
  }

  @Test func keepsWhatCannotMakeEnoughRoom() async throws {
    let bench = try Bench()
    for number in 1...3 {
      try bench.depot.publish("old", "\(number)", "text \(number)")
      try await bench.sync(Bench.options(keep: 3))
    }
    let limits = try publishLargeGames(bench, "a", "b")
    await #expect(throws: MirrorError.self) {
      try await bench.sync(Bench.options(keep: 1), by: bench.mirror(limits: limits))
    }
    #expect(bench.versions("old") == ["1", "2", "3"])
  }

  @Test func countsWhatUpdatesGiveBackOnTheWay() throws {
    let folder = try BenchFolder()
    let directory = try Directory(path: folder.path)
    let devices = try DiskDevices(root: directory, destination: folder.path)
    #expect(devices.devices.map(\.names) == [["games", "packages", "partial"]])
    let games = try (0..<4).map { number in
      let id = try game("game\(number)")
      let digests = (
        try #require(SHA256Digest(hex: String(repeating: "0\(number)", count: 32))),
        try #require(MD5Digest(hex: String(repeating: "0", count: 32)))
      )
      let release = Release(
        id: id, title: "", version: try version("2"), url: try #require(WebURL("http://d.test/")),
        sha256: digests.0, md5: digests.1, size: 100, publishedAt: Timestamp(seconds: 0))
      let old = InstalledVersion(
        id: id, title: "", version: try version("1"), sha256: digests.0, md5: digests.1, size: 100,
        unpackedSize: 900, isUnpacked: true, hasPackage: true, sharedFiles: 0, sharedBytes: 0,
        needsIsolation: nil, isCurrent: true,
        installedAt: Timestamp(seconds: 0))
      return PlannedGame(
        release: release, step: .install(PackageRequest(release: release, aid: .none), nil), previous: old,
        replaced: [old], bytesToFetch: 100, bytesToWrite: 1000, filesToWrite: 0,
        need: DiskNeed(
          unpacked: RoomNeed(bytes: 900, files: 0), fetched: RoomNeed(bytes: 100, files: 0), package: .none))
    }
    func needed(_ width: Int, without gone: Set<InstalledVersion> = []) throws -> Int64 {
      try RoomForecast(devices: devices, games: games, width: width).forecast(without: gone)[0].needed
    }
    #expect(try needed(1) == 1000)
    #expect(try needed(2) == 2000)
    #expect(try needed(8) == 4000)
    #expect(try needed(1, without: Set(games.flatMap(\.replaced))) == 4000)
  }
}
