import DepotModel
import Foundation
import HTTPClient
import SQLite
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct MirrorOffersTests {
  private let bench: Bench
  private var offers: MirrorOffers { MirrorOffers(destination: bench.destination) }

  init() throws { bench = try Bench() }

  private func install(_ version: String, _ text: String, _ id: String = "game") async throws {
    try bench.depot.publish(id, version, text)
    try await bench.sync()
  }

  private func changes(since revision: Int64) throws -> [String] {
    try offers.changes(after: MirrorOffers.Place(revision: revision + 1, game: ""), limit: 100).changes.map {
      "\($0.id) \($0.offer?.version.text ?? "gone")"
    }
  }

  private var revision: Int64 { get throws { try offers.state().point.revision } }

  @Test func offersWhatIsInUse() async throws {
    try await install("1", "old")
    try await install("2", "new")
    let found = try offers.games(after: nil, limit: 10, matching: nil)
    let offer = try #require(found.offers.first)
    #expect(found.offers.count == 1 && offer.version.text == "2" && offer.isCurrent)
    #expect(offer.title == "Game game" && offer.root == "" && offer.namesEncoding == "utf-8")
    #expect(found.state.channel == .stable)
    #expect(try offers.package(of: offer.id, offer.version, size: offer.size) != nil)
    #expect(try offers.package(of: offer.id, offer.version, size: offer.size + 1) == nil)
    #expect(try offers.package(of: offer.id, version("9"), size: 1) == nil)
    let versions = try #require(try offers.versions(of: [game("game"), game("other")]).games[game("game")])
    #expect(Set(versions.all.map(\.version.text)) == ["1", "2"] && !versions.isRemoved)
  }

  @Test func aGameWithoutThePackageInUseIsNotOffered() async throws {
    try await install("1", "old")
    let first = try revision
    try bench.depot.publish("game", "2", "new")
    try await bench.sync(Bench.options(keepsPackages: false))
    #expect(try offers.games(after: nil, limit: 10, matching: nil).offers.isEmpty)
    #expect(try changes(since: first) == ["game gone"])
    let second = try revision
    try await install("3", "newest")
    #expect(try changes(since: second) == ["game 3"])
  }

  @Test func whoAsksAgainIsToldOfWhatAnotherProcessChanged() async throws {
    let offers = offers
    #expect(try offers.changeToken() == nil && offers.state() == .empty, "there is no record yet")
    try await install("1", "old")
    let first = try #require(try offers.changeToken())
    #expect(try offers.state().point.revision > 0)
    #expect(try offers.changeToken() == first)
    try await install("2", "new")
    let second = try #require(try offers.changeToken())
    #expect(second != first)
    #expect(try offers.games(after: nil, limit: 1, matching: nil).offers.first?.version.text == "2")
  }

  @Test func aRecordThatWasReplacedIsReadAnew() async throws {
    let offers = offers
    try await install("1", "old")
    let first = try offers.state()
    let token = try #require(try offers.changeToken())
    for name in ["mirror.sqlite", "mirror.sqlite-wal", "mirror.sqlite-shm"] {
      try? FileManager.default.removeItem(atPath: "\(bench.destination)/\(name)")
    }
    #expect(try offers.state() == .empty && offers.changeToken() == nil)
    try await bench.sync()
    #expect(try offers.state().point.catalogue != first.point.catalogue)
    #expect(try #require(try offers.changeToken()) != token)
  }

  @Test func countsEveryChangeAndNothingElse() async throws {
    try await install("1", "old")
    let first = try revision
    try await bench.sync()
    #expect(try revision == first)
    try await install("2", "new")
    #expect(try changes(since: first) == ["game 2"])
    let second = try revision
    _ = try await bench.mirror().rollBack(game("game"), to: nil, lockWait: .zero)
    #expect(try changes(since: second) == ["game 1"])
    let third = try revision
    try await bench.mirror().remove(game("game"), lockWait: .zero)
    #expect(try changes(since: third) == ["game gone"])
    #expect(try offers.versions(of: [game("game")]).games[game("game")]?.isRemoved == true)
    let fourth = try revision
    try await bench.sync()
    #expect(try changes(since: fourth) == ["game 2"])
    #expect(try offers.versions(of: [game("game")]).games[game("game")]?.isRemoved == false)
    #expect(try changes(since: try revision) == [])
  }

  @Test func aMoveIsNeverOfTheSameSecondAsTheOneBefore() async throws {
    try await install("1", "old")
    func movedAt() throws -> Int64 {
      try #require(try offers.games(after: nil, limit: 1, matching: nil).offers.first).movedAt.seconds
    }
    let first = try movedAt()
    try await install("2", "new")
    let second = try movedAt()
    #expect(second > first)
    _ = try await bench.mirror().rollBack(game("game"), to: nil, lockWait: .zero)
    #expect(try movedAt() > second)
  }

  @Test func pagesInTheOrderOfIdsAndFindsPartsOfTitles() async throws {
    for id in ["b", "a", "c"] { try bench.depot.publish(id, "1", id) }
    try await bench.sync()
    let page = try offers.games(after: nil, limit: 1, matching: nil).offers.map(\.id.text)
    #expect(page == ["a", "b"], "one more than asked for")
    #expect(try offers.games(after: game("b"), limit: 5, matching: nil).offers.map(\.id.text) == ["c"])
    #expect(try offers.games(after: nil, limit: 5, matching: "GAME B").offers.map(\.id.text) == ["b"])
    #expect(try offers.games(after: nil, limit: 5, matching: "%").offers.isEmpty)
  }

  @Test func learnsWhatIsSaidAnewOfAVersionThatStands() async throws {
    try await install("1", "old")
    let before = try revision
    let store = try Store(root: bench.destination)
    _ = try store.withDatabase { (database) throws(SQLiteError) in
      try database.run("UPDATE targets SET title = 'Renamed', notes = 'new words', mandatory = 1")
    }
    let offer = try #require(try offers.games(after: nil, limit: 1, matching: nil).offers.first)
    #expect(offer.title == "Renamed" && offer.notes == "new words" && offer.mandatory)
    #expect(try changes(since: before) == ["game 1"])
    let after = try revision
    _ = try store.withDatabase { (database) throws(SQLiteError) in
      try database.run("UPDATE targets SET notes = 'new words'")
      try database.run("UPDATE targets SET version = '9', notes = 'of another version'")
    }
    #expect(try revision == after)
  }

  @Test func aMirrorThatWasNeverSyncedOffersNothing() throws {
    #expect(try offers.state() == .empty)
    #expect(try offers.games(after: nil, limit: 5, matching: nil).offers.isEmpty)
    #expect(try offers.changes(after: MirrorOffers.Place(revision: 0, game: ""), limit: 5).changes.isEmpty)
    #expect(try offers.versions(of: [game("game")]).games.isEmpty)
    #expect(try offers.package(of: game("game"), version("1"), size: 1) == nil)
  }

  @Test func aRecordOfAnEarlierVersionIsNotReadButNeverWritten() async throws {
    let path = "\(bench.destination)/mirror.sqlite"
    try await install("1", "old")
    let store = try Store(root: bench.destination)
    try store.withDatabase { (database) throws(SQLiteError) in
      for name in [
        "installed_learns", "targets_teach_new", "targets_teach", "offers_new", "offers_moved", "offers_left",
        "offers_removed", "offers_told",
      ] { try database.execute("DROP TRIGGER \(name)") }
      try database.execute(
        """
        DROP TABLE offers; DROP TABLE offering;
        ALTER TABLE targets DROP COLUMN mandatory; ALTER TABLE targets DROP COLUMN min_host_version;
        ALTER TABLE targets DROP COLUMN notes; ALTER TABLE installed DROP COLUMN published_at;
        ALTER TABLE installed DROP COLUMN mandatory; ALTER TABLE installed DROP COLUMN min_host_version;
        ALTER TABLE installed DROP COLUMN notes; PRAGMA user_version = 5
        """)
    }
    #expect(
      throws: MirrorError.store(
        path: path, reason: "it was written by an earlier version; the next sync brings it up to date",
        isUnwritable: false)
    ) { try offers.state() }
    try await bench.sync()
    let offer = try #require(try offers.games(after: nil, limit: 1, matching: nil).offers.first)
    #expect(offer.version.text == "1")
    #expect(try revision == 1, "what stood before is the first state")
  }
}
