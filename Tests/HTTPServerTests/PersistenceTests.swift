import HTTPWire
import TestSupport
import Testing

@testable import HTTPServer

/// Many requests on one connection, or one only (RFC 9112 §9.3).
@Suite struct PersistenceTests {
  @Test func answersOneRequestAfterAnother() async throws {
    try await withServer { live in
      let client = try live.client()
      for number in 0..<3 {
        try client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response.text == "answer to /\(number)")
        #expect(response["Connection"] == nil)
        #expect(response["Content-Length"] == "12")
        let date = try #require(response["Date"])
        #expect(HTTPDate(date, near: 0) != nil)
      }
    }
  }

  @Test func answersPipelinedRequestsInOrder() async throws {
    try await withServer { live in
      let client = try live.client()
      try client.send((0..<500).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      for number in 0..<500 { #expect(try client.response().text == "answer to /\(number)") }
    }
  }

  @Test func keepsTheOrderWhenSomeAnswersTakeLonger() async throws {
    try await withServer { request in
      let target = request.target
      guard target.hasSuffix("7") else { return .respond(.text(target)) }
      return .later { _ in .text("later \(target)") }
    } while: { live in
      let client = try live.client()
      try client.send((0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      for number in 0..<50 {
        #expect(try client.response().text == (number % 10 == 7 ? "later /\(number)" : "/\(number)"))
      }
    }
  }

  @Test func keepsTheOrderWhenAnswersWaitForTheirReader() async throws {
    let filler = String(repeating: "x", count: 12 << 10)
    try await withServer { request in
      let target = request.target
      // Short enough to be handled in one go with the request behind it.
      guard request.body != .none else { return .respond(.text(target + filler)) }
      return .later { body in
        .text("later \(target) \((try? await body.collect(limit: 10))?.count ?? -1)")
      }
    } while: { live in
      let client = try live.client(receiveBuffer: 4096)
      // More answers than the kernel's buffers hold, so that the server has to wait, again and again.
      let count = 1000
      try client.send(
        (0..<count).map { number in
          number % 2 == 0
            ? "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n"
            : "POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
        }.joined())
      for number in 0..<count {
        let response = try client.response()
        try #require(response.text == (number % 2 == 0 ? "/\(number)\(filler)" : "later /\(number) 2"))
      }
      // Here the word that asks for the body is what must not overtake.
      try client.send(
        (0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
          + "POST /last HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      for number in 0..<count { try #require(try client.response().text == "/\(number)\(filler)") }
      try #require(try client.response().status == 100)
      try client.send("ab")
      #expect(try client.response().text == "later /last 2")
    }
  }

  @Test func readsAHeadThatComesByteByByte() async throws {
    try await withServer { live in
      let client = try live.client()
      for _ in 0..<2 {
        for byte in "GET /slow HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n".utf8 { try client.send([byte]) }
        #expect(try client.response().text == "answer to /slow")
      }
    }
  }

  @Test func sendsNoBodyToHead() async throws {
    try await withServer { live in
      let client = try live.client()
      try client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      let head = try client.response(toHead: true)
      #expect(head["Content-Length"] == "12")
      #expect(try client.response().text == "answer to /b")
    }
  }

  @Test(arguments: [204, 304]) func sendsNoBodyWhereNoneMayBe(status: Int) async throws {
    try await withServer { _ in
      .respond(HTTPResponse(HTTPStatus(status, "Bodiless"), [:], .bytes(Array("stray".utf8))))
    } while: { live in
      let client = try live.client()
      for _ in 0..<2 {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try client.response()
        #expect(response.status == status)
        #expect(response["Content-Length"] == nil)
      }
    }
  }

  @Test func closesWhenTheClientSaysSo() async throws {
    try await withServer { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(try client.response()["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test func closesWhenTheResponseSaysSo() async throws {
    try await withServer { _ in
      var response = HTTPResponse.text("last")
      response.closesConnection = true
      return .respond(response)
    } while: { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /ignored HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response()["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test func keepsAnOldClientOnlyWhenItAsks() async throws {
    try await withServer { live in
      let client = try live.client()
      try client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(try client.response()["Connection"] == "keep-alive")
      try client.send("GET /b HTTP/1.0\r\n\r\n")
      let last = try client.response()
      #expect(last.text == "answer to /b")
      #expect(last["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test func answersAClientThatHasFinishedSending() async throws {
    try await withServer { request in
      let target = request.target
      return .later { _ in .text(target) }
    } while: { live in
      let client = try live.client()
      try client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
      client.finishSending()
      #expect(try client.response().text == "/1")
      #expect(try client.response().text == "/2")
      #expect(try client.isClosedByServer())
    }
  }

  @Test(arguments: [1, 32, 96, 97]) func noticesTheEndBehindManyRequests(count: Int) async throws {
    // A kibibyte each: some of these counts are whole reads, after which only another one shows the end.
    let start = "GET /a HTTP/1.1\r\nHost: a\r\nX: "
    let request = start + String(repeating: "x", count: 1020 - start.utf8.count) + "\r\n\r\n"
    try await withServer { live in
      let client = try live.client()
      try client.send(String(repeating: request, count: count))
      client.finishSending()
      for _ in 0..<count { #expect(try client.response().text == "answer to /a") }
      #expect(try client.isClosedByServer())
    }
  }

  @Test func readsOnAfterAnAnswerThatTookLong() async throws {
    let gate = Gate()
    try await withServer { request in
      let target = request.target
      guard target == "/slow" else { return .respond(.text(target)) }
      return .later { _ in
        await gate.passed()
        return .text(target)
      }
    } while: { live in
      let client = try live.client()
      // What comes while the answer is made is told of once, and then only asked for again.
      try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      for number in 0..<100 { try client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n") }
      gate.open()
      #expect(try client.response().text == "/slow")
      for number in 0..<100 { #expect(try client.response().text == "/\(number)") }
    }
  }

  @Test func sendsALargeBodyBehindItsHead() async throws {
    let text = String(repeating: "0123456789abcdef", count: 20_000)
    try await withServer { _ in
      .respond(.text(text))
    } while: { live in
      let client = try live.client(receiveBuffer: 4096)
      try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 30))
      for _ in 0..<30 { #expect(try client.response().text == text) }
    }
  }

  @Test func echoesASaneRequestIDAndMakesOneUpElse() async throws {
    try await withServer { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine-1.2_3\r\n\r\n")
      #expect(try client.response()["X-Request-Id"] == "mine-1.2_3")
      var made: Set<String> = []
      for wrong in [
        "", "X-Request-Id: not\tsane\r\n", "X-Request-Id: \(String(repeating: "a", count: 65))\r\n",
      ] {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\(wrong)\r\n")
        let id = try #require(try client.response()["X-Request-Id"])
        #expect(id.utf8.count == 16 && UInt64(id, radix: 16) != nil)
        made.insert(id)
      }
      #expect(made.count == 3)
    }
  }

  @Test func tellsAHandlerWhereARequestComesFrom() async throws {
    try await withServer {
      .respond(.text("\($0.peer) \($0.isSecure)"))
    } while: { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().text == "127.0.0.1 false")
    }
  }

  @Test func survivesAHandlerThatKeepsRequests() async throws {
    let kept = Kept()
    try await withServer { request in
      kept.add(request)
      return .respond(.text("kept"))
    } while: { live in
      let client = try live.client()
      for number in 0..<3 {
        try client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.response()
      }
      #expect(kept.targets == ["/0", "/1", "/2"])
    }
  }
}
