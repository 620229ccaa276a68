import HTTPClient
import MirrorClient
import Platform
import TestSupport
import Testing

@testable import MirrorClient

/// Of a large file that changed a little, what did not change is found block by block.
@Suite struct BlockReuseTests {
  private static let content = noise(2_000_000, seed: 11)
  private static let old = zip(content)
  /// A few bytes put in, some cut out, some others: everything behind them stands elsewhere.
  private static let new = zip(
    Array(content[..<500_000]) + noise(77, seed: 12) + Array(content[500_000..<1_200_000])
      + Array(content[1_210_000...]))

  private static func zip(_ content: [UInt8]) -> [UInt8] {
    ZipBuilder([.stored("index.html", "x"), .stored("data.bin", FileContent(content))]).build()
  }

  /// `sums` replaces the right ones; `ignoresRange`: the server sends all of them to whoever asks for some.
  private func bench(
    _ sums: [UInt8]? = nil, ignoresRange: Bool = false, status: Int = 206
  ) throws -> (ReuseBench, PackageAid) {
    let bench = try ReuseBench(old: [Self.old], new: Self.new)
    let sums = try sums ?? ReuseBench.sums(of: Self.new)
    bench.serve { request in
      guard request.target == "/blocks", let range = request.range, let end = range.end else { return nil }
      if ignoresRange {
        return [.text("HTTP/1.1 200 OK\r\nContent-Length: \(sums.count)\r\n\r\n"), .send(sums)]
      }
      let head =
        "Content-Range: bytes \(range.start)-\(end)/\(sums.count)\r\nContent-Length: \(end - range.start + 1)"
      return [.text("HTTP/1.1 \(status) Part\r\n\(head)\r\n\r\n"), .send(Array(sums[range.start...end]))]
    }
    var aid = try bench.aid()
    aid.sums = DeltaOffer.Sums(
      url: try #require(WebURL(bench.server.url("/blocks"))), size: Int64(sums.count))
    return (bench, aid)
  }

  @Test(arguments: [false, true])
  func aLargeFileThatChangedALittleCostsALittle(ignoresRange: Bool) async throws {
    let (bench, aid) = try bench(ignoresRange: ignoresRange)
    let package = try await bench.fetch(aid)
    #expect(package.notes.isEmpty)
    // Three places, at most a block on either side of each; and a thousandth for the sums.
    #expect(package.bytesFetched < 6 * 4096 + 2200 + 200)
    let sums = bench.server.requests.filter { $0.target == "/blocks" }
    #expect(sums.count == 1)
    let asked = bench.server.requests.filter { $0.target == "/p.zip" }.compactMap(\.range).reduce(0) {
      $0 + ($1.end ?? 0) - $1.start + 1
    }
    #expect(package.bytesFetched == Int64(bench.index.count + asked + 1_990_077 / 4096 * 4))
  }

  @Test func withoutSumsItIsFetchedWhole() async throws {
    let (bench, _) = try bench()
    #expect(try await bench.fetch().bytesFetched == Int64(bench.index.count + Self.new.count))
    #expect(bench.ranges == [nil])
  }

  @Test(arguments: [404, 416, 500])
  func sumsThatCannotBeHadAreNoFailure(status: Int) async throws {
    let (bench, aid) = try bench(status: status)
    try await bench.fetch(aid)
    #expect(bench.ranges == [nil])
  }

  @Test func sumsOfAnotherNumberAreNotUsed() async throws {
    let (bench, aid) = try bench(ReuseBench.sums(of: Self.new) + [1, 2, 3, 4])
    try await bench.fetch(aid)
    #expect(bench.ranges == [nil])
    #expect(!bench.server.requests.contains { $0.target == "/blocks" })
  }

  @Test func aRebuildByBlocksThatWasCutGoesOn() async throws {
    let (bench, aid) = try bench()
    let left = Array(Self.new[..<1_300_000])
    try bench.download.leave(left, as: bench.source)
    let package = try await bench.fetch(aid)
    #expect(package.notes.isEmpty)
    #expect(package.bytesFetched < 2 * 4096 + 2200 + 200)
  }
}
