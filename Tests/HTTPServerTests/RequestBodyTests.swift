import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Bodies that a handler reads while they arrive.
@Suite struct RequestBodyTests {
  /// Answers with the size and digest of the body, or with what went wrong.
  @Sendable static func digest(_ request: HTTPRequest) -> HTTPReaction {
    .later { body in
      var hash = Hash(.sha256)
      var count = 0
      do throws(RequestBodyError) {
        while let piece = try await body.next() {
          hash.update(piece)
          count += piece.count
        }
        return .text("\(count) \(hash.finish())")
      } catch {
        return .text("\(error)")
      }
    }
  }

  static func expected(_ bytes: [UInt8]) -> String { "\(bytes.count) \(Hash.digest(of: bytes, .sha256))" }

  static func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
  }

  @Test(arguments: [0, 1, 1000, 65_536, 3_000_000]) func readsABodyWithALength(count: Int) async throws {
    let bytes = Self.pattern(count)
    try await withServer(Self.digest) { live in
      let client = try live.client()
      for _ in 0..<2 {
        try client.send(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n".utf8) + bytes)
        #expect(try client.response().text == Self.expected(bytes))
      }
    }
  }

  @Test(arguments: [1, 7, 65_536]) func readsAChunkedBody(chunk: Int) async throws {
    let bytes = Self.pattern(chunk == 1 ? 300 : 200_000)
    var wire: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      let piece = bytes[start..<min(start + chunk, bytes.count)]
      wire += Array("\(String(piece.count, radix: 16));x=y\r\n".utf8) + piece + [0x0d, 0x0a]
    }
    wire += "0\r\nTrailer: ignored\r\n\r\n".utf8
    try await withServer(Self.digest) { live in
      let client = try live.client()
      for _ in 0..<2 {
        try client.send(Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) + wire)
        #expect(try client.response().text == Self.expected(bytes))
      }
    }
  }

  @Test func readsAChunkedBodyThatComesByteByByte() async throws {
    let wire =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
    try await withServer(Self.digest) { live in
      let client = try live.client()
      for byte in wire.utf8 { try client.send([byte]) }
      #expect(try client.response().text == Self.expected(Array("hello world".utf8)))
    }
  }

  @Test func answersWhatIsPipelinedBehindABody() async throws {
    try await withServer(Self.digest) { live in
      let client = try live.client()
      try client.send(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
          + "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n"
          + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().text == Self.expected(Array("abc".utf8)))
      #expect(try client.response().text == Self.expected(Array("de".utf8)))
      #expect(try client.response().text == Self.expected([]))
    }
  }

  @Test func asksForABodyOnlyWhenTheHandlerReadsIt() async throws {
    let gate = Gate()
    try await withServer { _ in
      .later { body in
        await gate.passed()
        return .text("\((try? await body.collect(limit: 100))?.count ?? -1)")
      }
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      // Nothing may come before the handler reads: the first thing that does is the 100.
      gate.open()
      #expect(try client.response().status == 100)
      try client.send("hello")
      let response = try client.response()
      #expect(response.status == 200)
      #expect(response.text == "5")
      #expect(response["Connection"] == nil)
    }
  }

  @Test func leavesTheContinueOutWhenTheBodyIsThereAlready() async throws {
    try await withServer(Self.digest) { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi")
      #expect(try client.response().text == Self.expected(Array("hi".utf8)))
    }
  }

  @Test func stopsReadingWhileTheHandlerIsSlow() async throws {
    let gate = Gate()
    try await withServer { request in
      guard request.method == .post else { return .respond(.text("still here")) }
      return .later { body in
        let first = try? await body.next()
        await gate.passed()
        var count = first?.count ?? 0
        while let piece = try? await body.next() { count += piece.count }
        return .text("\(count)")
      }
    } while: { live in
      let client = try live.client()
      let total = 32 << 20
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\n\r\n")
      let chunk = [UInt8](repeating: 0x61, count: 1 << 20)
      let sender = Sender(client, chunk, times: total / chunk.count)
      let thread = try PosixThread(name: "sender") { sender.run() }
      // The kernel's buffers fill up, and then nothing moves: the server holds no more than its queue.
      try live.untilStuck(sender)
      #expect(sender.sent < total / 2)
      gate.open()
      thread.join()
      #expect(try sender.client.response().text == "\(total)")
    }
  }

  @Test func tellsTheReaderThatTheClientWent() async throws {
    let outcome = Mutex<RequestBodyError?>(nil)
    try await withServer { _ in
      .later { body in
        do throws(RequestBodyError) {
          while try await body.next() != nil {}
        } catch {
          outcome.withLock { $0 = error }
        }
        return .text("nobody reads this")
      }
    } while: { live in
      do {
        let client = try live.client()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\npart")
      }
      try await eventually { outcome.withLock { $0 } == .disconnected }
      try await eventually { live.open == 0 }
    }
  }

  @Test func answersAClientThatHalfClosesInsideABody() async throws {
    try await withServer(Self.digest) { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\npart")
      client.finishSending()
      let response = try client.response()
      #expect(response.text == "disconnected")
      #expect(response["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test func tellsTheReaderThatTheCodingIsBroken() async throws {
    try await withServer(Self.digest) { live in
      let client = try live.client()
      try client.send(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nnonsense\r\n")
      let response = try client.response()
      #expect(response.text == "malformed")
      #expect(response["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }

  @Test func countsWhatIsCollected() async throws {
    try await withServer { _ in
      .later { body in
        do throws(RequestBodyError) {
          return .text("\(try await body.collect(limit: 10).count)")
        } catch {
          return .text("\(error)")
        }
      }
    } while: { live in
      let client = try live.client()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello world")
      #expect(try client.response().text == "tooLarge(limit: 10)")
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhelloworld")
      #expect(try client.response().text == "10")
    }
  }
}

/// Sends from a thread of its own; only the thread uses the client until it is joined.
final class Sender: @unchecked Sendable {
  let client: RawClient
  private let chunk: [UInt8]
  private let times: Int
  private let count = Atomic<Int>(0)

  init(_ client: RawClient, _ chunk: [UInt8], times: Int) {
    self.client = client
    self.chunk = chunk
    self.times = times
  }

  var sent: Int { count.load(ordering: .relaxed) }

  func run() {
    for _ in 0..<times {
      guard (try? client.send(chunk)) != nil else { return }
      count.add(chunk.count, ordering: .relaxed)
    }
  }
}
