import Catalogue
import DepotModel
import DepotService
import HTTPWire
import ReadAPI
import TestSupport
import Testing

@Suite struct ConsoleTests {
  /// A login from the console's own page.
  private func logIn(
    _ fixture: DepotFixture, _ token: String = "admin-token", origin: String? = "http://depot.test",
    isSecure: Bool = false
  ) async throws -> Reply {
    let body = Array(#"{"token":"\#(token)"}"#.utf8)
    var head = try request(
      wire: "POST /console/session HTTP/1.1\r\nHost: depot.test\r\nContent-Type: application/json\r\n"
        + (origin.map { "Origin: \($0)\r\n" } ?? "") + "Content-Length: \(body.count)\r\n\r\n")
    head.isSecure = isSecure
    return await fixture.respond(to: head, body: BytesBody(body))
  }

  /// What the browser would send back.
  private func cookie(_ reply: Reply) throws -> String {
    String(try #require(reply.fields["Set-Cookie"]).prefix { $0 != ";" })
  }

  @Test func aLoginIsACookieThatIsNotTheToken() async throws {
    let reply = try await logIn(try DepotFixture())
    #expect(reply.status == 200)
    #expect(reply.text == #"{"games":null,"name":"admin","scope":"admin"}"#)
    #expect(reply.fields["Cache-Control"] == "no-store")
    #expect(reply.fields["Access-Control-Allow-Origin"] == nil)
    let field = try #require(reply.fields["Set-Cookie"])
    #expect(field.hasPrefix("game-depot="))
    #expect(field.hasSuffix("; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict"))
    #expect(!field.contains("admin-token"))
    #expect(try cookie(reply).count == "game-depot=".count + 64)
  }

  @Test func overTLSTheCookieIsForTLSAlone() async throws {
    let fixture = try DepotFixture()
    let reply = try await logIn(fixture, origin: "https://depot.test", isSecure: true)
    let field = try #require(reply.fields["Set-Cookie"])
    #expect(field.hasPrefix("__Host-game-depot="))
    #expect(field.hasSuffix("; SameSite=Strict; Secure"))
    // The same login without TLS is none.
    #expect(try await fixture.ask("GET", "/audit", ["Cookie": try cookie(reply)]).status == 401)
  }

  @Test func theLoginDoesWhatItsTokenMay() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    let publisher = try cookie(try await logIn(fixture, "publish-token"))
    let admin = try cookie(try await logIn(fixture))
    let from = "http://depot.test"
    #expect(try await fixture.ask("GET", "/audit", ["Cookie": admin]).status == 200)
    #expect(try await fixture.ask("GET", "/audit", ["Cookie": publisher]).status == 403)
    #expect(try await fixture.ask("DELETE", "/games/a", ["Cookie": publisher, "Origin": from]).status == 403)
    #expect(try await fixture.ask("DELETE", "/games/a", ["Cookie": admin, "Origin": from]).status == 204)
  }

  @Test(arguments: [
    ["Origin": "http://evil.test"], ["Origin": "null"], ["Origin": "http://depot.test:8081"],
    ["Origin": "http://depot.test.evil.test"], ["Sec-Fetch-Site": "cross-site"],
    ["Sec-Fetch-Site": "same-site"],
    ["Sec-Fetch-Site": "same-origin", "Origin": "http://evil.test"],
    ["Sec-Fetch-Site": "cross-site", "Origin": "http://depot.test"],
  ])
  func noOtherOriginReadsOrWritesWithTheLogin(fields: [String: String]) async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    let cookie = try cookie(try await logIn(fixture))
    let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
    for (method, target) in [("GET", "/audit"), ("DELETE", "/games/a")] {
      let head = try request(
        wire: "\(method) \(target) HTTP/1.1\r\nHost: depot.test\r\nCookie: \(cookie)\r\n\(lines)\r\n")
      #expect(await fixture.respond(to: head).status == 403)
    }
    #expect(try await fixture.ask("/games/a").status == 200)
  }

