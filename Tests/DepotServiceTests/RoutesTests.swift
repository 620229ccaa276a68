import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import ReadAPI
import TestSupport
import Testing

@Suite struct RoutesTests {
  private func fixture() async throws -> DepotFixture {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    return fixture
  }

  @Test(arguments: [
    "/", "/game", "/games/", "/games/a/", "/games/a/unknown", "/games/a/versions/1/",
    "/healthz/x",
    "/games/a/channels", "/games/a/channels/stable/x", "/uploads/", "/uploads/a/b", "//games",
    "/games/a/package.ZIP",
  ])
  func says404WhereThereIsNothing(target: String) async throws {
    let reply = try await fixture().ask(target)
    #expect(reply.status == 404)
    #expect(reply.slug == "not-found")
    #expect(reply.fields["Cache-Control"] == "no-store")
  }

  @Test(arguments: ["/games/%zz", "/games/..", "/games/%2e%2E/healthz", "/games/a%00b"])
  func refusesPathsThatCannotBeRead(target: String) async throws {
    #expect(try await fixture().ask(target).slug == "bad-request")
  }

  private static let allowed = [
    ("/games", "GET, HEAD, POST, OPTIONS"), ("/games/check", "POST, OPTIONS"),
    ("/games/a", "GET, HEAD, PATCH, DELETE, OPTIONS"), ("/games/a/versions/1", "GET, HEAD, DELETE, OPTIONS"),
    ("/games/a/versions", "GET, HEAD, OPTIONS"),
    ("/games/a/check", "GET, HEAD, OPTIONS"), ("/games/a/manifest", "GET, HEAD, OPTIONS"),
    ("/games/a/package.zip", "GET, HEAD, OPTIONS"), ("/games/a/versions/1/manifest", "GET, HEAD, OPTIONS"),
    ("/games/a/versions/1/delta.json", "GET, HEAD, OPTIONS"),
    ("/games/a/versions/1/index", "GET, HEAD, OPTIONS"),
    ("/games/a/versions/1/blocks", "GET, HEAD, OPTIONS"),
    ("/games/a/versions/1/patches/\(String(repeating: "0", count: 64))", "GET, HEAD, OPTIONS"),
    ("/games/a/versions/1/package.zip", "GET, HEAD, OPTIONS"), ("/games/a/channels/stable", "PUT, OPTIONS"),
    ("/audit", "GET, HEAD, OPTIONS"), ("/uploads", "POST, OPTIONS"),
    ("/uploads/\(String(repeating: "0", count: 32))", "GET, HEAD, PATCH, DELETE, OPTIONS"),
    ("/healthz", "GET, HEAD, OPTIONS"), ("/readyz", "GET, HEAD, OPTIONS"),
    ("/openapi.yaml", "GET, HEAD, OPTIONS"),
  ]

