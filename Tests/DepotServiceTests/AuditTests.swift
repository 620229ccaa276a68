import DepotModel
import DepotService
import HTTPWire
import TestSupport
import Testing

@Suite struct AuditTests {
  private let admin: KeyValuePairs = ["Authorization": "Bearer admin-token"]

  private func fixture() async throws -> DepotFixture {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    try await fixture.publish("gameId=b&h5Version=1", Samples.game("b"))
    return fixture
  }

  private func entries(_ reply: Reply) -> [[String: Any]] { reply.json["entries"] as? [[String: Any]] ?? [] }

  @Test func tellsWhoChangedWhatAndFromWhere() async throws {
    let fixture = try await fixture()
    var head = try request("DELETE", "/games/a", admin)
    head.peer = .ipv4(0xc000_0207, port: 4711)
    #expect(await fixture.respond(to: head).status == 204)
    let reply = try await fixture.ask("GET", "/audit?limit=1", admin)
    #expect(reply.status == 200)
    #expect(reply.fields["Cache-Control"] == "private, no-cache")
    #expect(reply.fields["Access-Control-Allow-Origin"] == nil)
    #expect(reply.response.fields.lines.contains { $0.name == "Vary" && $0.value == "Authorization" })
    let entry = try #require(entries(reply).first)
    #expect(
      Set(entry.keys) == [
        "id", "at", "actor", "from", "action", "subject", "h5Version", "channel", "detail",
      ])
    #expect(entry["actor"] as? String == "admin")
    #expect(entry["from"] as? String == "192.0.2.7")
    #expect(entry["action"] as? String == "remove-game")
    #expect(entry["subject"] as? String == "a")
    #expect(Timestamp(entry["at"] as? String ?? "") != nil)
  }

  @Test func pagesReachTheFirstEntryAndEndThere() async throws {
    let fixture = try await fixture()
    var (seen, next): ([Int], String?) = ([], nil)
    repeat {
      let reply = try await fixture.ask(
        "GET", "/audit?limit=2\(next.map { "&after=\($0)" } ?? "")", admin)
      seen += entries(reply).compactMap { $0["id"] as? Int }
      next = reply["next"]
    } while next != nil
    // Three tokens and two packages.
    #expect(seen == [5, 4, 3, 2, 1])
    #expect(entries(try await fixture.ask("GET", "/audit?game=b", admin)).count == 1)
    #expect(entries(try await fixture.ask("GET", "/audit?actor=publish&game=a", admin)).count == 1)
    #expect(entries(try await fixture.ask("GET", "/audit?actor=nobody", admin)).isEmpty)
  }

  @Test func isForAdminsAlone() async throws {
    let fixture = try await fixture()
    #expect(try await fixture.ask("/audit").status == 401)
    #expect(try await fixture.ask("GET", "/audit", ["Authorization": "Bearer publish-token"]).status == 403)
    #expect(try await fixture.ask("HEAD", "/audit", admin).status == 200)
  }

  @Test(arguments: ["after=x", "after=-1", "after=99999999999999999999", "limit=0", "game=.a", "limit=1001"])
  func namesTheFieldThatIsWrong(query: String) async throws {
    let reply = try await fixture().ask("GET", "/audit?\(query)", admin)
    #expect(reply.slug == "bad-field")
    #expect(reply["field"] == String(query.prefix { $0 != "=" }))
  }

  @Test func whoHasThePageAlreadyIsToldSo() async throws {
    let fixture = try await fixture()
    let tag = try #require(try await fixture.ask("GET", "/audit", admin).fields["ETag"])
    let again = try await fixture.ask(
      "GET", "/audit", ["Authorization": "Bearer admin-token", "If-None-Match": tag])
    #expect(again.status == 304)
  }
}
