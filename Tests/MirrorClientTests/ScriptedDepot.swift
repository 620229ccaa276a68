import DepotModel
import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

/// A depot in memory that counts what it is asked.
final class ScriptedDepot: DepotSource {
  struct Package: Sendable {
    var release: Release
    var bytes: [UInt8]
    var facts: UnpackingFacts
    var revision: Int64
  }

  private struct State {
    var catalogue = "c0ffee00-0000-4000-8000-000000000000"
    var revision: Int64 = 0
    var games: [GameID: Package] = [:]
    var packages: [SHA256Digest: Package] = [:]
    var removed: [GameID: Int64] = [:]
    var unreadable: [UnreadableGame] = []
    var requests: [String] = []
    var isGone = false
    var pageSize = 100
    var failure: MirrorError?
    var offers: [SHA256Digest: DeltaOffer] = [:]
  }

  private let state = Mutex(State())

  var name: String { "http://depot.test" }
  var requests: [String] { state.withLock { $0.requests } }
  var revision: Int64 { state.withLock { $0.revision } }

  func forgetRequests() { state.withLock { $0.requests = [] } }

  /// Publishes a version with an `index.html` that says `text`, and returns what a mirror is told.
  @discardableResult
  func publish(
    _ id: String, _ version: String, _ text: String, extra: Int = 0, at seconds: Int64 = 1_790_000_000
  ) throws -> Release {
    var entries = [
      ZipEntry("index.html", FileContent(Array(text.utf8))),
      ZipEntry("js/a.js", "let a = \(version.debugDescription)"),
    ]
    for number in 0..<extra { entries.append(ZipEntry("img/\(number).txt", "image \(number)")) }
    return try publish(id, version, zip: ZipBuilder(entries).build(), at: seconds)
  }

  @discardableResult
  func publish(
    _ id: String, _ version: String, zip: [UInt8], facts: UnpackingFacts? = nil,
    at seconds: Int64 = 1_790_000_000
  ) throws -> Release {
    let id = try #require(GameID(id))
    let release = Release(
      id: id, title: "Game \(id)", version: try #require(H5Version(version)),
      url: try #require(WebURL("http://depot.test/games/\(id)/versions/\(version)/package.zip")),
      sha256: try #require(SHA256Digest(bytes: Hash.digest(of: zip, .sha256))),
      md5: try #require(MD5Digest(bytes: Hash.digest(of: zip, .md5))), size: Int64(zip.count),
      publishedAt: Timestamp(seconds: seconds))
    let facts =
      facts
      ?? UnpackingFacts(
        root: "", namesEncoding: "utf-8", unpackedSize: 1000, fileCount: 2, isEncrypted: false)
    state.withLock { state in
      state.revision += 1
      let package = Package(release: release, bytes: zip, facts: facts, revision: state.revision)
      state.games[id] = package
      state.packages[release.sha256] = package
      state.removed[id] = nil
    }
    return release
  }

  /// Lets the channel point at an earlier release again.
  func rollBack(to release: Release) {
    state.withLock { state in
      guard var package = state.packages[release.sha256] else { return }
      state.revision += 1
      package.revision = state.revision
      state.games[release.id] = package
    }
  }

  func remove(_ id: String) throws {
    let id = try #require(GameID(id))
    state.withLock { state in
      state.revision += 1
      state.games[id] = nil
      state.removed[id] = state.revision
    }
  }

  /// Every game of this depot is in a catalogue of another name from now on.
  func restore(as catalogue: String) { state.withLock { ($0.catalogue, $0.isGone) = (catalogue, true) } }
  /// Says this of a package that was published.
  func offer(_ release: Release) {
    state.withLock { state in
      state.games[release.id]?.release = release
      state.packages[release.sha256]?.release = release
    }
  }

  /// As a catalogue that was put back says it: older, and without a word of it.
  func setRevision(_ revision: Int64) { state.withLock { $0.revision = revision } }
  func forgetHistory() { state.withLock { $0.isGone = true } }
  func offerUnreadable(_ games: UnreadableGame...) { state.withLock { $0.unreadable = games } }
  func fail(with error: MirrorError?) { state.withLock { $0.failure = error } }
  func offer(_ offer: DeltaOffer, of release: Release) {
    state.withLock { $0.offers[release.sha256] = offer }
  }
  func setPageSize(_ size: Int) { state.withLock { $0.pageSize = size } }

  func package(of release: Release) -> Package? { state.withLock { $0.packages[release.sha256] } }

  func listing(channel: ChannelName, after cursor: String?) async throws(MirrorError) -> ListingPage {
    let result = state.withLock { state -> Result<ListingPage, MirrorError> in
      state.requests.append("listing \(cursor ?? "")")
      if let failure = state.failure { return .failure(failure) }
      let all = state.games.keys.sorted().filter { $0.text > cursor ?? "" }
      let page = all.prefix(state.pageSize)
      return .success(
        ListingPage(
          catalogue: state.catalogue, revision: state.revision,
          games: page.compactMap { state.games[$0].map { .success($0.release) } }
            + (cursor == nil ? state.unreadable.map { .failure($0) } : []),
          next: all.count > page.count ? page.last?.text : nil))
    }
    return try result.get()
  }

  func changes(
    since point: CataloguePoint, channel: ChannelName, after cursor: String?
  ) async throws(MirrorError) -> ChangesAnswer {
    let result = state.withLock { state -> Result<ChangesAnswer, MirrorError> in
      state.requests.append("since \(point.revision)")
      if let failure = state.failure { return .failure(failure) }
      if state.isGone || point.catalogue != state.catalogue {
        state.isGone = false
        return .success(.gone)
      }
      let changed = state.games.values.filter { $0.revision > point.revision }.map(\.release)
      return .success(
        .page(
          ChangesPage(
            revision: state.revision,
            changed: changed.map { .success($0) } + state.unreadable.map { .failure($0) },
            removed: state.removed.filter { $0.value > point.revision }.map(\.key), next: nil)))
    }
    return try result.get()
  }

  func manifest(of release: Release) async throws(MirrorError) -> UnpackingFacts {
    let facts = state.withLock { state in
      state.requests.append("manifest \(release.id) \(release.version)")
      return state.packages[release.sha256]?.facts
    }
    guard let facts else { throw .badAnswer(url: name, reason: "status 404") }
    return facts
  }

  func delta(of release: Release) async throws(MirrorError) -> DeltaOffer? {
    state.withLock { state in
      guard let offer = state.offers[release.sha256] else { return nil }
      state.requests.append("delta \(release.id) \(release.version)")
      return offer
    }
  }
}
