import Catalogue
import DepotModel
import DepotService
import HTTPWire
import TestSupport
import Testing

@Suite struct AccessTests {
  /// A body that must not be asked for.
  private final class Untouchable: RequestBody {
    func next() async throws(RequestBodyError) -> [UInt8]? {
      Issue.record("the body was read")
      return nil
    }
  }

  private func publish(_ fixture: DepotFixture, _ authorization: [String]) throws -> Reply {
    let lines = authorization.map { "Authorization: \($0)\r\n" }.joined()
    let head = try request(
      wire:
        "POST /games?gameId=a&h5Version=1 HTTP/1.1\r\nHost: a\r\n\(lines)Content-Type: application/zip\r\n"
        + "Content-Length: 100\r\n\r\n")
    guard case .respond(let response) = fixture.handler.respond(to: head) else {
      Issue.record("the body would be read")
      return Reply(HTTPResponse(.ok), wasInline: false)
    }
    return Reply(response, wasInline: true)
  }

  @Test(arguments: [
    [], ["Bearer nobody-has-this"], ["Bearer"], ["Basic cHVibGlzaDp0b2tlbg=="], ["publish-token"],
    ["Bearer publish-token extra"], ["Bearer publish-token", "Bearer publish-token"],
    ["Bearer PUBLISH-TOKEN"],
  ])
  func refusesWhoeverHasNoValidToken(authorization: [String]) throws {
    let fixture = try DepotFixture()
    let reply = try publish(fixture, authorization)
    #expect(reply.status == 401)
    #expect(reply.slug == "unauthorized")
    #expect(reply.fields["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
    #expect(reply.response.closesConnection)
  }

