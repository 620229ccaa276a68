import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct FileFaultTests {
  private let bench: ManagerBench
  private let file = ServedFile(bytes: noise(600_000))

  init() throws { bench = try ManagerBench() }

  /// ENOSPC and EIO at each write, fsync and rename in turn, until there are no more.
  @Test(arguments: [Int32(28), 5]) func anyFailingStepLeavesTheOldFileAndCanBeTriedAgain(errno: Int32)
    async throws
  {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let path = "\(bench.out)/x"
    let one = Download(url: try web(server.url()), to: .file(path, ifExists: .replace))
    var failed = 0
    for step in 1...100 {
      try bench.write([9], to: path)
      let volume = FaultyVolume(failing: step, errno: errno)
      do {
        let manager = try bench.manager(volume: volume)
        let error = await bench.failure(manager, one)
        try await manager.close()
        guard let error, let operation = volume.failed else {
          #expect(bench.bytes(path) == file.bytes)
          break
        }
        failed += 1
        guard case .disk(let system) = error, system.errno == errno else {
          Issue.record("\(error) at \(operation)")
          return
        }
        // Only the last steps, which make names durable, may find the new file in place.
        let isNew = bench.bytes(path) == file.bytes
        #expect(bench.bytes(path) == [9] || isNew && operation.hasPrefix("fsync"), "\(operation)")
      }
      let manager = try bench.manager()
      #expect(try await manager.download(one).state == .completed)
      #expect(bench.bytes(path) == file.bytes)
      try await manager.remove(one.id)
      #expect(bench.files == [])
      try await manager.close()
    }
    #expect(failed >= 6)
  }

  @Test func aFullDiskIsToldAsOne() async throws {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let manager = try bench.manager(volume: FaultyVolume(failing: 2, errno: 28))
    let one = Download(url: try web(server.url()))
    #expect(await bench.failure(manager, one)?.isOutOfSpace == true)
    let receipt = try #require(manager.receipt(of: one.id))
    #expect(receipt.state == .failed && receipt.failure?.text.contains("No space left") == true)
    #expect(try await manager.download(one).state == .completed)
    #expect(server.requests.map(\.rangeStart) == [nil, 262_144])
  }

  @Test func whatIsSuspendedAnyTimeIsNeverWrong() async throws {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let manager = try bench.manager(maximumActive: 2)
    let one = Download(url: try web(server.url("/x")))
    for round in 0..<60 {
      try await manager.resume(one)
      for _ in 0..<round * 7 { await Task.yield() }
      await manager.suspend(one.id)
      let state = manager.receipt(of: one.id)?.state
      #expect(state == .suspended || state == .completed)
    }
    #expect(bench.bytes(try await manager.download(one).file?.path) == file.bytes)
  }

  @Test func manyAtOnceFromManyTasks() async throws {
    let server = try ScriptedServer { request in
      let number = Int(request.target.dropFirst()) ?? 0
      return ServedFile(bytes: noise(20_000, seed: UInt64(number + 1)), tag: "\"\(number)\"").answer(request)
    }
    defer { server.stop() }
    let manager = try bench.manager(maximumActive: 5)
    let urls = try (0..<60).map { try web(server.url("/\($0)")) }
    let observer = Task {
      var completed: Set<DownloadID> = []
      for await event in manager.events() where event.receipt.state == .completed {
        completed.insert(event.receipt.id)
      }
      return completed.count
    }
    await withTaskGroup(of: Void.self) { group in
      for url in urls {
        group.addTask { _ = try? await manager.download(Download(url: url)) }
        group.addTask { await manager.suspend(.url(url)) }
        group.addTask { manager.setPriority(Int.random(in: 0...9), of: .url(url)) }
        group.addTask { _ = try? await manager.resume(.url(url)) }
      }
    }
    for (number, url) in urls.enumerated() {
      let receipt = try await manager.download(Download(url: url))
      #expect(bench.bytes(receipt.file?.path) == noise(20_000, seed: UInt64(number + 1)))
    }
    try await manager.close()
    #expect(await observer.value == 60)
    #expect(server.connections <= 8)
  }
}
