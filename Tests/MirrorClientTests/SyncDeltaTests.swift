import DepotModel
import HTTPClient
import Platform
import Testing

@testable import MirrorClient

@Suite struct SyncDeltaTests {
  private let bench: Bench
  private let contents = PackageContents(unpackedSize: 1000, fileCount: 2, isEncrypted: false)

  init() throws { bench = try Bench() }

  private func offer(_ contents: PackageContents?) throws -> DeltaOffer {
    DeltaOffer(
      root: "", namesEncoding: "utf-8", contents: contents,
      index: DeltaOffer.Index(
        url: try #require(WebURL("http://depot.test/i")), size: 10,
        sha256: try #require(SHA256Digest(hex: String(repeating: "a", count: 64)))))
  }

  private func standing(_ request: PackageRequest?) -> [String]? { request?.aid.standing.map(\.name) }

  @Test func aFirstInstallAsksNoManifest() async throws {
    let release = try bench.depot.publish("a", "1.0", "one")
    bench.depot.offer(try offer(contents), of: release)
    try await bench.sync()
    #expect(bench.depot.requests == ["listing ", "delta a 1.0"])
    #expect(bench.page("a") == "one")
    #expect(standing(bench.fetcher.requests.first) == [])
  }

  @Test func aServerWithoutDeltaJSONIsAskedForTheManifest() async throws {
    try bench.depot.publish("a", "1.0", "one")
    try await bench.sync()
    #expect(bench.depot.requests == ["listing ", "manifest a 1.0"])
  }

  @Test func whatTheServerLeavesOutTheIndexTellsOrTheManifest() async throws {
    bench.depot.offer(try offer(nil), of: try bench.depot.publish("a", "1.0", "one"))
    bench.fetcher.setContents(contents)
    try await bench.sync()
    #expect(bench.depot.requests == ["listing ", "delta a 1.0"])
    bench.depot.offer(try offer(nil), of: try bench.depot.publish("a", "1.1", "two"))
    bench.fetcher.setContents(nil)
    try await bench.sync()
    #expect(bench.depot.requests.suffix(2) == ["delta a 1.1", "manifest a 1.1"])
    #expect(bench.page("a") == "two")
  }

  @Test func anUpdateIsToldWhichPackagesStandTheOneInUseFirst() async throws {
    for number in 1...3 {
      bench.depot.offer(try offer(contents), of: try bench.depot.publish("a", "1.\(number)", "\(number)"))
      try await bench.sync()
    }
    #expect(standing(bench.fetcher.requests.last) == ["packages/a/1.2.zip", "packages/a/1.1.zip"])
    #expect(bench.fetcher.requests.last?.aid.index?.size == 10)
  }

  @Test func aPackageThatIsNoLongerWholeIsNoHelp() async throws {
    for number in 1...3 {
      bench.depot.offer(try offer(contents), of: try bench.depot.publish("a", "1.\(number)", "\(number)"))
      if number == 3 { try bench.folder.write("short", to: "mirror/packages/a/1.2.zip") }
      try await bench.sync()
    }
    #expect(standing(bench.fetcher.requests.last) == ["packages/a/1.1.zip"])
  }

  @Test func withoutDeltaNothingThatStandsIsUsed() async throws {
    for number in 1...2 {
      bench.depot.offer(try offer(contents), of: try bench.depot.publish("a", "1.\(number)", "\(number)"))
      try await bench.sync(Bench.options(usesDelta: false))
    }
    #expect(standing(bench.fetcher.requests.last) == [])
    #expect(bench.page("a") == "2")
  }

  @Test func packagesThatAreOnlyKeptNeedNoFacts() async throws {
    bench.depot.offer(try offer(contents), of: try bench.depot.publish("a", "1.0", "one"))
    try await bench.sync(Bench.options(unpacks: false))
    #expect(bench.depot.requests == ["listing "])
    bench.depot.offer(try offer(contents), of: try bench.depot.publish("a", "1.1", "two"))
    try await bench.sync(Bench.options(unpacks: false))
    #expect(bench.depot.requests.last == "delta a 1.1")
    #expect(standing(bench.fetcher.requests.last) == ["packages/a/1.0.zip"])
  }

  @Test func anIndexGoesWithTheInstallAndStaysForOneThatFailed() async throws {
    let release = try bench.depot.publish("a", "1.0", "one")
    try bench.folder.write("index", to: "mirror/partial/\(release.sha256.hex).index")
    bench.fetcher.fail("a", with: .download(reason: "x"))
    try await bench.sync()
    #expect(bench.folder.names("mirror/partial") == ["\(release.sha256.hex).index"])
    bench.fetcher.fail("a", with: nil)
    try await bench.sync()
    #expect(bench.folder.names("mirror/partial") == [])
  }
}
