import Foundation
import HTTPWire
import PlayService
import TestSupport
import Testing
import ZipArchive

/// Files that are sent smaller than they are: from a compressed one beside them, or compressed here.
@Suite struct CompressionTests {
  private let mirror: MirrorFolder
  private let script = MirrorFolder.script
  private let zipped: [UInt8]

  init() throws {
    mirror = try MirrorFolder()
    zipped = try #require(Gzip.compress(script))
    try mirror.put(script, "text.js")
    try mirror.put(script, "both.js")
    try mirror.put(zipped, "both.js.gz")
    try mirror.put([1, 2, 3], "both.js.br")
  }

  private func get(
    _ name: String, _ accepted: String, _ fields: KeyValuePairs<String, String> = [:], method: String = "GET"
  ) async throws -> MirrorFolder.Answer {
    var all =
      "\(method) /play/courier/\(name) HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: \(accepted)\r\n"
    for (name, value) in fields { all += "\(name): \(value)\r\n" }
    return try await mirror.answer(to: try request(wire: "\(all)\r\n"))
  }

  // MARK: Beside it

  @Test(
    arguments: [
      ("gzip, deflate, br", "br"), ("gzip, deflate", "gzip"), ("br;q=0.5, gzip", "gzip"),
      ("br;q=0, gzip", "gzip"), ("identity", nil), ("", nil), ("gzip;q=0.5, identity", nil), ("*", "br"),
    ] as [(String, String?)])
  func aCompressedNeighbourIsSentToWhoTakesIt(_ accepted: String, _ coding: String?) async throws {
    let answer = try await get("both.js", accepted)
    #expect(answer.fields["Content-Encoding"] == coding)
    #expect(answer.fields["Content-Type"] == "text/javascript; charset=utf-8")
    #expect(answer.fields["Vary"] == "Accept-Encoding")
    #expect(answer.bytes == (coding == "br" ? [1, 2, 3] : coding == "gzip" ? zipped : script))
  }

