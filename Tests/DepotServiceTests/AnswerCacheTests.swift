import Catalogue
import DepotModel
import HTTPWire
import Synchronization
import TestSupport
import Testing

@testable import DepotService
@testable import ReadAPI

@Suite struct AnswerCacheTests {
  private func cache(entries: Int = 64, bytes: Int = 1 << 20, dependsOnHost: Bool = true) -> AnswerCache<Int>
  {
    let cache = AnswerCache<Int>(entries: entries, bytes: bytes, dependsOnHost: dependsOnHost)
    cache.refresh(token: 1)
    return cache
  }

  @Test func tellsTargetsHostsAndSchemesApart() throws {
    let cache = cache()
    let first = try request("GET", "/a", ["Host": "x"])
    cache.insert(1, weight: 10, for: first, token: 1)
    #expect(cache.entry(for: first)?.value == 1)
    #expect(cache.entry(for: try request("GET", "/a?", ["Host": "x"]))?.value == nil)
    #expect(cache.entry(for: try request("GET", "/b", ["Host": "x"]))?.value == nil)
    #expect(cache.entry(for: try request("GET", "/a", ["Host": "y"]))?.value == nil)
    var secure = first
    secure.isSecure = true
    #expect(cache.entry(for: secure)?.value == nil)
    let shared = self.cache(dependsOnHost: false)
    shared.insert(2, weight: 10, for: first, token: 1)
    #expect(shared.entry(for: try request("GET", "/a", ["Host": "y"]))?.value == 2)
    #expect(shared.entry(for: secure)?.value == nil || shared.entry(for: secure)?.value == 2)
  }

  @Test func forgetsEverythingWhenTheTokenChanges() throws {
    let cache = cache()
    let first = try request("GET", "/a")
    cache.insert(1, weight: 10, for: first, token: 1)
    cache.refresh(token: 1)
    #expect(cache.entry(for: first)?.value == 1)
    cache.refresh(token: 2)
    #expect(cache.entry(for: first)?.value == nil)
    #expect(cache.count == 0)
    cache.insert(1, weight: 10, for: first, token: 1)
    #expect(cache.entry(for: first)?.value == nil, "it was read before the change")
    cache.insert(2, weight: 10, for: first, token: 2)
    cache.insert(3, weight: 10, for: first, token: 2)
    #expect(cache.entry(for: first)?.value == 3)
    #expect(cache.count == 1)
    cache.refresh(token: nil)
    cache.insert(1, weight: 10, for: first, token: nil)
    #expect(cache.entry(for: first)?.value == nil)
  }

  @Test func staysWithinItsBounds() throws {
    let cache = cache(entries: 64, bytes: 100_000)
    for number in 0..<1000 {
      cache.insert(number, weight: 100, for: try request("GET", "/\(number)"), token: 1)
      #expect(cache.count <= 64)
    }
    #expect(cache.entry(for: try request("GET", "/999"))?.value == 999)
    let small = self.cache(entries: 4096, bytes: 100_000)
    for number in 0..<1000 {
      small.insert(number, weight: 1000, for: try request("GET", "/\(number)"), token: 1)
      #expect(small.count <= 100)
      #expect(small.entry(for: try request("GET", "/\(number)"))?.value == number)
    }
    #expect(small.count > 50)
    small.insert(1, weight: 50_000, for: try request("GET", "/large"), token: 1)
    #expect(small.entry(for: try request("GET", "/large"))?.value == nil)
  }

  @Test func keepsWhatIsAskedForOften() throws {
    let cache = cache(entries: 64, bytes: 60_000)
    let hot = try request("GET", "/hot")
    cache.insert(-1, weight: 100, for: hot, token: 1)
    var misses = 0
    for number in 0..<2000 {
      if cache.entry(for: hot)?.value == nil {
        misses += 1
        cache.insert(-1, weight: 100, for: hot, token: 1)
      }
      cache.insert(number, weight: 100, for: try request("GET", "/\(number)"), token: 1)
    }
    #expect(misses < 20)
  }
}

