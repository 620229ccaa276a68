import DepotModel
import HTTPClient
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

/// Several servers that offer the same packages.
@Suite struct FallbackTests {
  private let first = ScriptedDepot()
  private let second = ScriptedDepot()
  /// That of both depots.
  private let catalogue = "c0ffee00-0000-4000-8000-000000000000"
  private let away = MirrorError.unreachable(url: "http://first", reason: "refused")

  private var depot: FallbackDepot { FallbackDepot([first, second]) }

  private func bothPublish(_ id: String, _ version: String) throws -> Release {
    try second.publish(id, version, "text")
    return try first.publish(id, version, "text")
  }

  @Test func theSecondIsNotAskedWhileTheFirstAnswers() async throws {
    let release = try bothPublish("a", "1")
    let depot = depot
    #expect(try await depot.listing(channel: .stable, after: nil).games.count == 1)
    _ = try await depot.manifest(of: release)
    #expect(second.requests.isEmpty && depot.index == 0)
  }

  @Test func theSecondAnswersForTheRunWhenTheFirstDoesNot() async throws {
    let release = try bothPublish("a", "1")
    first.fail(with: away)
    let depot = depot
    #expect(try await depot.listing(channel: .stable, after: nil).games.count == 1)
    #expect(depot.index == 1)
    first.fail(with: nil)
    first.forgetRequests()
    _ = try await depot.manifest(of: release)
    #expect(first.requests.isEmpty, "who told what there is tells what it unpacks to")
  }

  @Test func aManifestMayComeFromAnyOfThem() async throws {
    let release = try bothPublish("a", "1")
    let depot = depot
    _ = try await depot.listing(channel: .stable, after: nil)
    first.fail(with: away)
    #expect(try await depot.manifest(of: release).fileCount == 2)
  }

  @Test func whenNoneAnswersTheFirstIsToldOf() async throws {
    first.fail(with: away)
    second.fail(with: .badAnswer(url: "http://second", reason: "no JSON"))
    let depot = depot
    await #expect(throws: away) { try await depot.listing(channel: .stable, after: nil) }
  }

  @Test func aRefusedTokenIsNotPassedOver() async throws {
    let refused = MirrorError.notPermitted(url: "http://first", status: 401)
    first.fail(with: refused)
    let depot = depot
    await #expect(throws: refused) { try await depot.listing(channel: .stable, after: nil) }
    #expect(second.requests.isEmpty)
  }

  /// A mirror of a mirror may be hours late: what it offers was replaced, or is no more.
  @Test func oneThatIsBehindIsNotFollowed() async throws {
    _ = try bothPublish("a", "1")
    let seen = CataloguePoint(catalogue: catalogue, revision: second.revision + 5)
    first.fail(with: away)
    let depot = depot
    await #expect(throws: away) { try await depot.changes(since: seen, channel: .stable, after: nil) }
    let known = CataloguePoint(catalogue: catalogue, revision: second.revision)
    guard case .page = try await depot.changes(since: known, channel: .stable, after: nil) else {
      Issue.record("no page")
      return
    }
  }

  @Test func aPackageComesFromTheOtherUnderItsOwnAddress() async throws {
    let release = try bothPublish("a", "1")
    let ways = [Failing(with: .download(reason: "stalled")), Failing(with: .download(reason: "status 404"))]
    let fetcher = FallbackFetcher(
      ways: [
        FallbackFetcher.Way(server: try #require(WebURL("http://first")), fetcher: ways[0]),
        FallbackFetcher.Way(server: try #require(WebURL("http://second/depot/")), fetcher: ways[1]),
      ], chosen: { 0 })
    let request = PackageRequest(release: release, aid: .none)
    await #expect(throws: MirrorError.download(reason: "stalled; status 404")) {
      try await fetcher.fetch(request) { _ in }
    }
    #expect(ways[0].asked == [release.url.text])
    #expect(ways[1].asked == ["http://second/depot/games/a/versions/1/package.zip"])
  }

  @Test func aFullDiskIsNoReasonToAskAnother() async throws {
    let release = try bothPublish("a", "1")
    let full = MirrorError.noRoom(needed: 2, available: 1, path: "/")
    let failing = Failing(with: full)
    let way = FallbackFetcher.Way(server: try #require(WebURL("http://first")), fetcher: failing)
    let fetcher = FallbackFetcher(ways: [way, way], chosen: { 1 })
    await #expect(throws: full) {
      try await fetcher.fetch(PackageRequest(release: release, aid: .none)) { _ in }
    }
    #expect(failing.asked.count == 1)
  }
}

/// Remembers what it was asked for, and fails.
private final class Failing: PackageFetching {
  private let state = Mutex<[String]>([])
  private let error: MirrorError

  init(with error: MirrorError) { self.error = error }

  var asked: [String] { state.withLock { $0 } }

  func fetch(
    _ request: PackageRequest, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> FetchedPackage {
    state.withLock { $0.append(request.release.url.text) }
    throw error
  }
}
