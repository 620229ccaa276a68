import Catalogue
import DepotModel
import SQLite
import Testing

@Suite struct RemovalTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws {
    fixture = try Fixture()
    try fixture.publish("snake", "1", seed: 1, title: "Snake", package: try facts(files: 3))
    try fixture.publish("snake", "2", seed: 2)
    try fixture.publish("tetris", "1", seed: 2)
  }

  @Test func leavesNothingButTheMemory() throws {
    #expect(try catalogue.removeGame(try game("snake"), actor: nil) == [try sha256(1)])
    #expect(try catalogue.presence(of: try game("snake")) == .removed)
    #expect(try fixture.stable("snake") == nil)
    #expect(try catalogue.versionCount(try game("snake")) == 0)
    #expect(try catalogue.packageFacts(try game("snake"), try h5("1")) == nil)
    #expect(try catalogue.revision() == 4)
    #expect(try fixture.changes(since: 3) == ["-snake"])
    let database = try Database(path: fixture.path, mode: .readOnly)
    for table in ["release_packages", "release_files", "release_ignored"] {
      let left = try database.first("SELECT count(DISTINCT release) FROM \(table)") {
        (row) throws(SQLiteError) in try row.int(0)
      }
      #expect(left == 1, "\(table)")
    }
    #expect(try catalogue.integrityCheck().isEmpty)
    #expect(throws: CatalogueError.unknownGame(try game("snake"))) {
      try catalogue.removeGame(try game("snake"), actor: nil)
    }
    #expect(throws: CatalogueError.unknownGame(try game("pong"))) {
      try catalogue.removeGame(try game("pong"), actor: nil)
    }
    #expect(try catalogue.revision() == 4)
  }

  @Test func burnsVersionNumbersForOtherBytes() throws {
    try catalogue.removeGame(try game("snake"), actor: nil)
    #expect(throws: CatalogueError.versionBurnt(there: try md5(1))) {
      try fixture.publish("snake", "1", seed: 9)
    }
    #expect(try catalogue.presence(of: try game("snake")) == .removed)
    // The same bytes are published anew, as a new game.
    guard case .published(let release, let revision) = try fixture.publish("snake", "1", seed: 1) else {
      Issue.record("not published")
      return
    }
    #expect(revision == 5)
    #expect(release.title == "snake")
    #expect(release.sequence == 4)
    #expect(try fixture.changes(since: 3) == ["snake=1"])
    #expect(try fixture.changes(since: 4) == ["snake=1"])
    #expect(try catalogue.presence(of: try game("snake")) == .present)
    // What did not come back stays burnt, through a second removal too.
    for _ in 0..<2 {
      #expect(throws: CatalogueError.versionBurnt(there: try md5(2))) {
        try fixture.publish("snake", "2", seed: 9)
      }
      if try catalogue.presence(of: try game("snake")) == .present {
        try catalogue.removeGame(try game("snake"), actor: nil)
      }
    }
    #expect(throws: CatalogueError.versionBurnt(there: try md5(1))) {
      try fixture.publish("snake", "1", seed: 9)
    }
    try fixture.publish("snake", "3", seed: 9)
  }

  @Test func keepsTheIDForItsSpelling() throws {
    try catalogue.removeGame(try game("snake"), actor: nil)
    #expect(throws: CatalogueError.idCaseConflict(existing: try game("snake"))) {
      try fixture.publish("Snake", "1")
    }
    try fixture.publish("snake", "5")
    #expect(throws: CatalogueError.idCaseConflict(existing: try game("snake"))) {
      try fixture.publish("Snake", "1")
    }
  }

  @Test func isToldInTheChannelsThatShowedTheGame() throws {
    try fixture.set("snake", "beta", to: "1")
    try fixture.publish("tetris", "2", channel: "beta")
    let before = try catalogue.revision()
    try catalogue.removeGame(try game("snake"), actor: nil)
    #expect(try fixture.changes(since: before) == ["-snake"])
    #expect(try fixture.changes(since: before, channel: "beta") == ["-snake"])
    #expect(try fixture.changes(since: before, channel: "alpha").isEmpty)
    // It returns to one channel only, so the other has lost it for good.
    try fixture.publish("snake", "3", channel: "beta")
    #expect(try fixture.changes(since: before) == ["-snake"])
    #expect(try fixture.changes(since: before, channel: "beta") == ["snake=3"])
    try fixture.set("snake", "stable", to: "3")
    #expect(try fixture.changes(since: before) == ["snake=3"])
  }
}
