import HTTPClient
import Platform
import TestSupport
import Testing

@testable import MirrorClient

/// What is left of a download that is removed or forgotten.
@Suite struct DownloadRemovalTests {
  private let bench: ManagerBench

  init() throws { bench = try ManagerBench() }

  @Test func removingOneThatRunsLeavesNothing() async throws {
    let gate = Gate()
    let file = ServedFile(bytes: noise(600_000))
    let server = try ScriptedServer { $0.number == 0 ? file.held(first: 524_288, gate) : file.answer($0) }
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager()
    let one = try download(server, 0)
    try await manager.resume(one)
    await manager.wait(for: one.id) { $0.written >= 524_288 }
    #expect(bench.files == [one.partialName])
    let events = manager.events(of: one.id)
    try await manager.remove(one.id)
    #expect(bench.files == [] && manager.receipts == [] && manager.receipt(of: one.id) == nil)
    #expect(try bench.rows() == [])
    var last: DownloadReceipt.State?
    for await event in events { last = event.receipt.state }
    #expect(last == DownloadReceipt.State.none)
    // And it may be asked for again, from the start.
    #expect(try await manager.download(one).state == .completed)
    #expect(server.requests.map(\.rangeStart) == [nil, nil])
    try await manager.remove(.url(web("http://nobody.test/")))
  }

  @Test func removingACompletedOneRemovesItsFile() async throws {
    let server = try ScriptedServer { ServedFile(bytes: [1, 2, 3]).answer($0) }
    defer {
      server.stop()
    }
    let manager = try bench.manager()
    let place = DownloadDestination.file("\(bench.out)/x", ifExists: .replace)
    let one = Download(url: try web(server.url("/x")), to: place)
    _ = try await manager.download(one)
    try await manager.remove(one.id)
    #expect(bench.names(bench.out) == [])
    // A file that somebody changed since is not ours to remove.
    _ = try await manager.download(one)
    try bench.write([9], to: "\(bench.out)/x")
    try await manager.remove(one.id)
    #expect(bench.bytes("\(bench.out)/x") == [9])
  }

  @Test func forgettingACompletedOneLeavesItsFile() async throws {
    let gate = Gate()
    let server = try ScriptedServer { request in
      request.target == "/0"
        ? ServedFile(bytes: [1, 2, 3]).answer(request) : ServedFile(bytes: [1, 2]).held(first: 1, gate)
    }
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager()
    let (one, other) = (try download(server, 0), try download(server, 1))
    let receipt = try await manager.download(one)
    try await manager.resume(other)
    manager.forget(one.id)
    manager.forget(other.id)
    #expect(manager.receipts.map(\.id) == [other.id])
    #expect(bench.bytes(receipt.file?.path) == [1, 2, 3])
    try await manager.close()
    #expect(try bench.rows().map(\.id) == [other.id])
  }

  @Test func removeAndRequestAtOnceEndInOneOfTheTwo() async throws {
    let server = try ScriptedServer { ServedFile(bytes: noise(10_000)).answer($0) }
    defer {
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 2)
    let one = try download(server, 0)
    for _ in 0..<50 {
      async let removed: Void = manager.remove(one.id)
      async let asked: DownloadReceipt? = try? await manager.download(one)
      _ = try await (removed, asked)
      let receipt = manager.receipt(of: one.id)
      #expect(receipt == nil || receipt?.state == .completed, "\(String(describing: receipt))")
    }
    _ = try await manager.download(one)
    #expect(bench.files == [one.fileName])
  }
}
