import HTTPClient
import Synchronization
import TestSupport
import Testing

@Suite struct FetchTests {
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
    engine.shutdown()
  }
}

func url(_ server: ScriptedServer, _ path: String = "/") throws -> WebURL {
  try #require(WebURL(server.url(path)))
}