  @Test(arguments: allowed)
  func tellsTheMethodsOfEveryPath(target: String, allow: String) async throws {
    let fixture = try await fixture()
    let options = try await fixture.ask("OPTIONS", target)
    #expect(options.status == 204)
    #expect(options.fields["Allow"] == allow)
    #expect(options.fields["Content-Length"] == nil)
    for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "BREW", "get"]
    where !allow.split(separator: ", ").contains(Substring(method)) {
      let reply = try await fixture.ask(method, target, ["Authorization": "Bearer admin-token"])
      #expect(reply.status == 405, "\(method)")
      #expect(reply.slug == "method-not-allowed")
      #expect(reply.fields["Allow"] == allow)
    }
  }

  @Test func answersOptionsForTheWholeServer() async throws {
    let reply = try await fixture().ask("OPTIONS", "*")
    #expect(reply.status == 204)
    #expect(reply.fields["Allow"] == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
  }

  private static let reads = [
    "/games", "/games?since=0", "/games/a", "/games/a/versions", "/games/a/check?h5Version=1",
    "/games/a/manifest",
    "/games/a/versions/1/manifest", "/games/a/package.zip", "/games/a/versions/1/package.zip", "/healthz",
    "/games/a/versions/1/delta.json", "/games/a/versions/1/index",
    "/readyz",
    "/openapi.yaml",
  ]

  @Test(arguments: reads)
  func answersHeadLikeGetAndHonoursItsETag(target: String) async throws {
    let fixture = try await fixture()
    for _ in 0..<2 {
      let get = try await fixture.ask(target)
      let head = try await fixture.ask("HEAD", target)
      #expect(get.status == 200)
      #expect(head.response.head == get.response.head)
      #expect(get.fields["Access-Control-Allow-Origin"] == "*")
      let etag = try #require(get.fields["ETag"])
      #expect(etag.hasPrefix("\"") && etag.hasSuffix("\"") && etag.utf8.count > 10)
      for method in ["GET", "HEAD"] {
        let known = try await fixture.ask(method, target, ["If-None-Match": "\"x\", W/\(etag)"])
        #expect(known.status == 304)
        #expect(known.fields["ETag"] == etag)
        #expect(known.fields["Cache-Control"] == get.fields["Cache-Control"])
        #expect(known.fields["Vary"] == get.fields["Vary"])
        #expect(known.bytes.isEmpty)
      }
      #expect(try await fixture.ask("GET", target, ["If-None-Match": "\"x\""]).status == 200)
      #expect(try await fixture.ask("GET", target, ["If-Match": "\"x\""]).slug == "precondition-failed")
      #expect(try await fixture.ask("GET", target, ["If-Match": etag]).status == 200)
    }
  }

  @Test func answersPreflightsOfReadsOnly() async throws {
    let fixture = try await fixture()
    func preflight(_ target: String, _ method: String) async throws -> HTTPFields {
      try await fixture.ask(
        "OPTIONS", target, ["Origin": "https://play.example", "Access-Control-Request-Method": method]
      ).fields
    }
    let read = try await preflight("/games/a/package.zip", "GET")
    #expect(read["Access-Control-Allow-Origin"] == "*")
    #expect(read["Access-Control-Allow-Methods"] == "GET, HEAD")
    #expect(read["Access-Control-Allow-Headers"]?.contains("If-Range, ") == true)
    #expect(read["Allow"] == "GET, HEAD, OPTIONS")
    let check = try await preflight("/games/check", "POST")
    #expect(check["Access-Control-Allow-Methods"] == "POST")
    #expect(check["Access-Control-Allow-Headers"]?.contains("Content-Type") == true)
    #expect(try await preflight("/games", "GET")["Access-Control-Allow-Methods"] == "GET, HEAD")
    for (target, method) in [("/games", "POST"), ("/games/a", "DELETE"), ("/games/a/channels/stable", "PUT")]
    {
      let write = try await preflight(target, method)
      #expect(write["Access-Control-Allow-Origin"] == nil)
      #expect(write["Access-Control-Allow-Methods"] == nil)
    }
  }

  @Test func buildsLinksFromTheHostOfTheRequest() async throws {
    let fixture = try await fixture()
    for (host, isGood) in [
      ("play.example:8080", true), ("[::1]:80", true), ("127.0.0.1", true), ("a_b", true), ("a!b", false),
      ("a%41", false),
    ] {
      let reply = try await fixture.ask("GET", "/games/a", ["Host": host])
      #expect(reply.status == (isGood ? 200 : 400), "\(host)")
      if isGood {
        #expect(reply["h5Down"] == "http://\(host)/games/a/versions/1/package.zip")
        #expect(reply.fields["Cache-Control"] == "private, no-cache")
      } else {
        #expect(reply.slug == "bad-host")
      }
    }
    var secure = try request("GET", "/games/a")
    secure.isSecure = true
    #expect(await fixture.respond(to: secure)["h5Down"]?.hasPrefix("https://depot.test/") == true)
    let absolute = try request(wire: "GET http://other.test/games/a HTTP/1.1\r\nHost: depot.test\r\n\r\n")
    #expect(await fixture.respond(to: absolute)["h5Down"]?.hasPrefix("http://other.test/") == true)
    let hostless = try request(wire: "GET /games/a HTTP/1.0\r\n\r\n")
    #expect(await fixture.respond(to: hostless).slug == "bad-host")
    let package = try request(wire: "GET /games/a/package.zip HTTP/1.0\r\n\r\n")
    #expect(await fixture.respond(to: package).status == 200, "it holds no link")
  }

  @Test func buildsLinksFromThePublicURL() async throws {
    let fixture = try DepotFixture { $0.publicURL = PublicURL("https://games.example") }
    try await fixture.publish("gameId=a&h5Version=1")
    let reply = try await fixture.ask("GET", "/games?limit=1", ["Host": "a!b"])
    #expect(reply.status == 200)
    #expect(reply.fields["Cache-Control"] == "public, no-cache")
    #expect(reply.text.contains("https://games.example/games/a/versions/1/package.zip"))
  }

  @Test func tellsThatItLives() async throws {
    let fixture = try await fixture()
    #expect(try await fixture.ask("/healthz").text == #"{"status":"ok"}"#)
    #expect(try await fixture.ask("/readyz").text == #"{"status":"ok"}"#)
    let openAPI = try await fixture.ask("/openapi.yaml")
    #expect(openAPI.text == "openapi: 3.1.0\n")
    #expect(openAPI.fields["Content-Type"] == "application/yaml")
  }

  @Test func givesRefusalsOfTheTransportTheSameForm() throws {
    let fixture = try DepotFixture()
    let table: [(HTTPStatus, String)] = [
      (.badRequest, "bad-request"), (.requestTimeout, "request-timeout"),
      (.contentTooLarge, "body-too-large"),
      (.uriTooLong, "uri-too-long"), (.expectationFailed, "expectation-failed"),
      (.headTooLarge, "head-too-large"),
      (.notImplemented, "not-implemented"), (.serviceUnavailable, "unavailable"),
      (.versionNotSupported, "version-not-supported"), (HTTPStatus(418, "Teapot"), "bad-request"),
    ]
    for (status, slug) in table {
      let response = fixture.handler.response(to: HTTPRefusal(status, "because"))
      let reply = Reply(response, wasInline: true)
      #expect(reply["type"] == "urn:game-depot:problem:\(slug)")
      #expect(reply["detail"] == "because")
      #expect(response.closesConnection)
    }
  }
}