  @Test func everyFormHasATagOfItsOwn() async throws {
    var tags: Set<String> = []
    for accepted in ["br", "gzip", ""] {
      let tag = try #require(try await get("both.js", accepted).fields["ETag"])
      #expect(!tag.hasPrefix("W/"))
      tags.insert(tag)
      #expect(try await get("both.js", accepted, ["If-None-Match": tag]).status == 304)
      #expect(
        try await get("both.js", "identity", ["If-None-Match": tag]).status == (accepted == "" ? 304 : 200))
    }
    #expect(tags.count == 3)
  }

  @Test func partsAreOfTheFileItself() async throws {
    for name in ["both.js", "text.js"] {
      let part = try await get(name, "gzip, br", ["Range": "bytes=0-2"])
      #expect(part.status == 206)
      #expect(part.body == "let")
      #expect(part.fields["Content-Encoding"] == nil)
      #expect(part.fields["Vary"] == "Accept-Encoding")
      // What was begun compressed cannot go on so: all of it again, as it is.
      let tag = try #require(try await get(name, "gzip").fields["ETag"])
      let again = try await get(name, "gzip", ["Range": "bytes=0-2", "If-Range": tag])
      #expect(again.status == 200)
      #expect(again.bytes == script)
    }
  }

  /// Cut off, of an older build, no gzip at all, or larger than what it holds.
  @Test(arguments: ["cut", "stale", "lie", "empty", "larger"])
  func aNeighbourThatDoesNotHoldTheFileIsNotSent(_ fault: String) async throws {
    try mirror.put(script, "\(fault).data")
    let bytes: [UInt8] =
      switch fault {
      case "cut": Array(zipped.dropLast())
      case "stale": try #require(Gzip.compress(Array("older".utf8)))
      case "lie": Array("let a = 1; let b = 2".utf8)
      case "empty": []
      default: script + script
      }
    try mirror.put(bytes, "\(fault).data.gz")
    let answer = try await get("\(fault).data", "gzip")
    #expect(answer.fields["Content-Encoding"] == nil)
    #expect(answer.bytes == script)
  }

  @Test func aNeighbourThatWentIsNotMissed() async throws {
    #expect(try await get("both.js", "br").fields["Content-Encoding"] == "br")
    try FileManager.default.removeItem(atPath: "\(mirror.folder)/both.js.br")
    let answer = try await get("both.js", "br")
    #expect(answer.status == 200)
    #expect(answer.bytes == script)
  }

  // MARK: Here

  @Test func aTextIsCompressedOnce() async throws {
    let answer = try await get("text.js", "gzip, br")
    #expect(answer.fields["Content-Encoding"] == "gzip")
    #expect(answer.fields["Vary"] == "Accept-Encoding")
    #expect(answer.fields["Content-Type"] == "text/javascript; charset=utf-8")
    #expect(answer.bytes == zipped)
    #expect(try mirror.isReady("/play/courier/text.js", ["Accept-Encoding": "gzip"]))
    #expect(try await get("text.js", "gzip", method: "HEAD").fields["Content-Length"] == "\(zipped.count)")
  }

  @Test func whoHasItIsToldSoWithoutCompressingIt() async throws {
    let tag = try #require(try await get("text.js", "gzip").fields["ETag"])
    let other = try MirrorFolder()
    #expect(try await get("text.js", "gzip", ["If-None-Match": tag]).status == 304)
    #expect(try await get("text.js", "gzip", ["If-None-Match": "\"x\""]).status == 200)
    #expect(try await get("text.js", "gzip", ["If-Match": "\"x\""]).status == 412)
    _ = other
  }

  @Test(arguments: [(1024, false), (1025, true)])
  func aTextOfAtMostAKilobyteStaysAsItIs(_ size: Int, _ isSmaller: Bool) async throws {
    try mirror.put(Array(repeating: 0x20, count: size), "small.json")
    let answer = try await get("small.json", "gzip")
    #expect((answer.fields["Content-Encoding"] == "gzip") == isSmaller)
    #expect((answer.fields["Vary"] == nil) == !isSmaller)
  }

  @Test func whatDoesNotGetSmallerStaysAsItIs() async throws {
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    try mirror.put(noise, "noise.txt")
    let answer = try await get("noise.txt", "gzip")
    #expect(answer.fields["Content-Encoding"] == nil)
    #expect(answer.bytes == noise)
    #expect(
      try mirror.isReady("/play/courier/noise.txt", ["Accept-Encoding": "gzip"]), "and is not tried again")
  }

  @Test(arguments: ["a.wasm", "a.png", "a.data", "a"])
  func whatIsNoTextStaysAsItIs(_ name: String) async throws {
    try mirror.put(script, name)
    let answer = try await get(name, "gzip")
    #expect(answer.fields["Content-Encoding"] == nil)
    #expect(answer.fields["Vary"] == nil)
  }

  @Test func manyWhoAskAtOnceGetTheSame() async throws {
    try mirror.put(Array(repeating: script, count: 100).flatMap { $0 }, "big.js")
    let mirror = mirror
    let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<20 {
        group.addTask {
          let request = try request(
            wire: "GET /play/courier/big.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n")
          return try await mirror.answer(to: request).bytes
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(bodies.count == 20)
    #expect(Set(bodies).count == 1)
  }

  @Test func whatIsKeptIsBounded() async throws {
    var settings = PlaySettings()
    settings.compressedBytes = 3 * zipped.count
    let mirror = try MirrorFolder(settings)
    for number in 0..<20 { try mirror.put(script, "\(number).js") }
    for round in 0..<2 {
      for number in 0..<20 {
        let answer = try await mirror.answer(
          "/play/courier/\(number).js", ["Accept-Encoding": "gzip"])
        #expect(answer.bytes == zipped, "round \(round)")
      }
    }
    let ready = try (0..<20).filter {
      try mirror.isReady("/play/courier/\($0).js", ["Accept-Encoding": "gzip"])
    }
    #expect((1...3).contains(ready.count))
    #expect(ready.contains(19), "the last one used")
  }
}
