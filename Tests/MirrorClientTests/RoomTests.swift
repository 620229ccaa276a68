import Platform
import TestSupport
import Testing

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
    let ledger = RoomLedger(directory)
    let half = RoomNeed(bytes: Int64(clamping: try directory.room.bytes) / 2 + (64 << 20), files: 0)
    try await ledger.reserve(half)
    let second = Task { try await ledger.reserve(half) }
    ledger.release(half)
    try await second.value
    ledger.release(half)
    await #expect(throws: MirrorError.self) {
      try await ledger.reserve(RoomNeed(bytes: .max, files: 0))
    }
  }
}
