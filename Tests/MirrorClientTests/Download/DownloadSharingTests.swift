import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct DownloadSharingTests {
  private let package: ServedPackage

  init() throws { package = try ServedPackage(noise(600_000)) }

  /// Sends `first` bytes, tells `sent`, and waits for `release` before the rest; later requests are answered whole.
  private func held(
    _ request: ScriptedServer.Request, first: Int, sent: AsyncStream<Void>.Continuation, gate: Gate
  ) -> [ScriptedServer.Step] {
    guard request.number == 0 else { return package.answer(request) }
    return [
      .text("HTTP/1.1 200 OK\r\nETag: \(package.tag)\r\nContent-Length: 600000\r\n\r\n"),
      .send(Array(package.bytes[..<first])), .call { sent.yield() }, .call { gate.wait() },
      .send(Array(package.bytes[first...])),
    ]
  }

  private func result(_ bench: DownloadBench, _ source: PackageSource) -> Task<
    Result<FetchedPackage, DownloadError>, Never
  > {
    Task {
      do throws(DownloadError) { return .success(try await bench.fetch(source)) } catch {
        return .failure(error)
      }
    }
  }

  @Test func aSecondRequestJoinsTheFirst() async throws {
    let (stream, sent) = AsyncStream<Void>.makeStream()
    let gate = Gate()
    let server = try ScriptedServer { held($0, first: 300_000, sent: sent, gate: gate) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    let first = result(bench, source)
    for await _ in stream { break }
    let second = result(bench, source)
    while bench.downloader.passengers(for: source.sha256) < 2 { await Task.yield() }
    gate.open()
    #expect(try await first.value.get().bytesFetched == 600_000)
    #expect(try await second.value.get().bytesFetched == 600_000)
    #expect(server.requests.count == 1)
    #expect(try bench.partial(source) == package.bytes)
  }

  @Test func oneThatLeavesDoesNotDisturbTheOther() async throws {
    let (stream, sent) = AsyncStream<Void>.makeStream()
    let gate = Gate()
    let server = try ScriptedServer { held($0, first: 300_000, sent: sent, gate: gate) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    let first = result(bench, source)
    for await _ in stream { break }
    let second = result(bench, source)
    second.cancel()
    guard case .failure(.cancelled) = await second.value else {
      Issue.record("the second was not cancelled")
      return
    }
    gate.open()
    #expect(try await first.value.get().bytesFetched == 600_000)
  }

  @Test func cancellingKeepsWhatCameAndTheNextResumes() async throws {
    let (stream, sent) = AsyncStream<Void>.makeStream()
    let gate = Gate()
    let server = try ScriptedServer { held($0, first: 550_000, sent: sent, gate: gate) }
    defer {
      gate.open()
      server.stop()
    }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    let arrived = AsyncStream<Void>.makeStream()
    let task = Task {
      try await bench.downloader.fetch(source) { progress in
        if progress.done >= 524_288 { arrived.continuation.yield() }
      }
    }
    for await _ in stream { break }
    for await _ in arrived.stream { break }
    task.cancel()
    await #expect(throws: DownloadError.self) { try await task.value }
    let left = try bench.partial(source)
    #expect(left.count >= 524_288)
    #expect(left == Array(package.bytes[..<left.count]))
    // At once, while the first may still be coming to rest.
    let next = try await bench.fetch(source)
    #expect(next.bytesFetched == Int64(600_000 - left.count))
    #expect(try bench.partial(source) == package.bytes)
  }

  @Test func stoppingTheEngineKeepsWhatCame() async throws {
    let (stream, sent) = AsyncStream<Void>.makeStream()
    let gate = Gate()
    let server = try ScriptedServer { held($0, first: 300_000, sent: sent, gate: gate) }
    defer {
      gate.open()
      server.stop()
    }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    let task = result(bench, source)
    for await _ in stream { break }
    bench.engine.shutdown()
    guard case .failure(.cancelled) = await task.value else {
      Issue.record("it was not cancelled")
      return
    }
    let left = try bench.partial(source)
    #expect(left == Array(package.bytes[..<left.count]))
  }

  @Test func manySmallOnesShareFewConnections() async throws {
    let packages = try (0..<100).map { try ServedPackage(noise(5_000, seed: UInt64($0 + 1))) }
    let server = try ScriptedServer { request in
      packages[Int(request.target.dropFirst()) ?? 0].answer(request)
    }
    defer { server.stop() }
    let bench = try DownloadBench(connections: 3)
    let fetched = try await withThrowingTaskGroup(of: Int64.self) { group in
      for (index, package) in packages.enumerated() {
        let source = package.source(server.url("/\(index)"))
        group.addTask { try await bench.fetch(source).bytesFetched }
      }
      return try await group.reduce(0, +)
    }
    #expect(fetched == 500_000)
    #expect(bench.downloader.bytesFetched == 500_000)
    #expect(server.connections <= 3)
    for (index, package) in packages.enumerated() {
      #expect(try bench.partial(package.source(server.url("/\(index)"))) == package.bytes)
    }
  }

  @Test func tellsProgressInOrder() async throws {
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(Array(package.bytes[..<300_000]), as: source)
    let told = Mutex<[DownloadProgress]>([])
    _ = try await bench.downloader.fetch(source) { progress in told.withLock { $0.append(progress) } }
    let all = told.withLock { $0 }
    #expect(all.first?.phase == .checking)
    #expect(all.last?.phase == .finishing)
    #expect(all.allSatisfy { $0.total == 600_000 })
    #expect(all.map(\.done) == all.map(\.done).sorted())
    #expect(all.last?.done == 600_000)
    #expect(all.last?.fetched == 300_000)
  }
}

/// Holds a connection's thread of a `ScriptedServer` until the test says go on.
final class Gate: Sendable {
  private let semaphore = Semaphore()

  func wait() { semaphore.wait() }
  func open() { semaphore.signal() }
}
