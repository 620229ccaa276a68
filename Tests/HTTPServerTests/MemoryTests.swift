import Foundation
import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// What clients that do not go on make the server hold: 64 KiB each at most, whatever is under way.
///
/// A sanitizer's own memory would count as well: these tests are left out under one.
@Suite(.disabled(if: Sanitizer.isActive)) struct MemoryTests {
  /// What no connection is to blame for: worker stacks, the allocator's reserve.
  private static let slack = 4 << 20

  /// Bytes of this process that are in memory.
  private static func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (Int(text.split(separator: " ")[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  @Test func holds64KiBOfAnUploadThatNobodyTakesOn() async throws {
    let gate = Gate()
    let begun = Atomic(0)
    let uploads = 200
    try await withServer { request in
      guard request.method == .post else { return .respond(.text("still here")) }
      return .later { body in
        let first = try? await body.next()
        begun.add(1, ordering: .sequentiallyConsistent)
        await gate.passed()
        return .text("\(first?.count ?? -1)")
      }
    } while: { live in
      let clients = try (0..<uploads).map { _ in try live.client() }
      let piece = [UInt8](repeating: 0x61, count: 32 << 10)
      try live.letATickPass()
      let before = try Self.residentBytes()
      for client in clients {
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
      }
      // As much as certainly fits into the kernel's buffers, and more than the server may hold.
      for _ in 0..<3 {
        for client in clients { try client.send(piece) }
        try live.letATickPass()
      }
      try await eventually { begun.load(ordering: .sequentiallyConsistent) == uploads }
      try live.letATickPass()
      let grown = try Self.residentBytes() - before
      #expect(grown <= uploads * 64 << 10 + Self.slack, "\(grown / uploads) bytes each")
      gate.open()
    }
  }

  @Test func holds64KiBOfAnswersThatNobodyReads() async throws {
    let readers = 40
    // Copied behind its head, as every answer up to that size is.
    let body = [UInt8](repeating: 0x61, count: 16 << 10)
    try await withServer { request in
      .respond(request.path == "/body" ? HTTPResponse(.ok, [:], .bytes(body)) : .text("still here"))
    } while: { live in
      let clients = try (0..<readers).map { _ in try live.client(receiveBuffer: 4096) }
      let requests = Array(String(repeating: "GET /body HTTP/1.1\r\nHost: a\r\n\r\n", count: 900).utf8)
      try live.letATickPass()
      let before = try Self.residentBytes()
      // 14 MiB of answers for each: more than the kernel keeps for a reader that takes nothing.
      for client in clients { try client.send(requests) }
      for _ in 0..<50 { try live.letATickPass() }
      let grown = try Self.residentBytes() - before
      #expect(grown <= readers * 64 << 10 + Self.slack, "\(grown / readers) bytes each")
    }
  }

  @Test func holdsNothingOfALargePackageForAReaderThatStops() async throws {
    let readers = 200
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let size: Int64 = 1 << 30
    let sparse = try folder.directory.file("big", mode: .createNew)
    try sparse.truncate(to: size)
    let file = SharedFile(sparse)
    try await withServer { request in
      .respond(
        request.path == "/big"
          ? HTTPResponse(.ok, [:], .file(file, offset: 0, count: size)) : .text("still here"))
    } while: { live in
      let clients = try (0..<readers).map { _ in try live.client(receiveBuffer: 4096) }
      try live.letATickPass()
      let before = try Self.residentBytes()
      for client in clients {
        try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        try client.skip(1000)
      }
      for _ in 0..<50 { try live.letATickPass() }
      let grown = try Self.residentBytes() - before
      #expect(live.open >= readers)
      #expect(grown <= readers * 1024 + Self.slack / 4, "\(grown / readers) bytes each")
    }
  }

  @Test func countsWhatTinyChunksTakeNotWhatTheyHold() async throws {
    let gate = Gate()
    let begun = Atomic(0)
    let uploads = 50
    let chunks = 60_000
    try await withServer { request in
      guard request.method == .post else { return .respond(.text("still here")) }
      return .later { body in
        var count = (try? await body.next())?.count ?? 0
        begun.add(1, ordering: .sequentiallyConsistent)
        await gate.passed()
        while let piece = try? await body.next() { count += piece.count }
        return .text("\(count)")
      }
    } while: { live in
      let clients = try (0..<uploads).map { _ in try live.client() }
      // One byte of body in six of coding: many reads fit into the queue.
      let wire = Array(String(repeating: "1\r\na\r\n", count: chunks).utf8)
      try live.letATickPass()
      let before = try Self.residentBytes()
      for client in clients {
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        try client.send(wire)
      }
      try await eventually { begun.load(ordering: .sequentiallyConsistent) == uploads }
      for _ in 0..<50 { try live.letATickPass() }
      let grown = try Self.residentBytes() - before
      #expect(grown <= uploads * 64 << 10 + Self.slack / 4, "\(grown / uploads) bytes each")
      gate.open()
      for client in clients {
        try client.send("0\r\n\r\n")
        #expect(try client.response().text == "\(chunks)")
      }
    }
  }
}
