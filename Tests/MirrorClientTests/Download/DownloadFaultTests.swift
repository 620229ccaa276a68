import HTTPClient
import MirrorClient
import Platform
import Synchronization
import TestSupport
import Testing

/// The real file system, until the nth write or fsync.
private final class FailingVolume: Volume {
  private let state: Mutex<(writes: Int, syncs: Int)>
  private let errno: Int32
  private let beforeWrite: @Sendable (Int64) -> Void
  private let system = SystemVolume()

  init(
    failingWrite write: Int = .max, failingSync sync: Int = .max, errno: Int32 = 28,
    beforeWrite: @escaping @Sendable (Int64) -> Void = { _ in }
  ) {
    state = Mutex((write, sync))
    self.errno = errno
    self.beforeWrite = beforeWrite
  }

  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    beforeWrite(offset)
    let isLast = state.withLock { state in
      state.writes -= 1
      return state.writes < 0
    }
    guard !isLast else {
      // As a full disk does it: a part still goes.
      try system.write(Array(bytes.prefix(bytes.count / 2)), to: file, at: offset)
      throw SystemError(errno: errno, operation: "write", path: file.path)
    }
    try system.write(bytes, to: file, at: offset)
  }

  func synchronize(_ file: File) throws(SystemError) {
    let isLast = state.withLock { state in
      state.syncs -= 1
      return state.syncs < 0
    }
    guard !isLast else { throw SystemError(errno: 5, operation: "fsync", path: file.path) }
    try system.synchronize(file)
  }

  func synchronize(_ directory: Directory) throws(SystemError) { try system.synchronize(directory) }

  func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try system.rename(name, in: source, to: newName, in: target)
  }

  func exchange(
    _ name: String, in source: Directory, with other: String, in target: Directory
  ) throws(SystemError) {
    try system.exchange(name, in: source, with: other, in: target)
  }

  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    try system.createSymlink(name, to: target, in: directory)
  }
}

@Suite struct DownloadFaultTests {
  @Test func aFullDiskEndsItAtAnyWriteAndTheNextRunFinishes() async throws {
    let package = try ServedPackage(noise(1_200_000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let source = package.source(server.url())
    var failures = 0
    for write in 0..<20 {
      let bench = try DownloadBench(volume: FailingVolume(failingWrite: write))
      guard let error = await bench.failure(source) else {
        #expect(try bench.partial(source) == package.bytes)
        break
      }
      failures += 1
      #expect(error.isOutOfSpace)
      // What stands there is a beginning of the package and nothing else.
      let left = try bench.partial(source)
      #expect(left == Array(package.bytes[..<left.count]))
      // With room again, the same folder ends whole.
      let next = try Downloader(
        engine: bench.engine, partials: bench.partials, volume: SystemVolume(),
        server: try #require(WebURL(server.url())), token: nil, retries: .standard(retries: 0),
        timer: InstantTimer()
      )
      #expect(try await next.fetch(source) { _ in }.bytesFetched == Int64(package.bytes.count - left.count))
      #expect(try bench.partial(source) == package.bytes)
    }
    #expect(failures >= 5)
  }

  @Test func anFsyncThatFailsIsNoSuccess() async throws {
    let package = try ServedPackage(noise(10_000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench(volume: FailingVolume(failingSync: 0))
    guard case .disk(let error) = await bench.failure(package.source(server.url())) else {
      Issue.record("it succeeded")
      return
    }
    #expect(error.operation == "fsync")
  }

  @Test func aFolderThatIsGoneIsADiskError() async throws {
    let package = try ServedPackage(noise(10))
    let bench = try DownloadBench()
    let source = package.source("http://127.0.0.1:1/")
    let path = bench.folder.path
    let slash = try #require(path.lastIndex(of: "/"))
    try Directory(path: String(path[..<slash])).removeTree(String(path[path.index(after: slash)...]))
    guard case .disk = await bench.failure(source) else {
      Issue.record("not the disk")
      return
    }
  }

  /// What the server could send while the disk is slow is bounded by the ring and the sockets, not by the package.
  @Test func aSlowDiskHoldsTheServerBack() async throws {
    let package = try ServedPackage([[UInt8]](repeating: noise(1 << 20), count: 24).flatMap { $0 })
    let sent = Mutex(0)
    let ahead = Mutex(0)
    let server = try ScriptedServer { _ in
      var steps: [ScriptedServer.Step] = [
        .text("HTTP/1.1 200 OK\r\nContent-Length: \(package.bytes.count)\r\n\r\n")
      ]
      for start in stride(from: 0, to: package.bytes.count, by: 256 << 10) {
        steps.append(.send(Array(package.bytes[start..<start + 256 << 10])))
        steps.append(.call { sent.withLock { $0 = start + 256 << 10 } })
      }
      return steps
    }
    defer { server.stop() }
    let ballast = [UInt8](repeating: 1, count: 4 << 20)
    let volume = FailingVolume { offset in
      // Much slower than the network, without a sleep.
      _ = Hash.digest(of: ballast, .md5)
      let now = sent.withLock { $0 }
      ahead.withLock { $0 = max($0, now - Int(offset)) }
    }
    let bench = try DownloadBench(volume: volume)
    let source = package.source(server.url())
    try await bench.fetch(source)
    #expect(try bench.partial(source) == package.bytes)
    // 1.5 MiB of ring, one chunk, libcurl's buffer, and at most 10 MiB that two sockets of Linux take.
    #expect(ahead.withLock { $0 } <= 13 << 20)
  }
}