/// The cache behind the routes.
@Suite struct ReadyAnswerTests {
  @Test func answersTheSecondTimeWithoutAWorker() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    for target in ["/games", "/games/a/versions", "/games/a/manifest"] {
      #expect(try await !fixture.ask(target).wasInline)
      #expect(try await fixture.ask(target).wasInline)
      #expect(try await fixture.ask("HEAD", target).wasInline)
    }
  }

  @Test func makesWhatManyAskForAtOnceOnlyOnce() async throws {
    let fixture = try DepotFixture()
    fixture.handler.prepareBatch()
    let made = Atomic<Int>(0)
    let asked = try request("GET", "/games/a/manifest")
    let works = (0..<5).map { _ in
      fixture.handler.laterCached(asked) {
        Answer(
          Array("\(made.add(1, ordering: .relaxed).newValue)".utf8), type: "text/plain",
          cacheControl: "no-cache")
      }
    }
    for work in works {
      guard case .later(let work) = work else { Issue.record("it is a worker's"); continue }
      #expect(Reply(await work(BytesBody()), wasInline: false).text == "1")
    }
    // They waited: what was published meanwhile they would tell of.
    try await fixture.publish("gameId=b&h5Version=1")
    guard case .later(let work) = works[0] else { return }
    #expect(Reply(await work(BytesBody()), wasInline: false).text == "2")
  }

  @Test func seesWhatAnotherProcessPublished() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    let targets = ["/games", "/games/a", "/games/a/check", "/games/a/manifest"]
    for target in targets { #expect(try await fixture.ask(target).text.contains(#""h5Version":"1""#)) }
    #expect(try await fixture.ask("/games/a/package.zip").fields["X-H5-Version"] == "1")
    let other = try DepotFixture(reopening: fixture)
    try await other.publish("gameId=a&h5Version=2", Samples.game("two"))
    for target in targets {
      #expect(try await fixture.ask(target).text.contains(#""h5Version":"2""#), "\(target)")
    }
    #expect(try await fixture.ask("/games/a/package.zip").fields["X-H5-Version"] == "2")
    _ = try await other.ask("DELETE", "/games/a", ["Authorization": "Bearer admin-token"])
    #expect(try await fixture.ask("/games/a").slug == "unknown-game")
    #expect(try await fixture.ask("/games/a/package.zip").slug == "unknown-game")
  }

  @Test func keptAnswersAreRepeatableUntilTheCatalogueChanges() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    func isRepeatable(_ target: String) throws -> Bool {
      fixture.handler.prepareBatch()
      let edition = fixture.handler.edition
      for _ in 0..<2 {
        if case .repeatable = fixture.handler.respond(to: try request("GET", target)) {
          #expect(fixture.handler.edition == edition)
          return true
        }
      }
      return false
    }
    #expect(try isRepeatable("/games/a/check?h5Version=0"))
    #expect(try !isRepeatable("/health"), "it is of this moment")
    #expect(try !isRepeatable("/games/a/package.zip"))
    let first = fixture.handler.edition
    try await fixture.publish("gameId=b&h5Version=1")
    let second = fixture.handler.edition
    #expect(first != second, "before whoever published is told")
    #expect(try isRepeatable("/games/a/check?h5Version=0"))
    try await DepotFixture(reopening: fixture).publish("gameId=a&h5Version=2", Samples.game("two"))
    fixture.handler.prepareBatch()
    #expect(fixture.handler.edition != second)
  }

  @Test func neverGivesOneHostsLinksToAnother() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    for _ in 0..<2 {
      for host in ["one.test", "two.test"] {
        #expect(try await fixture.ask("GET", "/games/a", ["Host": host])["h5Down"]?.contains(host) == true)
      }
    }
  }

  @Test func keepsNoChecksOfSingleDevices() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    #expect(try await fixture.ask("/games/a/check?h5Version=1&deviceId=d").status == 200)
    #expect(try await fixture.ask("/games/a/check?h5Version=1&deviceId=d").status == 200)
  }
}
