import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import TestSupport
import Testing

@Suite struct ListingTests {
  private func fixture(_ ids: [String]) async throws -> DepotFixture {
    let fixture = try DepotFixture()
    for id in ids { try await fixture.publish("gameId=\(id)&h5Version=1&title=Title%20of%20\(id)") }
    return fixture
  }

  private func ids(_ reply: Reply, _ member: String = "games") -> [String] {
    (reply.json[member] as? [[String: Any]] ?? []).compactMap { $0["gameId"] as? String }
  }

  @Test func listsGamesInTheOrderOfTheirIds() async throws {
    let fixture = try await fixture(["b", "C", "a"])
    let reply = try await fixture.ask("/games")
    #expect(reply.status == 200)
    #expect(reply.fields["Content-Type"] == "application/json")
    #expect(ids(reply) == ["C", "a", "b"])
    #expect(reply["catalogue"] == fixture.depot.catalogue.identity)
    #expect(reply.json["revision"] as? Int64 == (try fixture.depot.catalogue.revision()))
    #expect(reply.json["next"] is NSNull)
    #expect(reply.fields["Link"] == nil)
  }

  @Test func listsAnEmptyDepot() async throws {
    let reply = try await fixture([]).ask("/games")
    #expect(reply.status == 200)
    #expect(ids(reply).isEmpty)
  }

  @Test func walksPagesByTheLinkField() async throws {
    let fixture = try await fixture(["a", "b", "c", "d", "e"])
    var target = "/games?limit=2&q=TITLE%20of"
    var seen: [[String]] = []
    while seen.count < 10 {
      let reply = try await fixture.ask(target)
      seen.append(ids(reply))
      guard let link = reply.fields["Link"] else { break }
      #expect(link.hasPrefix("<http://depot.test/games?"))
      #expect(link.hasSuffix(">; rel=\"next\""))
      target = String(link.dropFirst("<http://depot.test".count).prefix { $0 != ">" })
      #expect(reply["next"] != nil)
    }
    #expect(seen == [["a", "b"], ["c", "d"], ["e"]])
  }

  @Test func findsPartsOfIdsAndTitles() async throws {
    let fixture = try await fixture(["maze", "courier"])
    #expect(ids(try await fixture.ask("/games?q=OURI")) == ["courier"])
    #expect(ids(try await fixture.ask("/games?q=of%20m")) == ["maze"])
    #expect(ids(try await fixture.ask("/games?q=of+m")) == ["maze"])
    #expect(ids(try await fixture.ask("/games?q=of%2Bm")).isEmpty)
    #expect(ids(try await fixture.ask("/games?q=%25")).isEmpty)
    #expect(ids(try await fixture.ask("/games?q=")) == ["courier", "maze"])
  }

  @Test func tellsWhatChangedSinceARevision() async throws {
    let fixture = try await fixture(["a", "b"])
    let revision = try fixture.depot.catalogue.revision()
    let identity = fixture.depot.catalogue.identity
    let nothing = try await fixture.ask("/games?since=\(revision)")
    #expect(nothing.json["revision"] as? Int64 == revision)
    #expect(ids(nothing, "changed").isEmpty)
    try await fixture.publish("gameId=b&h5Version=2", Samples.game("two"))
    try await fixture.publish("gameId=c&h5Version=1")
    #expect(
      try await fixture.ask("DELETE", "/games/a", ["Authorization": "Bearer admin-token"]).status == 204)
    for since in ["\(revision)", "\(identity):\(revision)", "\(identity.uppercased()):\(revision)"] {
      let reply = try await fixture.ask("/games?since=\(since)")
      #expect(reply.status == 200)
      #expect(ids(reply, "changed") == ["b", "c"])
      #expect(reply.json["removed"] as? [String] == ["a"])
      #expect(reply.json["next"] is NSNull)
      #expect(reply.json["catalogue"] == nil)
    }
    let page = try await fixture.ask("/games?since=\(revision)&limit=1")
    #expect(page.fields["Link"]?.contains("since=\(revision)") == true)
    #expect(page["next"] != nil)
  }

  @Test func sendsWhoeverCannotGoOnBackToTheBeginning() async throws {
    let fixture = try await fixture(["a"])
    let other = UUID().uuidString
    for since in ["99", "99999999999999999999999", "\(other):0"] {
      let reply = try await fixture.ask("/games?since=\(since)")
      #expect(reply.status == 410)
      #expect(reply.slug == "revision-gone")
    }
  }

  @Test(arguments: [
    ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=+5", "limit"), ("limit=", "limit"),
    ("limit=x", "limit"),
    ("limit=99999999999999999999", "limit"), ("channel=%20", "channel"), ("channel=", "channel"),
    ("after=", "after"),
    ("after=%2F", "after"), ("since=0&after=nonsense", "after"), ("since=", "since"), ("since=-1", "since"),
    ("since=:1", "since"), ("since=x", "since"), ("q=\(String(repeating: "q", count: 257))", "q"),
    ("limit=1&limit=2", "limit"), ("channel=stable&channel=stable", "channel"),
  ])
  func namesTheParameterThatIsWrong(query: String, field: String) async throws {
    let reply = try await fixture([]).ask("/games?\(query)")
    #expect(reply.status == 400)
    #expect(reply.slug == "bad-field")
    #expect(reply["field"] == field)
    #expect(reply.fields["Access-Control-Allow-Origin"] == "*")
  }

  @Test func ignoresParametersItDoesNotKnow() async throws {
    let fixture = try await fixture(["a"])
    #expect(try await fixture.ask("/games?utm=1&utm=2&limit=1").status == 200)
    #expect(try await fixture.ask("/games?%zz=1").slug == "bad-request")
  }

  @Test func showsOnlyTheGamesOfTheChannel() async throws {
    let fixture = try await fixture(["a"])
    try await fixture.publish("gameId=b&h5Version=1&channel=beta")
    #expect(ids(try await fixture.ask("/games")) == ["a"])
    #expect(ids(try await fixture.ask("/games?channel=beta")) == ["b"])
    #expect(ids(try await fixture.ask("/games?channel=none")).isEmpty)
  }
}
