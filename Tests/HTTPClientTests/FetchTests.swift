import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct FetchTests {
  private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  @Test func givesStatusFieldsAndBody() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 418 Teapot\r\nX-Thing:  yes \r\nContent-Length: 5\r\n\r\nhello")]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let response = try await engine.fetch(FetchRequest(.get, url(server, "/a?b=c")), limit: 100)
    #expect(response.status == 418)
    #expect(response["x-thing"] == "yes")
    #expect(response.text == "hello")
    #expect(response.failure?.isRetryable == false)
    let request = try #require(server.requests.first)
    #expect(request.method == "GET")
    #expect(request.target == "/a?b=c")
    #expect(request["Accept-Encoding"] == "gzip")
    #expect(request["User-Agent"] == "game-depot")
    #expect(request["Content-Type"] == nil)
    engine.shutdown()
  }

  @Test(arguments: [FetchRequest.Method.post, .put, .patch, .delete])
  func sendsABody(method: FetchRequest.Method) async throws {
    let server = try ScriptedServer { [ok] _ in [.readBody, .text(ok)] }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let type = try #require(RequestField("Content-Type", "application/json"))
    let body = [UInt8](repeating: 7, count: 300_000)
    let request = FetchRequest(method, try url(server), fields: [type], body: body)
    #expect(try await engine.fetch(request, limit: 10).status == 200)
    let received = try #require(server.requests.first)
    #expect(received.method == method.rawValue)
    #expect(received["Content-Type"] == "application/json")
    #expect(received["Expect"] == nil)
    #expect(server.bodies == [body])
  }

  @Test(arguments: [FetchRequest.Method.post, .put, .delete, .head])
  func sendsNoBody(method: FetchRequest.Method) async throws {
    let server = try ScriptedServer { request in
      [
        .text(
          request.method == "HEAD"
            ? "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" : "HTTP/1.1 204 None\r\n\r\n")
      ]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let response = try await engine.fetch(FetchRequest(method, try url(server)), limit: 10)
    #expect(response.head.isSuccess && response.body.isEmpty)
    let received = try #require(server.requests.first)
    #expect(received.method == method.rawValue)
    #expect(received["Content-Type"] == nil)
  }

  @Test func decodesGzipWithinTheLimit() async throws {
    // `printf 'hello hello hello' | gzip -n`
    let packed: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72, 205, 201, 201, 87, 200, 64, 144, 0, 128, 136, 249, 229, 17, 0,
      0, 0,
    ]
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"),
        .send(packed),
      ]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    #expect(try await engine.fetch(FetchRequest(.get, url(server)), limit: 17).text == "hello hello hello")
    #expect(await failure(engine, try url(server), limit: 16) == .tooLarge(limit: 16))
  }

  @Test func refusesABodyOverTheLimit() async throws {
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), .send([UInt8](repeating: 1, count: 100_000)),
        .close,
      ]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    #expect(await failure(engine, try url(server), limit: 99_999) == .tooLarge(limit: 99_999))
    #expect(try await engine.fetch(FetchRequest(.get, url(server)), limit: 100_000).body.count == 100_000)
  }

  /// libcurl calls this one a success with status 200 and an empty body.
  @Test(arguments: [
    "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
  ])
  func tellsAHeadThatIsCut(head: String) async throws {
    let server = try ScriptedServer { _ in [.text(head), .close] }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let error = await failure(engine, try url(server))
    #expect(error?.isRetryable == true)
    #expect(error?.isUnreachable == true)
  }

  @Test func tellsABodyThatIsCut() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"), .close]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let error = await failure(engine, try url(server))
    guard case .network(18, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func tellsARefusedConnectionAndAnEmptyReply() async throws {
    let engine = try TransferEngine(.standard)
    let server = try ScriptedServer { _ in [.reset] }
    let there = try url(server)
    #expect(await failure(engine, there)?.isRetryable == true)
    server.stop()
    guard case .network(7, _) = await failure(engine, there) else {
      Issue.record("a connection to a port nobody listens on")
      return
    }
  }

  @Test func speaksOnlyToHTTPServers() async throws {
    let server = try ScriptedServer { _ in [.text("SSH-2.0-OpenSSH_9.2\r\nhello"), .close] }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    #expect(await failure(engine, try url(server)) != nil)
  }

  @Test func refusesAHeadWithoutEnd() async throws {
    let line = "X: \(String(repeating: "x", count: 8000))\r\n"
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\n")] + [ScriptedServer.Step](repeating: .text(line), count: 100)
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    guard case .headTooLarge = await failure(engine, try url(server)) else {
      Issue.record("the head was taken")
      return
    }
  }

  @Test func givesUpAfterTheStallTimeout() async throws {
    let server = try ScriptedServer { _ in [.text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), .stall] }
    defer { server.stop() }
    var settings = HTTPClientSettings.standard
    settings.stallTimeout = .milliseconds(150)
    let engine = try TransferEngine(settings)
    #expect(await failure(engine, try url(server)) == .stalled(after: .milliseconds(150)))
  }

  @Test func givesUpAtTheDeadline() async throws {
    let server = try ScriptedServer { _ in [.stall] }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let request = FetchRequest(.get, try url(server), deadline: .milliseconds(100))
    do throws(TransferError) {
      _ = try await engine.fetch(request, limit: 10)
      Issue.record("an answer came")
    } catch {
      #expect(error == .deadlineExceeded(.milliseconds(100)))
    }
  }

  @Test func usesNoMoreConnectionsThanAllowed() async throws {
    let server = try ScriptedServer { [ok] _ in [.text(ok)] }
    defer { server.stop() }
    var settings = HTTPClientSettings.standard
    settings.maximumConnections = 4
    let engine = try TransferEngine(settings)
    let there = try url(server)
    let answers = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<500 {
        group.addTask { try await engine.fetch(FetchRequest(.get, there), limit: 10).body.count }
      }
      return try await group.reduce(0, +)
    }
    #expect(answers == 1000)
    #expect(server.requests.count == 500)
    #expect(server.connections <= 4)
    #expect(engine.connectionsMade == server.connections)
    engine.shutdown()
  }

  @Test func goesThroughTheProxy() async throws {
    let proxy = try ScriptedServer { [ok] _ in [.text(ok)] }
    defer { proxy.stop() }
    var settings = HTTPClientSettings.standard
    settings.proxy = proxy.url("")
    let engine = try TransferEngine(settings)
    let there = try #require(WebURL("http://depot.example/games"))
    #expect(try await engine.fetch(FetchRequest(.get, there), limit: 10).text == "ok")
    #expect(proxy.requests.first?.target == "http://depot.example/games")
  }

  @Test func tellsATrustFileThatIsNotThere() async throws {
    let server = try ScriptedServer { _ in [.close] }
    defer { server.stop() }
    var settings = HTTPClientSettings.standard
    settings.caFile = "/nonexistent/ca.pem"
    let engine = try TransferEngine(settings)
    let there = try #require(WebURL("https://127.0.0.1:\(server.port)/"))
    guard case .certificate = await failure(engine, there) else {
      Issue.record("no certificate error")
      return
    }
  }

  @Test(arguments: [("a\r\nb", "x"), ("a", "b\nc"), ("", "x"), ("a:b", "c"), ("a", "\u{7F}"), ("ä", "x")])
  func refusesFieldsThatEndTheirLine(name: String, value: String) {
    #expect(RequestField(name, value) == nil)
  }
}

func url(_ server: ScriptedServer, _ path: String = "/") throws -> WebURL {
  try #require(WebURL(server.url(path)))
}

/// The error a plain GET ends with; nil when it ends well.
func failure(_ engine: TransferEngine, _ url: WebURL, limit: Int = 1000) async -> TransferError? {
  do throws(TransferError) {
    _ = try await engine.fetch(FetchRequest(.get, url), limit: limit)
    return nil
  } catch {
    return error
  }
}
