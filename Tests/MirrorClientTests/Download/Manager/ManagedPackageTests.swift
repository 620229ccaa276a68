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
