import HTTPWire
import Platform
import TestSupport
import Testing

@testable import HTTPServer

final class SharedFile: BodyFile {
  let file: File

  init(_ file: File) { self.file = file }

  var number: Int32 { file.number }
}

/// Bodies from files, in pieces and of sizes that no buffer holds.
@Suite struct FileBodyTests {
  private static func withFile(_ size: Int64, _ body: (SharedFile) async throws -> Void) async throws {
    let temporary = try TemporaryFolder()
    defer { withExtendedLifetime(temporary) {} }
    let file = try temporary.directory.file("big", mode: .createNew)
    let volume = SystemVolume()
    try volume.write(Array("begin".utf8), to: file, at: 0)
    try file.truncate(to: size)
    try volume.write(Array("end".utf8), to: file, at: size - 3)
    try await body(SharedFile(file))
  }

  @Test func sendsAWholeFileToASlowReader() async throws {
    let size: Int64 = 8 << 20
    try await Self.withFile(size) { file in
      try await withServer { _ in
        .respond(HTTPResponse(.ok, [:], .file(file, offset: 0, count: size)))
      } while: { live in
        let client = try live.client(receiveBuffer: 32 << 10)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let other = try live.client()
        let response = try client.response()
        #expect(response.body.count == Int(size))
        #expect(response.body.starts(with: "begin".utf8))
        #expect(response.body.suffix(3) == Array("end".utf8)[...])
        #expect(response.body[5..<response.body.count - 3].allSatisfy { $0 == 0 })
        try other.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try other.response(toHead: true)["Content-Length"] == "\(size)")
      }
    }
  }

  @Test func servesOthersWhileAReaderStops() async throws {
    let size: Int64 = 1 << 30
    try await Self.withFile(size) { file in
      try await withServer { request in
        request.target == "/big"
          ? .respond(HTTPResponse(.ok, [:], .file(file, offset: 0, count: size))) : .respond(.text("small"))
      } while: { live in
        let stopped = try live.client()
        try stopped.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        let client = try live.client()
        for _ in 0..<100 {
          try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.response().text == "small")
        }
      }
    }
  }

  @Test func sendsPipelinedPartsInOrder() async throws {
    try await Self.withFile(1000) { file in
      try await withServer { request in
        guard request.target == "/" else { return .respond(.text("text")) }
        let body = ResponseBody.segments([
          .bytes(Array("<".utf8)), .file(file, offset: 0, count: 5),
          .segments([.bytes([]), .bytes(Array("|".utf8))]),
          .file(file, offset: 997, count: 3), .bytes([UInt8](repeating: 0x2e, count: 20_000)),
        ])
        return .respond(HTTPResponse(.ok, [:], body))
      } while: { live in
        let client = try live.client()
        let pair = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /text HTTP/1.1\r\nHost: a\r\n\r\n"
        try client.send(String(repeating: pair, count: 50))
        for _ in 0..<50 {
          #expect(try client.response().text == "<begin|end" + String(repeating: ".", count: 20_000))
          #expect(try client.response().text == "text")
        }
      }
    }
  }

  @Test func breaksOffWhenTheFileIsShorterThanItWas() async throws {
    try await Self.withFile(1000) { file in
      try await withServer { _ in
        .respond(HTTPResponse(.ok, [:], .file(file, offset: 0, count: 2000)))
      } while: { live in
        let client = try live.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(throws: RawClient.Failure.self) { try client.response() }
      }
    }
  }
}
