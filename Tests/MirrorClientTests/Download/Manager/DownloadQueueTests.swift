import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct DownloadQueueTests {
  private let bench: ManagerBench

  init() throws { bench = try ManagerBench() }

  /// Serves `/0`, `/1`, … one byte each, and holds all of them until the gate opens as often.
  private func heldServer(_ gate: Gate) throws -> ScriptedServer {
    try ScriptedServer { _ in ServedFile(bytes: [1, 2]).held(first: 1, gate) }
  }

  private func waitForRequests(_ server: ScriptedServer, _ count: Int) async {
    while server.requests.count < count { await Task.yield() }
  }

  @Test func atMostSoManyMoveAtATime() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 3)
    let downloads = try (0..<8).map { try download(server, $0) }
    for download in downloads { try await manager.resume(download) }
    await waitForRequests(server, 3)
    #expect(manager.receipts.count { $0.state == .downloading } == 3)
    #expect(manager.receipts.count { $0.state == .willResume } == 5)
    for _ in downloads { gate.open() }
    for download in downloads { _ = try await manager.outcome(of: download.id) }
    #expect(manager.receipts.allSatisfy { $0.state == .completed })
    #expect(server.requests.count == 8)
  }

  @Test(arguments: DownloadOrder.allCases) func nextIsTheFirstOrTheLastAsked(order: DownloadOrder)
    async throws
  {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 1, order: order)
    let downloads = try (0..<5).map { try download(server, $0) }
    for download in downloads { try await manager.resume(download) }
    for _ in downloads { gate.open() }
    for download in downloads { _ = try await manager.outcome(of: download.id) }
    let targets = server.requests.map(\.target)
    #expect(targets == (order == .fifo ? ["/0", "/1", "/2", "/3", "/4"] : ["/0", "/4", "/3", "/2", "/1"]))
  }

  @Test func aPriorityMayChangeWhileItWaits() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 1)
    let downloads = try (0..<4).map { try download(server, $0, priority: $0 == 1 ? -1 : 0) }
    for download in downloads { try await manager.resume(download) }
    manager.setPriority(5, of: downloads[3].id)
    manager.setPriority(9, of: downloads[0].id)
    #expect(manager.receipt(of: downloads[3].id)?.download.priority == 5)
    for _ in downloads { gate.open() }
    for download in downloads { _ = try await manager.outcome(of: download.id) }
    #expect(server.requests.map(\.target) == ["/0", "/3", "/2", "/1"])
    try await manager.close()
    #expect(try bench.rows().map(\.download.priority) == [9, -1, 0, 5])
  }

  @Test func aSecondRequestJoinsTheFirst() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager()
    let one = try download(server, 0)
    let tasks = (0..<5).map { _ in Task { try await manager.download(one) } }
    await waitForRequests(server, 1)
    try await manager.resume(one)
    gate.open()
    for task in tasks { #expect(try await task.value.state == .completed) }
    #expect(server.requests.count == 1)
    #expect(manager.receipts.count == 1)
  }

  @Test func theSameURLForAnotherPlaceIsNoSecondRequest() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager()
    let one = try download(server, 0)
    try await manager.resume(one)
    let other = Download(
      url: try web(server.url("/0")), to: .file("\(bench.out)/x", ifExists: .replace))
    guard case .conflict(one.id) = await bench.failure(manager, other) else {
      Issue.record("it joined")
      return
    }
    gate.open()
    _ = try await manager.outcome(of: one.id)
    // Over, it may go elsewhere.
    gate.open()
    #expect(try await manager.download(other).file?.path == "\(bench.out)/x")
  }

  @Test func suspendingOneThatWaitsTakesItOutOfTheQueue() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 1)
    let downloads = try (0..<3).map { try download(server, $0) }
    for download in downloads { try await manager.resume(download) }
    await manager.suspend(downloads[1].id)
    #expect(manager.receipt(of: downloads[1].id)?.state == .suspended)
    for _ in downloads { gate.open() }
    _ = try await manager.outcome(of: downloads[2].id)
    #expect(server.requests.map(\.target) == ["/0", "/2"])
    #expect(manager.receipt(of: downloads[1].id)?.state == .suspended)
    try await manager.resume(downloads[1].id)
    #expect(try await manager.outcome(of: downloads[1].id).state == .completed)
  }

  @Test func suspendingOneThatRunsLetsTheNextBegin() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 1)
    let downloads = try (0..<2).map { try download(server, $0) }
    for download in downloads { try await manager.resume(download) }
    await waitForRequests(server, 1)
    await manager.suspend(downloads[0].id)
    await waitForRequests(server, 2)
    #expect(manager.receipt(of: downloads[0].id)?.state == .suspended)
    #expect(manager.receipt(of: downloads[1].id)?.state == .downloading)
    gate.openForAll()
    _ = try await manager.outcome(of: downloads[1].id)
  }

  @Test func waitingForASuspendedOneEndsAtOnce() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager()
    let one = try download(server, 0)
    let task = Task { await bench.failure(manager, one) }
    await waitForRequests(server, 1)
    await manager.suspend(one.id)
    guard case .cancelled = await task.value else {
      Issue.record("not told")
      return
    }
    await #expect(throws: DownloadError.self) { try await manager.outcome(of: one.id) }
    await #expect(throws: DownloadError.self) { try await manager.resume(.url(web("http://nobody.test/"))) }
  }

  @Test func cancellingTheOneWhoWaitsDoesNotCancelTheDownload() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager()
    let one = try download(server, 0)
    let task = Task { await bench.failure(manager, one) }
    await waitForRequests(server, 1)
    task.cancel()
    _ = await task.value
    #expect(manager.receipt(of: one.id)?.state == .downloading)
    gate.open()
    #expect(try await manager.outcome(of: one.id).state == .completed)
  }

  @Test func suspendAllFailsNothingAndKeepsWhatCame() async throws {
    let gate = Gate()
    let file = ServedFile(bytes: noise(600_000))
    let server = try ScriptedServer { $0.number < 2 ? file.held(first: 524_288, gate) : file.answer($0) }
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 2)
    let downloads = try (0..<4).map { try download(server, $0) }
    for download in downloads { try await manager.resume(download) }
    for download in downloads.prefix(2) { await manager.wait(for: download.id) { $0.written >= 524_288 } }
    await manager.suspendAll()
    #expect(manager.receipts.map(\.state) == [.suspended, .suspended, .suspended, .suspended])
    #expect(manager.receipts.map(\.written) == [524_288, 524_288, 0, 0])
    #expect(manager.receipts.allSatisfy { $0.failure == nil && $0.speed == 0 })
    try await manager.resumeAll()
    for download in downloads { _ = try await manager.outcome(of: download.id) }
    #expect(server.requests.suffix(4).compactMap(\.rangeStart) == [524_288, 524_288])
    for receipt in manager.receipts { #expect(bench.bytes(receipt.file?.path) == file.bytes) }
  }

  @Test func startingTwiceAndSuspendingTwiceCountsRight() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 1)
    let one = try download(server, 0)
    for _ in 0..<20 {
      async let first = manager.resume(one)
      async let second = manager.resume(one)
      _ = try await (first, second)
      async let third: Void = manager.suspend(one.id)
      async let fourth: Void = manager.suspend(one.id)
      _ = await (third, fourth)
    }
    try await manager.resume(one)
    let other = try download(server, 1)
    try await manager.resume(other)
    #expect(manager.receipts.count { $0.state == .downloading } == 1)
    for _ in 0..<60 { gate.open() }
    _ = try await manager.outcome(of: one.id)
    _ = try await manager.outcome(of: other.id)
  }

  @Test func askingAgainWhileItComesToRestGoesOn() async throws {
    let gate = Gate()
    let file = ServedFile(bytes: noise(600_000))
    let server = try ScriptedServer { $0.number == 0 ? file.held(first: 524_288, gate) : file.answer($0) }
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 1)
    let one = try download(server, 0)
    try await manager.resume(one)
    await manager.wait(for: one.id) { $0.written >= 524_288 }
    // Not waited for: the transfer may still hold its file.
    let suspending = Task { await manager.suspend(one.id) }
    while manager.receipt(of: one.id)?.state == .downloading { await Task.yield() }
    #expect(try await manager.download(one).state == .completed)
    await suspending.value
    #expect(bench.bytes(manager.receipt(of: one.id)?.file?.path) == file.bytes)
  }

  @Test func standsStillForAMinuteAtMostUnlessToldOtherwise() {
    #expect(HTTPClientSettings.downloads(maximumActive: 4).stallTimeout == .seconds(60))
    #expect(HTTPClientSettings.downloads(maximumActive: 4).maximumConnections == 4)
    #expect(DownloadOptions.standard.maximumActive == 4 && DownloadOptions.standard.order == .fifo)
  }

  @Test func nothingIsTakenAfterClose() async throws {
    let server = try ScriptedServer { ServedFile(bytes: [1]).answer($0) }
    defer {
      server.stop()
    }
    let manager = try bench.manager()
    try await manager.close()
    guard case .cancelled = await bench.failure(manager, try download(server, 0)) else {
      Issue.record("it was taken")
      return
    }
    #expect(server.requests.isEmpty)
  }

  @Test func aStoppedEngineSuspendsAndFailsNothing() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager()
    let one = try download(server, 0)
    try await manager.resume(one)
    await waitForRequests(server, 1)
    bench.engine.stop()
    await manager.wait(for: one.id, .suspended)
    #expect(manager.receipt(of: one.id)?.failure == nil)
  }

  @Test func tenThousandWaitWithoutMuchAdo() async throws {
    let gate = Gate()
    let server = try heldServer(gate)
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager(maximumActive: 1)
    let downloads = try (0..<10_000).map { try download(server, $0) }
    await withTaskGroup(of: Void.self) { group in
      for download in downloads { group.addTask { _ = try? await manager.resume(download) } }
    }
    #expect(manager.receipts.count == 10_000)
    // One transaction takes what has come while the one before was written.
    #expect(manager.receiptBatches < 10_000)
    await manager.suspendAll()
    try await manager.close()
    #expect(try bench.rows().count == 10_000)
  }
}