  @Test func refusesATokenWithoutTheScope() async throws {
    let fixture = try DepotFixture()
    let reply = try publish(fixture, ["Bearer read-token"])
    #expect(reply.status == 403)
    #expect(reply.slug == "forbidden")
    #expect(reply.fields["WWW-Authenticate"]?.contains("insufficient_scope") == true)
    #expect(reply.response.closesConnection)
    try await fixture.publish("gameId=a&h5Version=1")
    let removal = try await fixture.ask("DELETE", "/games/a", ["Authorization": "Bearer publish-token"])
    #expect(removal.slug == "forbidden")
    let change = try await fixture.send(
      "PUT", "/games/a/channels/stable", json: #"{"h5Version":"1"}"#, token: "publish")
    #expect(change.slug == "forbidden")
    #expect(try await fixture.ask("/games/a").status == 200)
  }

  @Test func letsAdminPublish() async throws {
    let fixture = try DepotFixture()
    #expect(try await fixture.publish("gameId=a&h5Version=1", token: "admin").status == 201)
  }

  @Test func takesTheSchemeInAnyCase() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    #expect(
      try await fixture.ask("DELETE", "/games/a", ["Authorization": "bearer admin-token"]).status == 204)
  }

  @Test func seesARevokedTokenAtOnceEvenWhenAnotherProcessRevokedIt() async throws {
    let fixture = try DepotFixture()
    #expect(try await fixture.publish("gameId=a&h5Version=1").status == 201)
    let other = try Catalogue(path: "\(fixture.path)/catalogue.sqlite")
    #expect(try other.revokeToken(name: "publish"))
    #expect(try publish(fixture, ["Bearer publish-token"]).slug == "unauthorized")
  }

  @Test func refusesAnExpiredToken() throws {
    let fixture = try DepotFixture()
    try fixture.depot.catalogue.createToken(
      name: "old", scope: .publish, expiresAt: Timestamp(seconds: 1_000_000),
      hash: AccessToken(presented: "old").hash)
    #expect(try publish(fixture, ["Bearer old"]).slug == "unauthorized")
  }

  private func limited(_ fixture: DepotFixture) throws {
    try fixture.depot.catalogue.createToken(
      name: "ours", scope: .publish, games: [#require(GameID("ours")), #require(GameID("too"))],
      expiresAt: nil,
      hash: AccessToken(presented: "ours-token").hash)
  }

  @Test func letsATokenPublishOnlyItsGames() async throws {
    let fixture = try DepotFixture()
    try limited(fixture)
    #expect(try await fixture.publish("gameId=ours&h5Version=1", token: "ours").status == 201)
    let other = try await fixture.publish("gameId=other&h5Version=1", token: "ours")
    #expect(other.status == 403)
    #expect(other.wasInline, "before anything of the body is read")
    #expect(other.response.closesConnection)
    #expect(other["detail"]?.contains("ours, too") == true)
  }

  @Test func findsTheGameOfAFormWhereverItsFieldStands() async throws {
    let fixture = try DepotFixture()
    try limited(fixture)
    for form in [
      Samples.form(["gameId": "other", "h5Version": "1"], package: Samples.game()),
      Samples.form([:], package: Samples.game(), after: ["gameId": "other", "h5Version": "1"]),
    ] {
      #expect(try await fixture.publish(form: form, token: "ours").status == 403)
      #expect(fixture.names(in: "ingest").isEmpty)
    }
    let own = Samples.form([:], package: Samples.game(), after: ["gameId": "too", "h5Version": "1"])
    #expect(try await fixture.publish(form: own, token: "ours").status == 201)
    #expect(try await fixture.ask("/games/other").status == 404)
  }

  @Test func makesWhoeverSendsWrongTokensWaitButNotWhoHasARightOne() async throws {
    let fixture = try DepotFixture { $0.wrongTokens = 3 }
    func ask(_ token: String, from bits: UInt32 = 1) async throws -> Reply {
      var head = try request("DELETE", "/games/a", ["Authorization": "Bearer \(token)"])
      head.peer = .ipv4(bits, port: 1)
      return await fixture.respond(to: head)
    }
    for _ in 0..<3 { #expect(try await ask("wrong").status == 401) }
    let refusal = try await ask("wrong")
    #expect(refusal.status == 429)
    #expect(refusal.slug == "too-many-requests")
    #expect((1...20).contains(Int(refusal.fields["Retry-After"] ?? "") ?? 0))
    #expect(try await ask("wrong", from: 2).status == 401)
    #expect(try await ask("admin-token").status == 404, "the game is not there, but its asker is heard")
    #expect(try await ask("read-token").status == 403, "known, and no guess")
  }

  @Test func notesWhenATokenWasLastUsedAtMostOnceAMinute() async throws {
    let fixture = try DepotFixture()
    func lastUse() throws -> Int64? {
      try fixture.depot.catalogue.tokens().first { $0.name == "admin" }?.lastUsedAt?.seconds
    }
    let start = fixture.clock.now.seconds
    _ = try await fixture.ask("GET", "/audit", ["Authorization": "Bearer admin-token"])
    #expect(try lastUse() == nil, "no request waits for it")
    fixture.handler.keepUp()
    #expect(try lastUse() == start)
    fixture.clock.advance(by: 59)
    _ = try await fixture.ask("GET", "/audit", ["Authorization": "Bearer admin-token"])
    fixture.handler.keepUp()
    #expect(try lastUse() == start)
    fixture.clock.advance(by: 1)
    _ = try await fixture.ask("GET", "/audit", ["Authorization": "Bearer admin-token"])
    fixture.handler.keepUp()
    #expect(try lastUse() == start + 60)
    let before = try fixture.depot.catalogue.changeToken()
    fixture.handler.keepUp()
    #expect(try fixture.depot.catalogue.changeToken() == before, "what is kept ready stays")
  }

  @Test func makesTokensOf256RandomBits() throws {
    let first = try #require(AccessToken.random())
    let second = try #require(AccessToken.random())
    #expect(first.text.hasPrefix("gd_"))
    #expect(first.text.utf8.count == 67)
    #expect(first.text != second.text)
    #expect(first.hash.count == 32)
    #expect(AccessToken(presented: first.text).hash == first.hash)
  }
}
