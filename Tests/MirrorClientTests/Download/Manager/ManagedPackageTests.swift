import DepotModel
import HTTPClient
import Platform
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct ManagedPackageTests {
  private let bench: ManagerBench
  private let package: ServedPackage

  init() throws {
    bench = try ManagerBench()
    package = try ServedPackage(noise(500_000))
  }

  @Test func bringsAPackageWhereItIsWanted() async throws {
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let manager = try bench.manager(depot: server.url())
    let one = Download(
      package: package.source(server.url("/game-1.zip")), to: .folder(bench.out, ifExists: .replace))
    let receipt = try await manager.download(one)
    #expect(receipt.file?.path == "\(bench.out)/game-1.zip")
    #expect(bench.bytes(receipt.file?.path) == package.bytes)
    #expect(receipt.id == .package(package.source("").sha256))
    // Proven by its digest: nothing is asked.
    #expect(try await manager.download(one) == receipt)
    #expect(server.requests.count == 1)
  }

  @Test func resumesAPackageAcrossRuns() async throws {
    let server = try ScriptedServer { package.answer($0, cut: $0.number == 0 ? 300_000 : nil) }
    defer { server.stop() }
    let one = Download(package: package.source(server.url()))
    do {
      let manager = try bench.manager(depot: server.url())
      #expect(await bench.failure(manager, one) != nil)
      #expect(manager.receipt(of: one.id)?.written == 300_000)
      try await manager.close()
    }
    let receipt = try await bench.manager(depot: server.url()).download(one)
    #expect(bench.bytes(receipt.file?.path) == package.bytes)
    #expect(server.requests.map(\.rangeStart) == [nil, 300_000])
    #expect(bench.files == [one.fileName])
  }

  @Test func ofADamagedPartialOnlyTheWrongBlocksComeAgain() async throws {
    let block = 64 << 10
    let digests = try stride(from: 0, to: package.bytes.count, by: block).map {
      try #require(
        SHA256Digest(
          bytes: Hash.digest(of: Array(package.bytes[$0..<min($0 + block, package.bytes.count)]), .sha256)))
    }
    let sha256 = package.source("").sha256
    let manifest =
      #"{"gameId":"game","h5Version":"1","h5Sha256":"\#(sha256.hex)","h5Size":\#(package.bytes.count),"#
      + #""blockSize":\#(block),"blocks":["\#(digests.map(\.hex).joined(separator: #"",""#))"]}"#
    let server = try ScriptedServer { request in
      guard request.target.hasSuffix("/manifest") else {
        guard let range = request.range, let end = range.end else { return package.answer(request) }
        let part = Array(package.bytes[range.start...end])
        let head = "ETag: \(package.tag)\r\nContent-Range: bytes \(range.start)-\(end)/\(package.bytes.count)"
        return [
          .text("HTTP/1.1 206 Part\r\n\(head)\r\nContent-Length: \(part.count)\r\n\r\n"), .send(part),
        ]
      }
      return [.text("HTTP/1.1 200 OK\r\nContent-Length: \(manifest.utf8.count)\r\n\r\n\(manifest)")]
    }
    defer { server.stop() }
    let one = Download(package: package.source(server.url("/games/game/versions/1/package.zip")))
    let manager = try bench.manager(depot: server.url())
    var damaged = package.bytes
    damaged[100_000] ^= 1
    try bench.write(damaged, to: "\(bench.home)/\(one.partialName)")
    let receipt = try await manager.download(one)
    #expect(bench.bytes(receipt.file?.path) == package.bytes)
    let targets = server.requests.map(\.target)
    #expect(targets.filter { $0.hasSuffix("/manifest") }.count == 1)
    let ranges = server.requests.compactMap { $0["Range"] }
    #expect(ranges == ["bytes=\(block)-\(2 * block - 1)"], "one block of eight")
  }

  @Test func asksForNoPackageWithoutADepot() async throws {
    let manager = try bench.manager()
    guard
      case .badURL = await bench.failure(manager, Download(package: package.source("http://127.0.0.1:1/")))
    else {
      Issue.record("it was asked for")
      return
    }
    #expect(manager.receipts == [])
  }
}
