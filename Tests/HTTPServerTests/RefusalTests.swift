import HTTPWire
import TestSupport
import Testing

@testable import HTTPServer

/// Answers made without reading what the client sent, and bytes that are no request.
@Suite struct RefusalTests {
  private static let refused = HTTPResponse(
    .contentTooLarge, ["Content-Type": "text/plain"], .bytes(Array("too much".utf8)))

  @Test(arguments: [false, true]) func letsTheClientSeeARefusalOfABodyItIsSending(later: Bool) async throws {
    try await withServer { _ in
      later ? .later { _ in Self.refused } : .respond(Self.refused)
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n")
      // More than the server may discard would end in a reset; all of this is discarded.
      let sent = client.sendWhatFits([UInt8](repeating: 0x61, count: 4_000_000))
      #expect(sent == 4_000_000)
      let response = try client.response()
      #expect(response.status == 413)
      #expect(response.text == "too much")
      #expect(response["Connection"] == "close")
      client.finishSending()
      #expect(try client.isClosedByServer())
    }
  }

  /// RFC 9110 §9.3.2.
  @Test func sendsNoBodyToAHeadThatIsNoRequest() async throws {
    try await withServer { live in
      for wire in ["HEAD / HTTP/1.1\r\n\r\n", "\r\nHEAD / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"] {
        let client = try live.client()
        try client.send(wire)
        let response = try client.response(toHead: true)
        #expect(response.status == 400 && response["Content-Length"] != "0")
        #expect(try client.isClosedByServer())
      }
      let client = try live.client()
      try client.send("HEADS / HTTP/1.1\r\n\r\n")
      #expect(try client.response().body.isEmpty == false)
    }
  }

  @Test func discardsNoMoreThanItMay() async throws {
    var limits = HTTPServerLimits.patient
    limits.lingerBytes = 1 << 20
    limits.lingerTimeout = .seconds(60)
    try await withServer(limits: limits) { _ in
      .respond(Self.refused)
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
      let sent = client.sendWhatFits([UInt8](repeating: 0x61, count: 100 << 20))
      #expect(sent < 100 << 20)
    }
  }

  @Test func stopsDiscardingWhenItsTimeIsOver() async throws {
    var limits = HTTPServerLimits.patient
    limits.lingerTimeout = .milliseconds(100)
    try await withServer(limits: limits) { _ in
      .respond(Self.refused)
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
      #expect(try client.response().status == 413)
      #expect(try client.isClosedByServer())
      try await eventually { live.open == 0 }
    }
  }

  @Test(arguments: [false, true]) func answersInsteadOfContinue(later: Bool) async throws {
    try await withServer { _ in
      later ? .later { _ in Self.refused } : .respond(Self.refused)
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
      let response = try client.response()
      #expect(response.status == 413)
      #expect(response["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test(arguments: [false, true]) func keepsTheConnectionWhenLittleIsLeft(later: Bool) async throws {
    try await withServer { _ in
      later ? .later { _ in Self.refused } : .respond(Self.refused)
    } while: { live in
      let client = try live.client()
      for _ in 0..<2 {
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 413)
        #expect(response["Connection"] == nil)
        try client.send([UInt8](repeating: 0x61, count: 30_000))
      }
    }
  }

  @Test(arguments: [false, true]) func keepsTheConnectionWhenTheBodyCameWithTheHead(later: Bool) async throws
  {
    try await withServer { _ in
      later ? .later { _ in .text("fine") } : .respond(.text("fine"))
    } while: { live in
      let client = try live.client()
      for _ in 0..<2 {
        try client.send(
          "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        for _ in 0..<2 {
          let response = try client.response()
          #expect(response.text == "fine")
          #expect(response["Connection"] == nil)
        }
      }
    }
  }

  @Test func closesOnAChunkedBodyNobodyReads() async throws {
    try await withServer { _ in
      .respond(.text("fine"))
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab")
      #expect(try client.response()["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n", 431),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nContent-Length: 1\r\n\r\n", 417),
    ("nonsense\r\n\r\n", 400),
  ])
  func answersWhatIsNoRequestOnceAndCloses(wire: String, status: Int) async throws {
    try await withServer { live in
      let client = try live.client()
      // What follows is never taken for a second request.
      try client.send(
        "GET /before HTTP/1.1\r\nHost: a\r\n\r\n" + wire + "GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().text == "answer to /before")
      let refusal = try client.response()
      #expect(refusal.status == status)
      #expect(refusal["Connection"] == "close")
      #expect(refusal["X-Request-Id"]?.utf8.count == 16)
      #expect(try client.isClosedByServer())
    }
  }
}
