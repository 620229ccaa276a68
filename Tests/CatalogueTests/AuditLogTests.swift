import Catalogue
import DepotModel
import Testing

@Suite struct AuditLogTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws {
    fixture = try Fixture()
    try fixture.publish("snake", "1", token: "ci")
    fixture.clock.set(1_000_060)
    try fixture.publish("pong", "1")
    try catalogue.setChannel(
      game("snake"), channelName("beta"), to: h5("1"), mandatory: false, minHostVersion: nil,
      actor: Author(name: "ops", origin: "2001:db8:0:0:0:0:0:1"))
    // A token may be named like a game.
    try catalogue.createToken(
      name: "snake", scope: .read, expiresAt: nil, hash: Array(repeating: 1, count: 32), actor: "ops")
  }

  @Test func tellsTheNewestChangeFirstWithWhoMadeItAndFromWhere() throws {
    let records = try catalogue.audit(limit: 10)
    #expect(records.map(\.id) == [4, 3, 2, 1])
    #expect(records.map(\.action) == ["create-token", "set-channel", "publish", "publish"])
    #expect(records.map(\.actor) == ["ops", "ops", "cli", "ci"])
    #expect(records.map(\.origin) == ["cli", "2001:db8:0:0:0:0:0:1", "cli", "192.0.2.7"])
    #expect(records.map(\.subject) == ["snake", "snake", "pong", "snake"])
    #expect(records.map(\.at.seconds) == [1_000_060, 1_000_060, 1_000_060, 1_000_000])
    #expect(records[1].channel == "beta" && records[1].version == "1")
  }

  @Test func givesPagesOfOneGameOrOneActor() throws {
    #expect(try catalogue.audit(limit: 2).map(\.id) == [4, 3])
    #expect(try catalogue.audit(before: 3, limit: 2).map(\.id) == [2, 1])
    #expect(try catalogue.audit(before: 1, limit: 2).isEmpty)
    #expect(try catalogue.audit(game: game("snake"), limit: 9).map(\.id) == [3, 1])
    #expect(try catalogue.audit(before: 3, game: game("snake"), limit: 9).map(\.id) == [1])
    #expect(try catalogue.audit(actor: "ops", limit: 9).map(\.id) == [4, 3])
    #expect(try catalogue.audit(before: 4, actor: "ops", limit: 9).map(\.id) == [3])
    #expect(try catalogue.audit(game: game("snake"), actor: "ops", limit: 9).map(\.id) == [3])
    #expect(try catalogue.audit(game: game("other"), limit: 9).isEmpty)
  }
}
