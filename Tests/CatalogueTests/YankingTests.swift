import Catalogue
import DepotModel
import Testing

@Suite struct YankingTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws {
    fixture = try Fixture()
    try fixture.publish("snake", "1", notes: "First")
    try fixture.publish("snake", "2")
  }

  @Test func aYankedVersionIsListedAndNeverPublishedAgain() throws {
    let yanked = try catalogue.yank(try game("snake"), try h5("1"), actor: "boss")
    #expect(yanked.state == .yanked)
    #expect(try catalogue.revision() == 3)
    let history = try catalogue.versions(try game("snake"), after: nil, limit: 10).releases
    #expect(history.map(\.state) == [.published, .yanked])
    #expect(throws: CatalogueError.versionBurnt(there: yanked.md5)) { try fixture.publish("snake", "1") }
    #expect(throws: CatalogueError.versionBurnt(there: yanked.md5)) {
      try fixture.set("snake", "stable", to: "1")
    }
  }

  @Test func itStaysSoAfterTheGameWasRemoved() throws {
    let yanked = try catalogue.yank(try game("snake"), try h5("1"), actor: nil)
    try catalogue.removeGame(try game("snake"), actor: nil)
    #expect(throws: CatalogueError.versionBurnt(there: yanked.md5)) { try fixture.publish("snake", "1") }
  }

  @Test func yankingAgainChangesNothing() throws {
    try catalogue.yank(try game("snake"), try h5("1"), actor: nil)
    #expect(try catalogue.yank(try game("snake"), try h5("1"), actor: nil).state == .yanked)
    #expect(try catalogue.revision() == 3)
  }

  @Test func aVersionThatAChannelPointsAtStays() throws {
    try fixture.set("snake", "beta", to: "1")
    for (version, channel) in [("1", "beta"), ("2", "stable")] {
      #expect(
        throws: CatalogueError.versionInUse(try game("snake"), try h5(version), by: try channelName(channel))
      ) {
        try catalogue.yank(try game("snake"), try h5(version), actor: nil)
      }
    }
    #expect(try catalogue.revision() == 3)
  }

  @Test func whatIsNotThereIsTold() throws {
    #expect(throws: CatalogueError.unknownGame(try game("pong"))) {
      try catalogue.yank(try game("pong"), try h5("1"), actor: nil)
    }
    #expect(throws: CatalogueError.unknownVersion(try game("snake"), try h5("9"))) {
      try catalogue.yank(try game("snake"), try h5("9"), actor: nil)
    }
  }

  @Test func titleAndNotesAreChangedAndTakenAway() throws {
    let id = try game("snake")
    let edited = try catalogue.edit(
      id, channel: .stable, GameEdit(title: "Snake!", notes: "Two"), actor: "boss")
    #expect(edited.title == "Snake!" && edited.notes == "Two" && edited.version.text == "2")
    #expect(try fixture.changes(since: 2) == ["snake=2"])
    #expect(try catalogue.release(id, version: try h5("1"))?.notes == "First")
    let cleared = try catalogue.edit(
      id, channel: .stable, GameEdit(title: .some(nil), notes: .some(nil)), actor: nil)
    #expect(cleared.title == "snake" && cleared.notes == nil)
  }

  @Test func anEditThatChangesNothingLeavesTheRevision() throws {
    let id = try game("snake")
    #expect(try catalogue.edit(id, channel: .stable, GameEdit(), actor: nil) == (try fixture.stable("snake")))
    try catalogue.edit(id, channel: .stable, GameEdit(title: "snake"), actor: nil)
    #expect(try catalogue.revision() == 2)
    #expect(throws: CatalogueError.unknownChannel(id, try channelName("beta"))) {
      try catalogue.edit(id, channel: try channelName("beta"), GameEdit(title: "x"), actor: nil)
    }
    #expect(throws: CatalogueError.unknownGame(try game("pong"))) {
      try catalogue.edit(try game("pong"), channel: .stable, GameEdit(title: "x"), actor: nil)
    }
  }

  @Test func notesThatSeveralChannelsShowChangeInAllOfThem() throws {
    try fixture.set("snake", "beta", to: "2")
    try catalogue.edit(try game("snake"), channel: .stable, GameEdit(notes: "New"), actor: nil)
    let beta = try catalogue.changes(since: 3, channel: try channelName("beta"), after: nil, limit: 10)
    #expect(beta.changed.map(\.notes) == ["New"])
  }
}
