import Catalogue
import DepotModel
import DepotService
import HTTPWire
import ReadAPI
import TestSupport
import Testing

/// `--require-read-token`: nothing of a game goes to whoever shows no token.
@Suite struct ClosedDepotTests {
  private let reader: KeyValuePairs = ["Authorization": "Bearer read-token"]

  private func fixture() async throws -> DepotFixture {
    let fixture = try DepotFixture {
      $0.requiresReadToken = true
      $0.publicURL = PublicURL("https://games.example.org")
    }
    try await fixture.publish("gameId=a&h5Version=1")
    return fixture
  }

  private static let reads = [
    "/games", "/games?since=0", "/games/a", "/games/a/versions", "/games/a/versions/1", "/games/a/check",
    "/games/a/manifest", "/games/a/package.zip", "/games/a/versions/1/package.zip",
    "/games/a/versions/1/manifest", "/games/a/versions/1/delta.json", "/games/a/versions/1/index",
    "/openapi.yaml",
  ]

  @Test(arguments: reads)
  func everyReadNeedsAToken(target: String) async throws {
    let fixture = try await fixture()
    #expect(try await fixture.ask(target).slug == "unauthorized")
    for method in ["GET", "HEAD"] {
      // Made, then kept ready.
      for _ in 0..<2 {
        let head = try request(method, target, reader)
        if case .repeatable = fixture.handler.respond(to: head) {
          Issue.record("the server would repeat it without asking")
        }
        let reply = await fixture.respond(to: head)
        #expect(reply.status == 200, "\(target)")
        #expect(reply.fields["Cache-Control"]?.contains("public") == false, "\(target)")
        #expect(
          reply.fields.lines.contains { $0.name == "Vary" && $0.value == "Authorization" }, "\(target)")
      }
      #expect(try await fixture.ask(method, target).status == 401, "\(target) is kept ready now")
      #expect(
        try await fixture.ask(method, target, ["Authorization": "Bearer wrong"]).status == 401, "\(target)")
    }
  }

  @Test func immutablePackagesBecomePrivate() async throws {
    let fixture = try await fixture()
    let whole = try await fixture.ask("GET", "/games/a/versions/1/package.zip", reader)
    #expect(whole.fields["Cache-Control"] == "private, max-age=31536000, immutable, no-transform")
    #expect(whole.fields["Content-Length"] == "\(whole.bytes.count)")
    let part = try await fixture.ask(
      "GET", "/games/a/versions/1/package.zip", ["Authorization": "Bearer read-token", "Range": "bytes=0-3"])
    #expect(part.status == 206)
    #expect(part.fields["Cache-Control"]?.hasPrefix("private") == true)
    let tag = try #require(whole.fields["ETag"])
    let same = try await fixture.ask(
      "GET", "/games/a/versions/1/package.zip", ["Authorization": "Bearer read-token", "If-None-Match": tag])
    #expect(same.status == 304)
    #expect(same.fields["Cache-Control"]?.hasPrefix("private") == true)
  }

  @Test func batchChecksAndUnknownPathsNeedATokenToo() async throws {
    let fixture = try await fixture()
    let question = #"{"installed":[{"gameId":"a","h5Version":"0"}]}"#
    #expect(try await fixture.send("POST", "/games/check", json: question).status == 401)
    #expect(try await fixture.send("POST", "/games/check", json: question, token: "read").status == 200)
    #expect(try await fixture.ask("/nothing").status == 401)
    #expect(try await fixture.ask("GET", "/nothing", reader).status == 404)
  }

  @Test func supervisorsAndPreflightsNeedNone() async throws {
    let fixture = try await fixture()
    for target in ["/healthz", "/readyz"] { #expect(try await fixture.ask(target).status == 200) }
    let preflight = try await fixture.ask(
      "OPTIONS", "/games", ["Origin": "https://a.example", "Access-Control-Request-Method": "GET"])
    #expect(preflight.status == 204)
    #expect(preflight.fields["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
  }

  @Test func aRevokedTokenReadsNothingMoreNotEvenWhatIsKeptReady() async throws {
    let fixture = try await fixture()
    for _ in 0..<3 { #expect(try await fixture.ask("GET", "/games/a/check", reader).status == 200) }
    try Catalogue(path: "\(fixture.path)/catalogue.sqlite").revokeToken(name: "read")
    #expect(try await fixture.ask("GET", "/games/a/check", reader).status == 401)
    #expect(
      try await fixture.ask("GET", "/games/a/package.zip", ["Authorization": "Bearer publish-token"]).status
        == 200, "publish includes read")
  }
}
