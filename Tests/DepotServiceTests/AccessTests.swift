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
