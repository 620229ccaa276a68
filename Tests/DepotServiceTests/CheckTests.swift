import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import TestSupport
import Testing

@Suite struct CheckTests {
  private func fixture() async throws -> DepotFixture {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1+b")
    try await fixture.publish("gameId=a&h5Version=2", Samples.game("two"))
    try await fixture.publish("gameId=old&h5Version=1")
    _ = try await fixture.ask("DELETE", "/games/old", ["Authorization": "Bearer admin-token"])
    return fixture
  }

  private func check(_ fixture: DepotFixture, _ target: String) async throws -> [String?] {
    let reply = try await fixture.ask(target)
    #expect(reply.status == 200)
    #expect(reply.fields["ETag"] != nil)
    let game = reply.json["game"] as? [String: Any]
    return [
      (reply.json["updateAvailable"] as? Bool).map { "\($0)" }, reply["reason"],
      game?["h5Version"] as? String,
    ]
  }

  @Test func tellsWhatToDoAboutOneGame() async throws {
    let fixture = try await fixture()
    let current = Samples.md5(Samples.game("two")).uppercased()
    #expect(try await check(fixture, "/games/a/check?h5Version=1+b") == ["true", "new_version", "2"])
    #expect(
      try await check(fixture, "/games/a/check?h5Version=0.1-never-here") == ["true", "new_version", "2"])
    #expect(
      try await check(fixture, "/games/a/check") == ["true", "new_version", "2"], "nothing is installed")
    #expect(try await check(fixture, "/games/a/check?h5Version=2") == ["false", "up_to_date", "2"])
    #expect(
      try await check(fixture, "/games/a/check?h5Version=2&h5Md5=\(current)&hostVersion=1+2&deviceId=d/1")
        == ["false", "up_to_date", "2"])
    let other = Samples.md5(Samples.game())
    #expect(
      try await check(fixture, "/games/a/check?h5Version=2&h5Md5=\(other)") == [
        "true", "checksum_differs", "2",
      ])
    #expect(try await check(fixture, "/games/none/check?h5Version=2") == ["false", "unknown_game", nil])
    #expect(try await check(fixture, "/games/old/check?h5Version=1") == ["false", "game_removed", nil])
    #expect(try await fixture.ask("/games/none/check").json["game"] is NSNull)
  }

  @Test func followsAChannelBack() async throws {
    let fixture = try await fixture()
    _ = try await fixture.send(
      "PUT", "/games/a/channels/stable", json: #"{"h5Version":"1+b"}"#, token: "admin")
    #expect(try await check(fixture, "/games/a/check?h5Version=2") == ["true", "rolled_back", "1+b"])
    #expect(try await check(fixture, "/games/a/check?h5Version=1+b") == ["false", "up_to_date", "1+b"])
    #expect(try await check(fixture, "/games/a/check?h5Version=1%2Bb") == ["false", "up_to_date", "1+b"])
  }

  @Test(arguments: [
    ("h5Version=%20", "h5Version"), ("h5Md5=zz", "h5Md5"), ("hostVersion=%00", "hostVersion"),
    ("channel=-", "channel"),
    ("deviceId=\(String(repeating: "d", count: 129))", "deviceId"), ("h5Version=1&h5Version=1", "h5Version"),
  ])
  func namesTheParameterThatIsWrong(query: String, field: String) async throws {
    let reply = try await fixture().ask("/games/a/check?\(query)")
    #expect(reply.slug == "bad-field")
    #expect(reply["field"] == field)
  }

  @Test func refusesAChannelThatTheGameDoesNotHave() async throws {
    #expect(try await fixture().ask("/games/a/check?channel=none").slug == "unknown-channel")
  }

  @Test func tellsWhatToDoAboutManyGames() async throws {
    let fixture = try await fixture()
    try await fixture.publish("gameId=b&h5Version=1&channel=beta")
    let json = """
      {"channel":"stable","hostVersion":"1","deviceId":"d","installed":[
        {"gameId":"a","h5Version":"1+b"},
        {"gameId":"a","h5Version":"2","h5Md5":"\(Samples.md5(Samples.game("two")))"},
        {"gameId":"a","h5Version":"2","h5Md5":"\(Samples.md5(Samples.game()))","more":1},
        {"gameId":"b","h5Version":"1"},{"gameId":"old","h5Version":"1"},{"gameId":"none","h5Version":"1"}]}
      """
    let reply = try await fixture.send("POST", "/games/check", json: json)
    #expect(reply.status == 200)
    let updates = try #require(reply.json["updates"] as? [[String: Any]])
    #expect(updates.map { $0["reason"] as? String } == ["new_version", "checksum_differs"])
    #expect(updates.map { $0["h5Version"] as? String } == ["2", "2"])
    #expect(
      updates.allSatisfy { ($0["h5Down"] as? String)?.hasSuffix("/games/a/versions/2/package.zip") == true })
    #expect(reply.json["removed"] as? [String] == ["old", "none"])
    #expect(reply.json["upToDate"] as? Int == 2)
    #expect(reply.json["revision"] as? Int64 == (try fixture.depot.catalogue.revision()))
    #expect(reply.fields["Access-Control-Allow-Origin"] == "*")
    #expect(reply.fields["Cache-Control"] == "private, no-cache")
    #expect(
      try await fixture.send("POST", "/games/check", json: #"{"installed":[]}"#).json["upToDate"] as? Int == 0
    )
  }

  @Test(
    arguments: [
      ("{", "bad-request", nil), ("[1]", "bad-request", nil), ("{}", "bad-field", "installed"),
      (#"{"installed":{}}"#, "bad-field", "installed"),
      (#"{"installed":[{}]}"#, "bad-field", "installed[0].gameId"),
      (
        #"{"installed":[{"gameId":"a","h5Version":"1"},{"gameId":"-","h5Version":"1"}]}"#, "bad-field",
        "installed[1].gameId"
      ),
      (#"{"installed":[{"gameId":"a","h5Version":"1","h5Md5":"x"}]}"#, "bad-field", "installed[0].h5Md5"),
      (#"{"installed":[],"channel":"-"}"#, "bad-field", "channel"),
      (#"{"installed":[],"deviceId":""}"#, "bad-field", "deviceId"),
      (#"{"installed":[],"hostVersion":3}"#, "bad-field", "hostVersion"),
    ] as [(String, String, String?)])
  func saysWhereABodyIsWrong(json: String, slug: String, field: String?) async throws {
    let reply = try await fixture().send("POST", "/games/check", json: json)
    #expect(reply.status == 400)
    #expect(reply.slug == slug)
    #expect(reply["field"] == field)
    #expect(reply.fields["Access-Control-Allow-Origin"] == "*")
  }

  // RFC 8259: what Foundation's decoder would let pass, in a member that nothing reads.
  @Test(
    arguments: [
      Array(#"{"installed":[],}"#.utf8), Array(#"{"installed":[],"x":[1,]}"#.utf8),
      Array(#"{"installed":[],"x":""#.utf8) + [0xff] + Array(#""}"#.utf8),
      Array(#"{"installed":[],"x":""#.utf8) + [0x09] + Array(#""}"#.utf8),
      Array(#"{"installed":[]}"#.utf8).flatMap { [$0, 0] },
      [0xef, 0xbb, 0xbf] + Array(#"{"installed":[]}"#.utf8),
      Array(#"{"installed":[],"x":01}"#.utf8), Array(#"{"installed":[],"x":.5}"#.utf8),
      Array(#"{"installed":[],"x":1.}"#.utf8), Array(#"{"installed":[],"x":1e}"#.utf8),
      Array(#"{"installed":[],"x":"\q"}"#.utf8), Array(#"{"installed":[],"x":"\u12G4"}"#.utf8),
      Array(#"{"installed":[],"x":NaN}"#.utf8), Array(#"{"installed":[]}{}"#.utf8),
      Array(#"{"installed":[],"x":}"#.utf8), Array(#"{"installed":[],"x"}"#.utf8),
      Array("{installed:[]}".utf8),
      Array(#"{"installed":[],"x":["#.utf8) + Array(repeating: UInt8(ascii: "["), count: 100_000),
      Array(#"{"installed":[],"x":"#.utf8) + Array(repeating: UInt8(ascii: "["), count: 64)
        + Array(repeating: UInt8(ascii: "]"), count: 64) + [UInt8(ascii: "}")],
    ] as [[UInt8]])
  func takesOnlyWhatIsJSON(body: [UInt8]) async throws {
    let head = try request("POST", "/games/check", ["Content-Length": "\(body.count)"])
    let reply = await (try fixture()).respond(to: head, body: BytesBody(body))
    #expect(reply.status == 400)
    #expect(reply.slug == "bad-request")
  }

  @Test(arguments: [
    #" { "installed" : [ ] } "#,
    #"{"installed":[],"x":{"y":[{},[],-0.5e+10,0,1E9,true,false,null,"\u00e9\n\"ü"]}}"#,
    #"{"x":[[[["deep"]]]],"installed":[]}"#,
  ])
  func takesAllThatIsJSON(json: String) async throws {
    #expect(try await fixture().send("POST", "/games/check", json: json).status == 200)
  }

  @Test func turnsAwayWhatIsOverTheMemoryForAllBodiesAndRecovers() async throws {
    let fixture = try DepotFixture { $0.heldBodies = 100 }
    let installed = (0..<3).map { "{\"gameId\":\"game\($0)\",\"h5Version\":\"1\"}" }.joined(separator: ",")
    let large = try await fixture.send("POST", "/games/check", json: "{\"installed\":[\(installed)]}")
    #expect(large.status == 503)
    #expect(large.slug == "unavailable")
    #expect(large.response.closesConnection)
    for _ in 0..<3 {
      #expect(try await fixture.send("POST", "/games/check", json: "{\"installed\":[]}").status == 200)
    }
  }

  @Test func boundsABatch() async throws {
    let fixture = try await fixture()
    let entry = #"{"gameId":"a","h5Version":"2"}"#
    let most = Array(repeating: entry, count: 1000).joined(separator: ",")
    #expect(
      try await fixture.send("POST", "/games/check", json: #"{"installed":[\#(most)]}"#).json["upToDate"]
        as? Int
        == 1000)
    let more = try await fixture.send("POST", "/games/check", json: #"{"installed":[\#(most),\#(entry)]}"#)
    #expect(more["field"] == "installed")
    let long = String(repeating: " ", count: 1 << 20) + #"{"installed":[]}"#
    let told = try await fixture.send("POST", "/games/check", json: long)
    #expect(told.slug == "body-too-large")
    #expect(told.json["limit"] as? Int == 1 << 20)
    let chunked = try request(
      "POST", "/games/check",
      ["Content-Type": "application/json; charset=utf-8", "Transfer-Encoding": "chunked"])
    #expect(await fixture.respond(to: chunked, body: BytesBody(long)).slug == "body-too-large")
    #expect(
      try await fixture.send("POST", "/games/check", json: "{}", type: "text/html").slug
        == "unsupported-media-type")
  }
}