  @Test func aWriteNeedsMoreThanTheCookie() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    let cookie = try cookie(try await logIn(fixture))
    #expect(try await fixture.ask("DELETE", "/games/a", ["Cookie": cookie]).status == 403)
    #expect(
      try await fixture.ask("DELETE", "/games/a", ["Cookie": cookie, "Sec-Fetch-Site": "none"]).status == 403)
    #expect(
      try await fixture.ask("DELETE", "/games/a", ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"]).status
        == 204)
  }

  @Test func aDepotBehindAProxyIsAlsoItsPublicSelf() async throws {
    let fixture = try DepotFixture { $0.publicURL = PublicURL("https://games.example.org/depot") }
    #expect(try await logIn(fixture, origin: "https://games.example.org").status == 200)
    #expect(try await logIn(fixture, origin: "https://example.org").status == 403)
  }

  @Test func anotherOriginLogsNobodyInOrOut() async throws {
    let fixture = try DepotFixture()
    #expect(try await logIn(fixture, origin: "http://evil.test").status == 403)
    #expect(try await logIn(fixture, origin: nil).status == 403)
    let cookie = try cookie(try await logIn(fixture))
    #expect(try await fixture.ask("DELETE", "/console/session", ["Cookie": cookie]).status == 403)
    #expect(try await fixture.ask("GET", "/console/session", ["Cookie": cookie]).status == 200)
  }

  @Test func aRevokedTokenEndsItsLogins() async throws {
    let fixture = try DepotFixture()
    let cookie = try cookie(try await logIn(fixture))
    #expect(try fixture.depot.catalogue.revokeToken(name: "admin"))
    #expect(try await fixture.ask("GET", "/console/session", ["Cookie": cookie]).status == 401)
  }

  @Test func aLoginEndsWithItsTimeOrWhenItIsLoggedOut() async throws {
    let fixture = try DepotFixture()
    let (one, two) = (try cookie(try await logIn(fixture)), try cookie(try await logIn(fixture)))
    fixture.clock.advance(by: 8 * 3600 - 1)
    let out = try await fixture.ask(
      "DELETE", "/console/session", ["Cookie": one, "Origin": "http://depot.test"])
    #expect(out.status == 204)
    #expect(try #require(out.fields["Set-Cookie"]).hasPrefix("game-depot=; Path=/; Max-Age=0;"))
    #expect(try await fixture.ask("GET", "/console/session", ["Cookie": one]).status == 401)
    #expect(try await fixture.ask("GET", "/console/session", ["Cookie": two]).status == 200)
    fixture.clock.advance(by: 1)
    #expect(try await fixture.ask("GET", "/console/session", ["Cookie": two]).status == 401)
  }

  @Test func wrongTokensAreLimitedByAddress() async throws {
    let fixture = try DepotFixture { $0.wrongTokens = 2 }
    func attempt(_ token: String) async throws -> Int {
      let body = Array(#"{"token":"\#(token)"}"#.utf8)
      var head = try request(
        wire: "POST /console/session HTTP/1.1\r\nHost: depot.test\r\nOrigin: http://depot.test\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n")
      head.peer = .ipv4(0xc000_0207, port: 4711)
      return await fixture.respond(to: head, body: BytesBody(body)).status
    }
    #expect(try await attempt("x") == 401)
    #expect(try await attempt("y") == 401)
    #expect(try await attempt("z") == 429)
    #expect(try await attempt("admin-token") == 200)
  }

  @Test(arguments: ["/console", "/console/console.js", "/console/console.css", "/console/icon.svg"])
  func itsFilesAreKeptNowhereAndFramedByNobody(target: String) async throws {
    let fixture = try DepotFixture { $0.requiresReadToken = true }
    let reply = try await fixture.ask(target)
    #expect(reply.status == 200)
    #expect(reply.fields["Cache-Control"] == "no-store")
    #expect(reply.fields["X-Content-Type-Options"] == "nosniff")
    #expect(reply.fields["Access-Control-Allow-Origin"] == nil)
    let policy = try #require(reply.fields["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
    #expect(policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe"))
    #expect(try await fixture.ask("POST", target).status == 405)
  }

  @Test func thePageHoldsNoScriptOrStyleOfItsOwn() async throws {
    let page = try await DepotFixture().ask("/console").text
    #expect(!page.contains("<style") && !page.contains("style=") && !page.contains(" onclick"))
    #expect(page.contains(#"<script src="console/console.js" defer></script>"#))
    #expect(page.split(separator: "<script").count == 2)
  }

  @Test func theFolderLeadsToThePage() async throws {
    let reply = try await DepotFixture().ask("/console/")
    #expect(reply.status == 308)
    #expect(reply.fields["Location"] == "../console")
    #expect(try await DepotFixture().ask("/console/index").status == 404)
  }

  @Test func aClosedDepotOpensForALogin() async throws {
    let fixture = try DepotFixture { $0.requiresReadToken = true }
    #expect(try await fixture.ask("/games").status == 401)
    let cookie = try cookie(try await logIn(fixture, "read-token"))
    #expect(try await fixture.ask("GET", "/games", ["Cookie": cookie]).status == 200)
  }

  @Test func switchedOffThereIsNothing() async throws {
    let fixture = try DepotFixture { $0.hasConsole = false }
    #expect(try await fixture.ask("/console").status == 404)
    #expect(try await logIn(fixture).status == 404)
  }

  @Test func twoCookiesOfTheNameAreNone() async throws {
    let fixture = try DepotFixture()
    let cookie = try cookie(try await logIn(fixture))
    #expect(try await fixture.ask("GET", "/audit", ["Cookie": "\(cookie); \(cookie)"]).status == 401)
    #expect(try await fixture.ask("GET", "/audit", ["Cookie": "a=b; \(cookie); c=d"]).status == 200)
  }
}
