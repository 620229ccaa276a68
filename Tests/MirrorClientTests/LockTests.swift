import DepotModel
import Platform
import Testing

@testable import MirrorClient

@Suite struct LockTests {
  @Test func aSecondRunIsTurnedAway() async throws {
    let bench = try Bench()
    try await bench.sync()
    let root = try Directory(path: bench.destination)
    let lock = try await MirrorLock.acquire(in: root, wait: .zero)
    await #expect(throws: MirrorError.locked(path: "\(bench.destination)/mirror.lock")) {
      try await bench.sync()
    }
    withExtendedLifetime(lock) {}
  }

  @Test func itWaitsAsLongAsItMay() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "a")
    bench.fetcher.holdBack()
    let first = Task { try await bench.sync() }
    while bench.fetcher.waiting == 0 { await Task.yield() }
    let second = Task { try await bench.sync(Bench.options(lockWait: .seconds(60))) }
    bench.fetcher.letGo()
    #expect(try await first.value.exitCode == 0)
    #expect(try await second.value.exitCode == 0)
    #expect(bench.fetcher.fetched == ["a 1"])
  }

  @Test func waitingEndsWithTheTask() async throws {
    let bench = try Bench()
    try await bench.sync()
    let lock = try await MirrorLock.acquire(in: try Directory(path: bench.destination), wait: .zero)
    let waiting = Task { try await bench.sync(Bench.options(lockWait: .seconds(3600))) }
    waiting.cancel()
    await #expect(throws: MirrorError.cancelled) { try await waiting.value }
    withExtendedLifetime(lock) {}
  }

  @Test func cancellingKeepsWhatCame() async throws {
    let bench = try Bench()
    let releases = [try bench.depot.publish("a", "1", "a"), try bench.depot.publish("b", "1", "b")]
    bench.fetcher.holdBack()
    let task = Task { try await bench.sync(Bench.options(concurrency: 1)) }
    while bench.fetcher.waiting == 0 { await Task.yield() }
    task.cancel()
    bench.fetcher.letGo()
    await #expect(throws: MirrorError.cancelled) { try await task.value }
    // Either may have come first to the one place there is.
    let begun = releases.filter { bench.fetcher.fetched == ["\($0.id) 1"] }
    #expect(begun.count == 1)
    #expect(bench.folder.names("mirror/partial") == begun.map { "\($0.sha256.hex).part" })
    let status = try bench.mirror().status()
    #expect(status.partials.map(\.size) == begun.map { $0.size / 2 })
    #expect(status.lastSync?.exitCode == 130)
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("a") == "a" && bench.page("b") == "b")
  }

  @Test func aFolderThatCannotBeMadeIsTold() async throws {
    let bench = try Bench()
    try bench.folder.write("a file", to: "mirror")
    do {
      try await bench.sync()
      Issue.record("a file was taken for a folder")
    } catch {
      #expect(error.exitCode == 73)
    }
  }
}
