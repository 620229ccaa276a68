import HTTPClient
import MirrorClient
import Platform
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct RebuildChoiceTests {
  @Test func anUpdateThatSharesNothingIsFetchedWhole() async throws {
    let bench = try ReuseBench(old: [game(["a": 1, "b": 2])], new: game(["a": 3, "b": 4]))
    let package = try await bench.fetch()
    #expect(bench.ranges == [nil])
    #expect(package.notes.isEmpty)
    #expect(package.bytesFetched == Int64(bench.index.count + bench.new.bytes.count))
    #expect(package.bytesFetched <= Int64(Double(bench.new.bytes.count) * 1.01))
  }

  @Test func withoutAPackageHereTheIndexIsNotAskedFor() async throws {
    let bench = try ReuseBench(old: [], new: game(["a": 1]))
    try await bench.fetch()
    #expect(bench.ranges == [nil] && bench.indexRequests == 0)
  }

  @Test func withoutAnIndexThePackageIsFetchedWhole() async throws {
    let bench = try ReuseBench(old: [game(["a": 1])], new: game(["a": 1, "b": 2]))
    try await bench.fetch(bench.aid(index: false))
    #expect(bench.ranges == [nil] && bench.indexRequests == 0)
  }

  @Test func anIndexAsLargeAsThePackageIsNotAskedFor() async throws {
    let bench = try ReuseBench(old: [game(["a": 1])], new: game(["a": 1]))
    var aid = try bench.aid()
    aid.index?.size = Int64(bench.new.bytes.count)
    try await bench.fetch(aid)
    #expect(bench.ranges == [nil] && bench.indexRequests == 0)
  }

  @Test func aWholePartialAsksNothing() async throws {
    let bench = try ReuseBench(old: [game(["a": 1])], new: game(["a": 1, "b": 2]))
    try bench.download.leave(bench.new.bytes, as: bench.source)
    #expect(try await bench.fetch().bytesFetched == 0)
    #expect(bench.server.requests.isEmpty)
  }

  @Test func nearlyAllOfAPartialIsFinishedInOneRequest() async throws {
    let bench = try ReuseBench(old: [game(["a": 1, "b": 2])], new: game(["a": 1, "b": 2, "c": 3]))
    let count = bench.new.bytes.count
    try bench.download.leave(Array(bench.new.bytes[..<(count - 300)]), as: bench.source)
    #expect(try await bench.fetch().bytesFetched == 300)
    #expect(bench.ranges == ["bytes=\(count - 300)-"] && bench.indexRequests == 0)
  }

  @Test func theCostIsKnownBeforeAndIndexAskedForOnce() async throws {
    let bench = try ReuseBench(
      old: [game(["index.html": 1, "a": 2, "b": 3])], new: game(["index.html": 9, "a": 2, "b": 3]))
    let downloader = bench.download.downloader
    let cost = try await downloader.cost(of: bench.source, aid: bench.aid())
    #expect(cost.isReusing)
    #expect(bench.ranges == [] && bench.indexRequests == 1)
    #expect(
      try await downloader.cost(of: bench.source, aid: bench.aid()).bytes == cost.bytes
        - Int64(bench.index.count) - 250)
    let package = try await bench.fetch()
    #expect(bench.indexRequests == 1)
    // The bytes of the index came before, and count here.
    #expect(package.bytesFetched == Int64(bench.index.count + bench.rangeBytes))
    #expect(cost.bytes == package.bytesFetched + 2 * 250)
    #expect(
      try await downloader.cost(of: bench.source, aid: bench.aid()) == FetchCost(bytes: 0, isReusing: false))
  }

  @Test func theCostOfAFirstInstallIsThePackageLessItsPartial() async throws {
    let bench = try ReuseBench(old: [], new: game(["a": 1]))
    try bench.download.leave(Array(bench.new.bytes[..<5000]), as: bench.source)
    let cost = try await bench.download.downloader.cost(of: bench.source, aid: bench.aid())
    #expect(cost == FetchCost(bytes: Int64(bench.new.bytes.count - 5000), isReusing: false))
    #expect(bench.server.requests.isEmpty)
  }

  @Test func theIndexTellsWhatTheFilesComeTo() async throws {
    let bench = try ReuseBench(old: [], new: game(["a": 1, "b/c": 2], size: 700))
    let contents = await bench.download.downloader.contents(of: bench.source, aid: try bench.aid())
    #expect(contents == PackageContents(unpackedSize: 1400, fileCount: 2, isEncrypted: false))
    #expect(await bench.download.downloader.contents(of: bench.source, aid: .none) == nil)
    let package = try await bench.fetch()
    #expect(package.bytesFetched == Int64(bench.index.count + bench.new.bytes.count))
  }
}
