import Catalogue
import DepotModel
import Testing

@Suite struct ListingTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws { fixture = try Fixture() }

  private func ids(_ matching: String? = nil, channel: String = "stable") throws -> [String] {
    try catalogue.games(channel: channelName(channel), after: nil, limit: 100, matching: matching)
      .releases.map(\.gameID.text)
  }

  @Test func listsAChannelInByteOrder() throws {
    for id in ["b", "a.b", "a-b", "B2", "a_", "a0", "aa"] { try fixture.publish(id, "1") }
    try fixture.publish("beta-only", "1", channel: "beta")
    #expect(try ids() == ["B2", "a-b", "a.b", "a0", "a_", "aa", "b"])
    #expect(try ids(channel: "beta") == ["beta-only"])
    #expect(try ids(channel: "none").isEmpty)
    #expect(try catalogue.games(channel: .stable, after: nil, limit: 100, matching: nil).revision == 8)
  }

  @Test func showsWhatTheChannelPointsAtWithItsSettings() throws {
    try fixture.publish("a", "1", mandatory: true)
    try fixture.publish("a", "2")
    try fixture.set("a", "stable", to: "1", minHostVersion: "4")
    let listed = try catalogue.games(channel: .stable, after: nil, limit: 1, matching: nil).releases
    #expect(listed == [try #require(try fixture.stable("a"))])
    #expect(listed.first?.minHostVersion == "4")
  }

  @Test func walksPages() throws {
    for number in 0..<7 { try fixture.publish("g\(number)", "1") }
    var seen: [String] = []
    var after: String?
    var pages = 0
    repeat {
      let page = try catalogue.games(channel: .stable, after: after, limit: 3, matching: nil)
      seen += page.releases.map(\.gameID.text)
      after = page.next
      pages += 1
      // Removing the game the cursor names loses nothing.
      if pages == 1 { try catalogue.removeGame(try game("g2"), actor: nil) }
    } while after != nil
    #expect(seen == ["g0", "g1", "g2", "g3", "g4", "g5", "g6"])
    #expect(pages == 3)
    let exact = try catalogue.games(channel: .stable, after: nil, limit: 6, matching: nil)
    #expect(exact.releases.count == 6 && exact.next == nil)
    #expect(try catalogue.games(channel: .stable, after: "zz", limit: 3, matching: nil).releases.isEmpty)
  }

  @Test(arguments: [
    ("snake", ["snake"]), ("SNAKE", ["snake"]), ("nak", ["snake"]), ("%", ["percent"]), ("_", ["low_er"]),
    ("100% FUN", ["percent"]), ("\\", ["slash"]), ("", ["low_er", "percent", "slash", "snake"]),
    ("蛇", ["snake"]),
    ("é", ["slash"]), ("É", []), ("snakes", []), ("'; DROP TABLE games; --", []), ("a\u{0}b", []),
  ])
  func findsIDsAndTitlesThatContainAText(_ text: String, _ expected: [String]) throws {
    try fixture.publish("snake", "1", title: "The 蛇 Game")
    try fixture.publish("percent", "1", title: "100% fun")
    try fixture.publish("low_er", "1", title: "x")
    try fixture.publish("slash", "1", title: "a\\b é")
    #expect(try ids(text) == expected)
  }

  @Test func pagesWhatMatches() throws {
    for number in 0..<6 { try fixture.publish(number % 2 == 0 ? "even\(number)" : "odd\(number)", "1") }
    let first = try catalogue.games(channel: .stable, after: nil, limit: 2, matching: "EVEN")
    #expect(first.releases.map(\.gameID.text) == ["even0", "even2"])
    let second = try catalogue.games(channel: .stable, after: first.next, limit: 2, matching: "EVEN")
    #expect(second.releases.map(\.gameID.text) == ["even4"])
    #expect(second.next == nil)
  }

  @Test(arguments: [Int.min, -1, 0, 1])
  func givesAtLeastOneGame(_ limit: Int) throws {
    try fixture.publish("a", "1")
    try fixture.publish("b", "1")
    #expect(
      try catalogue.games(channel: .stable, after: nil, limit: limit, matching: nil).releases.count == 1)
    #expect(try catalogue.changes(since: 0, channel: .stable, after: nil, limit: limit).changed.count == 1)
    #expect(try catalogue.versions(try game("a"), after: nil, limit: limit).releases.count == 1)
  }

  @Test func takesAnyLargeLimit() throws {
    try fixture.publish("a", "1")
    #expect(
      try catalogue.games(channel: .stable, after: nil, limit: .max, matching: nil).releases.count == 1)
    #expect(try catalogue.changes(since: 0, channel: .stable, after: nil, limit: .max).changed.count == 1)
  }
}
