import DepotModel
import Testing

@testable import Catalogue

@Suite struct PublishingTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws { fixture = try Fixture() }

  @Test func publishesAndMovesTheChannel() throws {
    let outcome = try fixture.publish(
      "snake", "1.0", seed: 7, title: "Snake", mandatory: true, minHostVersion: "3.1", notes: "First")
    let expected = Release(
      gameID: try game("snake"), title: "Snake", version: try h5("1.0"), md5: try md5(7),
      sha256: try sha256(7), size: 1000, publishedAt: fixture.clock.now, mandatory: true,
      minHostVersion: "3.1", notes: "First", state: .published, channel: .stable, movedAt: fixture.clock.now,
      sequence: 1)
    #expect(outcome == .published(expected, revision: 1))
    #expect(try fixture.stable("snake") == expected)
    #expect(try catalogue.release(try game("snake"), version: try h5("1.0")) == expected)
    #expect(try catalogue.revision() == 1)
    #expect(try catalogue.presence(of: try game("snake")) == .present)
    #expect(try catalogue.versionCount(try game("snake")) == 1)
    _ = try fixture.publish("snake", "0.9")
    // The newest upload is current, not what sorts highest.
    #expect(try fixture.stable("snake")?.version == h5("0.9"))
    #expect(try catalogue.revision() == 2)
  }

  @Test func knowsNothingOfOthers() throws {
    try fixture.publish("snake", "1")
    #expect(try fixture.stable("tetris") == nil)
    #expect(try fixture.stable("Snake") == nil)
    #expect(try catalogue.release(try game("snake"), channel: try channelName("beta")) == nil)
    #expect(try catalogue.release(try game("snake"), version: try h5("2")) == nil)
    #expect(try catalogue.packageFacts(try game("snake"), try h5("2")) == nil)
    #expect(try catalogue.presence(of: try game("tetris")) == .unknown)
    #expect(try catalogue.versionCount(try game("tetris")) == 0)
    #expect(try catalogue.channels(try game("tetris")).isEmpty)
    #expect(try catalogue.versions(try game("tetris"), after: nil, limit: 5).releases.isEmpty)
  }

  @Test func changesNothingForTheSameBytesAgain() throws {
    try fixture.publish("snake", "1", seed: 1, title: "Snake")
    try fixture.publish("snake", "2", seed: 2)
    let before = (try catalogue.revision(), try catalogue.changeToken(), try fixture.audit())
    fixture.clock.set(2_000_000)
    // The channel points at 2 and stays there; settings and title stay too.
    guard
      case .alreadyThere(let release) = try fixture.publish(
        "snake", "1", seed: 1, title: "Other", channel: "beta", mandatory: true, notes: "n")
    else {
      Issue.record("published twice")
      return
    }
    #expect(release.version == (try h5("1")))
    #expect(release.title == "Snake")
    #expect(try fixture.stable("snake")?.version == h5("2"))
    #expect(try catalogue.release(try game("snake"), channel: try channelName("beta")) == nil)
    #expect((try catalogue.revision(), try catalogue.changeToken(), try fixture.audit()) == before)
    guard case .alreadyThere(let current) = try fixture.publish("snake", "2", seed: 2) else {
      Issue.record("published twice")
      return
    }
    #expect(current == (try fixture.stable("snake")))
  }

  @Test func refusesOtherBytesUnderAUsedVersion() throws {
    try fixture.publish("snake", "1", seed: 1)
    let before = try catalogue.changeToken()
    #expect(throws: CatalogueError.versionExists(there: try md5(1))) {
      try fixture.publish("snake", "1", seed: 2)
    }
    #expect(try catalogue.changeToken() == before)
    #expect(try catalogue.revision() == 1)
    try fixture.publish("tetris", "1", seed: 2)
  }

  @Test func refusesAnIDThatDiffersOnlyByCase() throws {
    try fixture.publish("Snake", "1")
    for other in ["snake", "SNAKE", "sNake"] {
      #expect(throws: CatalogueError.idCaseConflict(existing: try game("Snake"))) {
        try fixture.publish(other, "1")
      }
      #expect(throws: CatalogueError.idCaseConflict(existing: try game("Snake"))) {
        try catalogue.standing(of: try h5("1"), try game(other))
      }
    }
    #expect(try catalogue.revision() == 1)
    try fixture.publish("snake2", "1")
  }

  @Test func takesTheTitleOnlyWhenThereIsOne() throws {
    try fixture.publish("snake", "1", channel: "beta")
    let beta = try channelName("beta")
    #expect(try catalogue.release(try game("snake"), channel: beta)?.title == "snake")
    try fixture.publish("snake", "2", title: "Snake ‘蛇’")
    try fixture.publish("snake", "3")
    #expect(try fixture.stable("snake")?.title == "Snake ‘蛇’")
    #expect(try catalogue.release(try game("snake"), version: try h5("1"))?.title == "Snake ‘蛇’")
    // The new title shows in the channel that was not moved; publishing under the same one does not.
    #expect(try fixture.changes(since: 1, channel: "beta") == ["snake=1"])
    try fixture.publish("snake", "4", title: "Snake ‘蛇’")
    #expect(try fixture.changes(since: 3, channel: "beta").isEmpty)
  }

  @Test func keepsWhatWasUploadedBesideTheChannelsSettings() throws {
    try fixture.publish("snake", "1", mandatory: true, minHostVersion: "2", notes: "n")
    try fixture.set("snake", "stable", to: "1")
    let shown = try #require(try fixture.stable("snake"))
    #expect(!shown.mandatory && shown.minHostVersion == nil && shown.notes == "n")
    let uploaded = try #require(try catalogue.release(try game("snake"), version: try h5("1")))
    #expect(uploaded.mandatory && uploaded.minHostVersion == "2")
  }

  @Test func keepsWhatIsInThePackage() throws {
    let package = try facts(files: 300)
    try fixture.publish("snake", "1", package: package)
    #expect(try catalogue.packageFacts(try game("snake"), try h5("1")) == package)
    var empty = try facts(files: 0)
    empty.blocks = []
    empty.ignored = []
    empty.root = ""
    try fixture.publish("snake", "2", package: empty)
    #expect(try catalogue.packageFacts(try game("snake"), try h5("2")) == empty)
  }

  @Test func tellsTheStandingOfAVersionNumber() throws {
    #expect(try catalogue.standing(of: try h5("1"), try game("snake")) == .free)
    try fixture.publish("snake", "1", seed: 5)
    let release = try #require(try fixture.stable("snake"))
    #expect(try catalogue.standing(of: try h5("1"), try game("snake")) == .published(release))
    #expect(try catalogue.standing(of: try h5("2"), try game("snake")) == .free)
    try catalogue.removeGame(try game("snake"), actor: nil)
    #expect(
      try catalogue.standing(of: try h5("1"), try game("snake"))
        == .burnt(md5: try md5(5), sha256: try sha256(5)))
    #expect(try catalogue.standing(of: try h5("2"), try game("snake")) == .free)
  }

  @Test func listsVersionsNewestFirst() throws {
    for version in ["3", "1", "2"] { try fixture.publish("snake", version) }
    try fixture.publish("tetris", "9")
    try fixture.set("snake", "beta", to: "1")
    try fixture.set("snake", "alpha", to: "1")
    let all = try catalogue.versions(try game("snake"), after: nil, limit: 10)
    #expect(all.releases.map(\.version.text) == ["2", "1", "3"])
    #expect(all.releases.map(\.channel?.text) == ["stable", "alpha", nil])
    #expect(all.next == nil)
    #expect(all.revision == 6)
    try fixture.set("snake", "stable", to: "1")
    #expect(
      try catalogue.versions(try game("snake"), after: nil, limit: 10).releases.map(\.channel?.text)
        == [nil, "stable", nil])
    let first = try catalogue.versions(try game("snake"), after: nil, limit: 2)
    #expect(first.releases.map(\.version.text) == ["2", "1"])
    // A version published between two pages disturbs neither.
    try fixture.publish("snake", "4")
    let second = try catalogue.versions(try game("snake"), after: first.next, limit: 2)
    #expect(second.releases.map(\.version.text) == ["3"])
    #expect(second.next == nil)
    for cursor in ["", "x", "-1", "0", "1.5", "99999999999999999999"] {
      #expect(throws: CatalogueError.unreadableCursor(cursor)) {
        try catalogue.versions(try game("snake"), after: cursor, limit: 2)
      }
    }
  }

  @Test func listsEveryReleaseAndDigestInUse() throws {
    try fixture.publish("b", "1", seed: 1)
    try fixture.publish("a", "1", seed: 1)
    try fixture.publish("b", "2", seed: 2)
    #expect(try catalogue.allReleases().map { "\($0.gameID) \($0.version)" } == ["b 1", "a 1", "b 2"])
    #expect(try catalogue.referencedDigests() == [try sha256(1), try sha256(2)])
  }

  @Test func answersForManyGamesFromOneSnapshot() throws {
    try fixture.publish("a", "1")
    try fixture.publish("b", "1", channel: "beta")
    let ids = try ["a", "b", "c", "a"].map { try game($0) }
    let answer = try catalogue.releases(of: ids, channel: .stable)
    #expect(answer.revision == 2)
    #expect(answer.releases.keys.map(\.text) == ["a"])
  }

  @Test func writesTheAuditLog() throws {
    try fixture.publish("snake", "1", seed: 1, token: "ci")
    try fixture.publish("snake", "1", seed: 1, token: "ci")
    try fixture.publish("snake", "2", seed: 2)
    try fixture.set("snake", "stable", to: "1", actor: "ops")
    try fixture.set("snake", "stable", to: "1", actor: "ops")
    try fixture.set("snake", "beta", to: "1", actor: "ops")
    try catalogue.removeGame(try game("snake"), actor: "ops")
    #expect(
      try fixture.audit() == [
        "ci publish snake 1 stable \(try sha256(1))", "cli publish snake 2 stable \(try sha256(2))",
        "ops set-channel snake 1 stable from 2", "ops set-channel snake 1 beta -",
        "ops remove-game snake - - -",
      ])
  }
}
