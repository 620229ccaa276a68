import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import TestSupport
import Testing

/// One game: detail, history, channels, removal.
@Suite struct GameTests {
  private func fixture() async throws -> DepotFixture {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    fixture.clock.advance(by: 60)
    try await fixture.publish("gameId=a&h5Version=2&notes=Two", Samples.game("two"))
    try await fixture.publish("gameId=a&h5Version=3&channel=beta&mandatory=true", Samples.game("three"))
    return fixture
  }

  @Test func tellsAGameWithItsChannels() async throws {
    let fixture = try await fixture()
    let reply = try await fixture.ask("/games/a")
    #expect(reply.status == 200)
    #expect(reply["h5Version"] == "2")
    #expect(reply["channel"] == "stable")
    #expect(reply["notes"] == "Two")
    #expect(reply.json["versionCount"] as? Int == 3)
    let channels = try #require(reply.json["channels"] as? [[String: Any]])
    #expect(channels.map { $0["name"] as? String } == ["beta", "stable"])
    #expect(channels.map { $0["h5Version"] as? String } == ["3", "2"])
    #expect(channels.map { $0["mandatory"] as? Bool } == [true, false])
    #expect(channels.allSatisfy { $0["rollout"] as? Int == 100 })
    #expect(channels.allSatisfy { $0["minHostVersion"] is NSNull && $0["movedAt"] is String })
    #expect(try await fixture.ask("/games/a?channel=beta")["h5Version"] == "3")
  }

