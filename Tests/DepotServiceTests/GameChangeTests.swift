import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import TestSupport
import Testing

/// Yanking a version, and changing what a game says of itself.
@Suite struct GameChangeTests {
  private func fixture() async throws -> DepotFixture {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1&title=A&notes=One")
    try await fixture.publish("gameId=a&h5Version=2", Samples.game("two"))
    return fixture
  }

  private func delete(_ target: String, token: String = "admin", in fixture: DepotFixture) async throws
    -> Reply
  {
    try await fixture.ask("DELETE", target, ["Authorization": "Bearer \(token)-token"])
  }

  @Test func aYankedVersionIsGoneButListed() async throws {
    let fixture = try await fixture()
    for part in ["package.zip", "manifest", "delta.json"] {
      #expect(try await fixture.ask("/games/a/versions/1/\(part)").status == 200)
    }
    #expect(try await delete("/games/a/versions/1", in: fixture).status == 204)
    #expect(try await delete("/games/a/versions/1", in: fixture).status == 204)
    for part in [
      "versions/1/package.zip", "versions/1/manifest", "versions/1/delta.json", "package.zip?version=1",
    ] {
      let reply = try await fixture.ask("/games/a/\(part)")
      #expect(reply.status == 410, "\(part)")
      #expect(reply.slug == "version-yanked")
    }
    #expect(try await fixture.ask("/games/a/versions/1")["state"] == "yanked")
    #expect(try await fixture.ask("/games/a/versions/2")["state"] == "published")
    #expect(try await fixture.publish("gameId=a&h5Version=1").slug == "version-burnt")
    let promoted = try await fixture.send(
      "PUT", "/games/a/channels/stable", json: #"{"h5Version":"1"}"#, token: "admin")
    #expect(promoted.slug == "version-burnt")
  }

  @Test func aVersionInUseIsNotYanked() async throws {
    let fixture = try await fixture()
    let reply = try await delete("/games/a/versions/2", in: fixture)
    #expect(reply.status == 409)
    #expect(reply.slug == "version-in-use")
    #expect(reply["detail"]?.contains("stable") == true)
    #expect(try await delete("/games/a/versions/9", in: fixture).slug == "unknown-version")
    #expect(try await delete("/games/b/versions/1", in: fixture).slug == "unknown-game")
  }

  @Test func changesNeedAnAdmin() async throws {
    let fixture = try await fixture()
    #expect(try await delete("/games/a/versions/1", token: "publish", in: fixture).status == 403)
    #expect(try await delete("/games/a/versions/1", token: "wrong", in: fixture).status == 401)
    #expect(try await fixture.send("PATCH", "/games/a", json: "{}", token: "publish").status == 403)
    #expect(try await fixture.ask("/games/a/versions/1")["state"] == "published")
  }

  @Test(arguments: ["application/merge-patch+json", "application/json", "Application/JSON; charset=utf-8"])
  func aPatchChangesWhatItNames(type: String) async throws {
    let fixture = try await fixture()
    let reply = try await fixture.send(
      "PATCH", "/games/a", json: #"{"notes":"Two\n","other":1}"#, token: "admin", type: type)
    #expect(reply.status == 200)
    #expect(reply["title"] == "A" && reply["notes"] == "Two\n" && reply["h5Version"] == "2")
    #expect(try await fixture.ask("/games/a")["notes"] == "Two\n")
    #expect(try await fixture.ask("/games/a/versions/1")["notes"] == "One")
  }

  @Test func nullTakesAway() async throws {
    let fixture = try await fixture()
    let reply = try await fixture.send(
      "PATCH", "/games/a", json: #"{"title":null,"notes":null}"#, token: "admin")
    #expect(reply["title"] == "a")
    #expect(reply.json["notes"] is NSNull)
  }

  @Test(arguments: [
    (#"{"title":""}"#, "title"), (#"{"title":"a\u0000"}"#, "title"), (#"{"title":5}"#, "title"),
    (#"{"notes":"\u0007"}"#, "notes"),
  ])
  func whatCannotBeSaidIsRefused(json: String, field: String) async throws {
    let reply = try await fixture().send("PATCH", "/games/a", json: json, token: "admin")
    #expect(reply.status == 400)
    #expect(reply["field"] == field)
  }

  @Test func aPatchOfAnotherTypeOrOfNothingIsRefused() async throws {
    let fixture = try await fixture()
    #expect(
      try await fixture.send("PATCH", "/games/a", json: "{}", token: "admin", type: "text/plain").status
        == 415)
    #expect(try await fixture.send("PATCH", "/games/b", json: "{}", token: "admin").slug == "unknown-game")
    #expect(
      try await fixture.send("PATCH", "/games/a?channel=x", json: "{}", token: "admin").slug
        == "unknown-channel")
    #expect(try await fixture.send("PATCH", "/games/a", json: "[]", token: "admin").status == 400)
  }
}
