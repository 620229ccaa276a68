import Foundation
import HTTPWire
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// What the access log says.
@Suite struct AccessLogTests {
  private static func lines(
    _ format: AccessLog.Format, _ respond: @escaping @Sendable (HTTPRequest) -> HTTPReaction,
    _ use: (LiveServer) throws -> Void
  ) async throws -> [String] {
    let temporary = try TemporaryFolder()
    defer { withExtendedLifetime(temporary) {} }
    let path = "\(temporary.path)/access.log"
    let log = try AccessLog(format: format, destination: .file(path), logger: .silent)
    try await withServer(accessLog: log, respond) { try use($0) }
    log.close()
    return try Self.read(path)
  }

  private static func read(_ path: String) throws -> [String] {
    let file = try File(path: path, mode: .read)
    let text = String(decoding: try file.bytes(at: 0, count: Int(file.size)), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }

  @Test func writesACombinedLine() async throws {
    let lines = try await Self.lines(.text, { _ in .respond(.text("hello")) }) { live in
      let client = try live.client()
      try client.send(
        "GET /a?b=c HTTP/1.1\r\nHost: a\r\nUser-Agent: test \"1\"\\\r\nReferer: http://x/\r\n"
          + "X-Request-Id: id-1\r\n\r\n")
      _ = try client.response()
    }
    let line = try #require(lines.first)
    let pattern =
      #/127\.0\.0\.1 - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET /a\?b=c HTTP/1\.1" 200 5 "http://x/" "test \\"1\\"\\\\" \d+\.\d{6} id-1/#
    #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
  }

  @Test func writesOneJSONObjectALine() async throws {
    let lines = try await Self.lines(.json, { _ in .respond(.text("hello")) }) { live in
      let client = try live.client()
      try client.send(Array("GET /\u{e9} HTTP/1.0\r\nHost: h\"\\\r\n\r\n".utf8))
      _ = try client.response()
      let second = try live.client()
      try second.send("HEAD /x HTTP/1.1\r\nHost: b:1\r\nUser-Agent: ü\"\\\r\n\r\n")
      _ = try second.response(toHead: true)
    }
    #expect(lines.count == 2)
    let refused = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(refused["status"] as? Int == 400)
    #expect(refused["target"] == nil)
    let head = try #require(try JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
    #expect(head["method"] as? String == "HEAD")
    #expect(head["target"] as? String == "/x")
    #expect(head["protocol"] as? String == "HTTP/1.1")
    #expect(head["status"] as? Int == 200)
    #expect(head["bytes"] as? Int == 0)
    #expect(head["host"] as? String == "b:1")
    #expect(head["userAgent"] as? String == "ü\"\\")
    #expect(head["remote"] as? String == "127.0.0.1")
    #expect((head["requestId"] as? String)?.utf8.count == 16)
    #expect(head["seconds"] as? Double != nil)
    #expect(head["referer"] == nil)
  }

  @Test func tellsHowMuchOfALongAnswerWent() async throws {
    let body = ResponseBody.bytes([UInt8](repeating: 0x61, count: 16 << 20))
    let lines = try await Self.lines(
      .text,
      { request in
        request.target == "/" ? .respond(HTTPResponse(.ok, [:], body)) : .later { _ in .text("later") }
      }
    ) { live in
      let client = try live.client()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /later HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().body.count == 16 << 20)
      #expect(try client.response().text == "later")
      let stopped = try live.client(receiveBuffer: 4096)
      try stopped.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      try stopped.skip(1000)
      stopped.resetOnClose()
    }
    let sizes = lines.map { Int($0.split(separator: " ")[9]) ?? -1 }
    #expect(sizes.count == 3)
    #expect(sizes.prefix(2) == [16 << 20, 5])
    #expect(try #require(sizes.last) < 16 << 20)
  }

  @Test func goesOnInANewFileAfterReopening() async throws {
    let temporary = try TemporaryFolder()
    defer { withExtendedLifetime(temporary) {} }
    let path = "\(temporary.path)/access.log"
    let log = try AccessLog(format: .text, destination: .file(path), logger: .silent)
    log.add(Array("one\n".utf8), count: 1)
    log.reopen()
    log.add(Array("two\n".utf8), count: 1)
    let flushed = Semaphore()
    log.onceWritten { flushed.signal() }
    flushed.wait()
    try SystemVolume().rename("access.log", in: temporary.directory, to: "old.log", in: temporary.directory)
    log.add(Array("three\n".utf8), count: 1)
    log.reopen()
    log.add(Array("four\n".utf8), count: 1)
    log.close()
    #expect(try Self.read("\(temporary.path)/old.log") == ["one", "two", "three"])
    #expect(try Self.read(path) == ["four"])
  }

  @Test func dropsLinesRatherThanMemory() async throws {
    let temporary = try TemporaryFolder()
    defer { withExtendedLifetime(temporary) {} }
    let path = "\(temporary.path)/access.log"
    let told = "\(temporary.path)/application.log"
    let messages = try temporary.directory.file("application.log", mode: .createNew)
    let logger = Logger(format: .text, minimum: .info, descriptor: messages.number)
    let log = try AccessLog(format: .text, destination: .file(path), logger: logger, limit: 100)
    let (holding, held) = (Semaphore(), Semaphore())
    log.onceWritten {
      held.signal()
      holding.wait()
    }
    held.wait()
    for _ in 0..<10 { log.add([UInt8](repeating: 0x61, count: 39) + [0x0a], count: 1) }
    holding.signal()
    log.close()
    #expect(try Self.read(path).count == 2)
    #expect(try Self.read(told).first?.contains("count=\"8\"") == true)
  }

  @Test func saysWhyItCannotOpen() {
    #expect(throws: SystemError.self) {
      try AccessLog(format: .text, destination: .file("/nonexistent/access.log"), logger: .silent)
    }
  }
}
