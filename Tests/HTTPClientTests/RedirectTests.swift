import HTTPClient
import TestSupport
import Testing

@Suite struct RedirectTests {
  private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  private func redirect(_ status: Int, _ location: String) -> ScriptedServer.Step {
    .text("HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 4\r\n\r\nbye.")
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func followsForGet(status: Int) async throws {
    let server = try ScriptedServer { [ok] request in
      request.target == "/a" ? [redirect(status, "b?c")] : [.text(ok)]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let response = try await engine.fetch(FetchRequest(.get, url(server, "/a")), limit: 10)
    #expect(response.text == "ok")
    #expect(response.url.text == server.url("/b?c"))
    #expect(server.connections == 1)
  }

  @Test func doesNotFollowForPost() async throws {
    let server = try ScriptedServer { _ in [.readBody, redirect(307, "/b")] }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let response = try await engine.fetch(FetchRequest(.post, url(server, "/a"), body: [1]), limit: 10)
    #expect(response.status == 307)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "http://user:secret@127.0.0.1/", "http://a b/"])
  func refusesOtherPlaces(location: String) async throws {
    let server = try ScriptedServer { _ in [redirect(302, location)] }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    #expect(
      await failure(engine, try url(server)) == .redirectRefused(from: server.url(), to: location)
    )
  }

  @Test func endsAnEndlessChain() async throws {
    let server = try ScriptedServer { request in [redirect(302, "/\(request.number)")] }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    guard case .tooManyRedirects = await failure(engine, try url(server)) else {
      Issue.record("it did not end")
      return
    }
    #expect(server.requests.count == 6)
  }

  @Test func sendsTheTokenToItsOriginOnly() async throws {
    let other = try ScriptedServer { [ok] _ in [.text(ok)] }
    defer { other.stop() }
    let elsewhere = other.url("/x")
    let server = try ScriptedServer { request in
      [redirect(302, request.target == "/a" ? "/b" : elsewhere)]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let there = try url(server, "/a")
    let token = try #require(BearerToken("s3cret", for: there.origin))
    let response = try await engine.fetch(FetchRequest(.get, there, authorization: token), limit: 10)
    #expect(response.text == "ok")
    #expect(server.requests.map { $0["Authorization"] } == ["Bearer s3cret", "Bearer s3cret"])
    #expect(other.requests.map { $0["Authorization"] } == [nil])
    // Nor when the request itself goes elsewhere.
    let direct = FetchRequest(.get, try url(other, "/y"), authorization: token)
    _ = try await engine.fetch(direct, limit: 10)
    #expect(other.requests.last?["Authorization"] == nil)
  }

  @Test func refusesATokenThatIsNoField() throws {
    let origin = try #require(WebURL("http://h/")).origin
    #expect(BearerToken("a\nb", for: origin) == nil)
    #expect(BearerToken("", for: origin) == nil)
  }
}
