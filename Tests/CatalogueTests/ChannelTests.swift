import Catalogue
import DepotModel
import Testing

@Suite struct ChannelTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws {
    fixture = try Fixture()
    try fixture.publish("snake", "1", mandatory: true, minHostVersion: "5")
    try fixture.publish("snake", "2")
  }

  @Test func rollsBackAndPromotes() throws {
    let back = try fixture.set("snake", "stable", to: "1", mandatory: true, minHostVersion: "9")
    #expect(back.version == (try h5("1")))
    #expect(back.mandatory && back.minHostVersion == "9")
    #expect(try fixture.stable("snake") == back)
    let beta = try fixture.set("snake", "beta", to: "2")
    #expect(beta.channel == (try channelName("beta")))
    #expect(try catalogue.revision() == 4)
    let states = try catalogue.channels(try game("snake"))
    #expect(states.map(\.name.text) == ["beta", "stable"])
    #expect(states.map(\.version.text) == ["2", "1"])
    #expect(states.map(\.mandatory) == [false, true])
    #expect(states.map(\.minHostVersion) == [nil, "9"])
    #expect(states.map(\.rollout) == [100, 100])
    #expect(states.last?.movedAt == back.movedAt)
  }

  @Test func changesNothingWhenAllIsAsAsked() throws {
    let before = (try catalogue.revision(), try catalogue.changeToken())
    fixture.clock.set(3_000_000)
    let same = try fixture.set("snake", "stable", to: "2")
    #expect(same == (try fixture.stable("snake")))
    #expect((try catalogue.revision(), try catalogue.changeToken()) == before)
  }

  @Test func changesSettingsWithoutMovingTheTime() throws {
    let before = try #require(try fixture.stable("snake"))
    fixture.clock.set(3_000_000)
    let after = try fixture.set("snake", "stable", to: "2", mandatory: true)
    #expect(after.movedAt == before.movedAt)
    #expect(after.mandatory)
    #expect(try catalogue.revision() == 3)
    #expect(try fixture.changes(since: 2) == ["snake=2"])
  }

  @Test(arguments: [Int64(1_000_000), 999_000, 0, 1_000_001, 5_000_000])
  func movesItsTimeByAtLeastASecond(_ clock: Int64) throws {
    var last = try #require(try fixture.stable("snake")).movedAt
    fixture.clock.set(clock)
    for version in ["1", "2", "1", "2"] {
      let moved = try fixture.set("snake", "stable", to: version).movedAt
      #expect(moved >= Timestamp(seconds: last.seconds + 1))
      #expect(moved >= fixture.clock.now)
      last = moved
    }
    try fixture.publish("snake", "3")
    #expect(try #require(try fixture.stable("snake")).movedAt > last)
  }

  @Test func continuesItsTimeAfterRemovalAndReturn() throws {
    try fixture.set("snake", "stable", to: "1")
    let last = try #require(try fixture.stable("snake")).movedAt
    try catalogue.removeGame(try game("snake"), actor: nil)
    fixture.clock.set(10)
    try fixture.publish("snake", "9")
    #expect(try fixture.stable("snake")?.movedAt.seconds == last.seconds + 1)
  }

  @Test func refusesUnknownTargets() throws {
    #expect(throws: CatalogueError.unknownGame(try game("tetris"))) {
      try fixture.set("tetris", "stable", to: "1")
    }
    #expect(throws: CatalogueError.unknownVersion(try game("snake"), try h5("3"))) {
      try fixture.set("snake", "stable", to: "3")
    }
    try catalogue.removeGame(try game("snake"), actor: nil)
    #expect(throws: CatalogueError.unknownGame(try game("snake"))) {
      try fixture.set("snake", "stable", to: "1")
    }
  }

  @Test func refusesYankedVersions() throws {
    try fixture.yank("snake", "1")
    let there = try #require(try catalogue.release(try game("snake"), version: try h5("1")))
    #expect(there.state == .yanked)
    #expect(throws: CatalogueError.versionBurnt(there: there.md5)) {
      try fixture.set("snake", "stable", to: "1")
    }
    #expect(throws: CatalogueError.versionBurnt(there: there.md5)) { try fixture.publish("snake", "1") }
    // Removing the game does not give a yanked number back, not even to the same bytes.
    try catalogue.removeGame(try game("snake"), actor: nil)
    #expect(throws: CatalogueError.versionBurnt(there: there.md5)) { try fixture.publish("snake", "1") }
    try fixture.publish("snake", "2")
  }
}
