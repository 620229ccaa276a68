import Catalogue
import DepotModel
import SQLite
import Testing

@Suite struct ChangesTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws { fixture = try Fixture() }

  @Test func tellsEachGameOnceInTheOrderItChanged() throws {
    try fixture.publish("a", "1")
    try fixture.publish("b", "1")
    try fixture.publish("a", "2")
    try fixture.publish("c", "1", channel: "beta")
    #expect(try fixture.changes(since: 0) == ["b=1", "a=2"])
    #expect(try fixture.changes(since: 1) == ["b=1", "a=2"])
    #expect(try fixture.changes(since: 2) == ["a=2"])
    #expect(try fixture.changes(since: 3).isEmpty)
    #expect(try fixture.changes(since: 3, channel: "beta") == ["c=1"])
    #expect(try fixture.changes(since: 4, channel: "beta").isEmpty)
  }

  @Test func raisesTheRevisionByOneForEachChange() throws {
    try fixture.publish("a", "1", title: "A")
    try fixture.publish("a", "2", title: "B")
    #expect(try catalogue.revision() == 2)
    try fixture.set("a", "stable", to: "1")
    #expect(try catalogue.revision() == 3)
    try catalogue.removeGame(try game("a"), actor: nil)
    #expect(try catalogue.revision() == 4)
    // A token shows to nobody who reads games.
    try catalogue.createToken(name: "t", scope: .read, expiresAt: nil, hash: Array(repeating: 1, count: 32))
    #expect(try catalogue.revision() == 4)
  }

  @Test func refusesRevisionsItCannotKnow() throws {
    try fixture.publish("a", "1")
    for since in [2, Int64.max, -1, .min] {
      #expect(throws: CatalogueError.revisionGone(oldest: 0, newest: 1)) {
        try catalogue.changes(since: since, channel: .stable, after: nil, limit: 10)
      }
    }
    try Database(path: fixture.path, mode: .readWrite(create: false)).run(
      "UPDATE meta SET oldest_revision = 1, revision = 5")
    #expect(throws: CatalogueError.revisionGone(oldest: 1, newest: 5)) {
      try catalogue.changes(since: 0, channel: .stable, after: nil, limit: 10)
    }
    #expect(try fixture.changes(since: 1).isEmpty)
  }

  @Test func walksPagesWhileThingsChange() throws {
    for id in ["a", "b", "c", "d", "e"] { try fixture.publish(id, "1") }
    try catalogue.removeGame(try game("b"), actor: nil)
    var told: [String] = []
    var after: String?
    var pages = 0
    repeat {
      let page = try catalogue.changes(since: 0, channel: .stable, after: after, limit: 2)
      #expect(page.changed.count + page.removed.count <= 2)
      told += page.changed.map { "\($0.gameID)=\($0.version)" } + page.removed.map { "-\($0)" }
      after = page.next
      pages += 1
      if pages == 1 {
        try fixture.publish("a", "2")
        try catalogue.removeGame(try game("d"), actor: nil)
      }
    } while after != nil
    #expect(told == ["a=1", "c=1", "e=1", "-b", "a=2", "-d"])
    #expect(try fixture.changes(since: try catalogue.revision()).isEmpty)
  }

  @Test func keepsOrderWithinOneRevision() throws {
    // A title shows in every channel at once; within one channel each revision has one game, but the cursor does not
    // rely on it.
    try fixture.publish("a", "1")
    try fixture.publish("b", "1")
    try Database(path: fixture.path, mode: .readWrite(create: false)).run("UPDATE channels SET revision = 2")
    let first = try catalogue.changes(since: 1, channel: .stable, after: nil, limit: 1)
    #expect(first.changed.map(\.gameID.text) == ["a"])
    #expect(first.next == "2:a")
    let second = try catalogue.changes(since: 1, channel: .stable, after: first.next, limit: 1)
    #expect(second.changed.map(\.gameID.text) == ["b"])
    #expect(second.next == nil)
  }

  @Test(arguments: ["", ":", "1", "1:", ":a", "x:a", "1:.a", "1:a b", "99999999999999999999:a"])
  func refusesOtherCursors(_ cursor: String) throws {
    #expect(throws: CatalogueError.unreadableCursor(cursor)) {
      try catalogue.changes(since: 0, channel: .stable, after: cursor, limit: 1)
    }
  }

  @Test func startsAtTheRevisionWhateverTheCursorSays() throws {
    try fixture.publish("a", "1")
    try fixture.publish("b", "1")
    let page = try catalogue.changes(since: 1, channel: .stable, after: "-5:a", limit: 5)
    #expect(page.changed.map(\.gameID.text) == ["b"])
  }
}