  @Test func tellsTheHistoryNewestFirst() async throws {
    let fixture = try await fixture()
    let reply = try await fixture.ask("/games/a/versions")
    let versions = try #require(reply.json["versions"] as? [[String: Any]])
    #expect(versions.map { $0["h5Version"] as? String } == ["3", "2", "1"])
    #expect(versions.allSatisfy { $0["state"] as? String == "published" })
    #expect(versions.map { $0["channel"] as? String } == ["beta", "stable", nil])
    #expect(reply.json["next"] is NSNull)
    let first = try await fixture.ask("/games/a/versions?limit=2")
    let next = try #require(first["next"])
    #expect(
      first.fields["Link"] == "<http://depot.test/games/a/versions?limit=2&after=\(next)>; rel=\"next\"")
    let second = try await fixture.ask("/games/a/versions?limit=2&after=\(next)")
    #expect((second.json["versions"] as? [[String: Any]])?.count == 1)
    #expect(try await fixture.ask("/games/a/versions?after=zz")["field"] == "after")
    #expect(try await fixture.ask("/games/none/versions").slug == "unknown-game")
  }

  @Test func saysWhatThereIsNot() async throws {
    let fixture = try await fixture()
    #expect(try await fixture.ask("/games/none").slug == "unknown-game")
    #expect(try await fixture.ask("/games/.hidden").slug == "unknown-game")
    #expect(try await fixture.ask("/games/A").slug == "unknown-game", "ids are compared with case")
    #expect(try await fixture.ask("/games/a?channel=none").slug == "unknown-channel")
    #expect(try await fixture.ask("/games/a/manifest?version=9").slug == "unknown-version")
    #expect(try await fixture.ask("/games/a/versions/9/package.zip").slug == "unknown-version")
    #expect(try await fixture.ask("/games/a/versions/-/manifest").slug == "unknown-version")
    #expect(try await fixture.ask("/games/a/package.zip?channel=none").slug == "unknown-channel")
  }

  @Test func rollsBackAndForthByMovingTheChannel() async throws {
    let fixture = try await fixture()
    let back = try await fixture.send(
      "PUT", "/games/a/channels/stable", json: #"{"h5Version":"1","mandatory":true,"minHostVersion":"2"}"#,
      token: "admin")
    #expect(back.status == 200)
    #expect(back["h5Version"] == "1")
    #expect(back["channel"] == "stable")
    #expect(back.json["mandatory"] as? Bool == true)
    #expect(back["minHostVersion"] == "2")
    #expect(try await fixture.ask("/games/a")["h5Version"] == "1")
    let defaults = try await fixture.send(
      "PUT", "/games/a/channels/stable", json: #"{"h5Version":"1","rollout":100,"unknown":[]}"#,
      token: "admin")
    #expect(defaults.json["mandatory"] as? Bool == false, "absent fields take their defaults")
    #expect(defaults.json["minHostVersion"] is NSNull)
    let new = try await fixture.send(
      "PUT", "/games/a/channels/nightly", json: #"{"h5Version":"3"}"#, token: "admin")
    #expect(new.status == 200)
    #expect(try await fixture.ask("/games/a?channel=nightly")["h5Version"] == "3")
  }

  @Test(
    arguments: [
      (#"{"h5Version":"1","rollout":50}"#, 400, "bad-field", "rollout"),
      (#"{"h5Version":"1","rollout":"100"}"#, 400, "bad-field", "rollout"),
      (#"{"h5Version":" "}"#, 400, "bad-field", "h5Version"),
      (#"{"h5Version":7}"#, 400, "bad-field", "h5Version"),
      (#"{"h5Version":null}"#, 400, "bad-field", "h5Version"),
      (#"{}"#, 400, "bad-field", "h5Version"),
      (#"{"h5Version":"1","mandatory":1}"#, 400, "bad-field", "mandatory"),
      (#"{"h5Version":"1","minHostVersion":" "}"#, 400, "bad-field", "minHostVersion"),
      (#"[]"#, 400, "bad-request", nil), (#"{"h5Version":"1""#, 400, "bad-request", nil),
      ("", 400, "bad-request", nil),
      (#"{"h5Version":"9"}"#, 404, "unknown-version", nil),
    ] as [(String, Int, String, String?)])
  func refusesASettingThatIsNone(json: String, status: Int, slug: String, field: String?) async throws {
    let fixture = try await fixture()
    let reply = try await fixture.send("PUT", "/games/a/channels/stable", json: json, token: "admin")
    #expect(reply.status == status)
    #expect(reply.slug == slug)
    #expect(reply["field"] == field)
    #expect(try await fixture.ask("/games/a")["h5Version"] == "2")
  }

  @Test func refusesSettingsOfWhatIsNotThere() async throws {
    let fixture = try await fixture()
    let json = #"{"h5Version":"1"}"#
    #expect(
      try await fixture.send("PUT", "/games/none/channels/stable", json: json, token: "admin").slug
        == "unknown-game")
    #expect(
      try await fixture.send("PUT", "/games/a/channels/-", json: json, token: "admin").slug
        == "unknown-channel")
    #expect(
      try await fixture.send(
        "PUT", "/games/a/channels/stable", json: json, token: "admin", type: "text/plain"
      ).slug
        == "unsupported-media-type")
    let long = #"{"h5Version":"1","x":"\#(String(repeating: "x", count: 70_000))"}"#
    let tooLong = try await fixture.send("PUT", "/games/a/channels/stable", json: long, token: "admin")
    #expect(tooLong.status == 413)
    #expect(tooLong.slug == "body-too-large")
    #expect(tooLong.json["limit"] as? Int == 65536)
  }

  @Test func removesAGameAndLeavesATombstone() async throws {
    let fixture = try await fixture()
    let revision = try fixture.depot.catalogue.revision()
    let reply = try await fixture.ask("DELETE", "/games/a", ["Authorization": "Bearer admin-token"])
    #expect(reply.status == 204)
    #expect(reply.bytes.isEmpty)
    #expect(reply.fields["Content-Length"] == nil)
    for target in ["/games/a", "/games/a/versions", "/games/a/package.zip", "/games/a/versions/1/manifest"] {
      #expect(try await fixture.ask(target).slug == "unknown-game")
    }
    #expect(try await fixture.ask("/games?since=\(revision)").json["removed"] as? [String] == ["a"])
    let again = try await fixture.ask("DELETE", "/games/a", ["Authorization": "Bearer admin-token"])
    #expect(again.slug == "unknown-game")
  }
}
