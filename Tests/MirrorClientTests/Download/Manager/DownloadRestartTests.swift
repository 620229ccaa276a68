import DepotModel
import Foundation
import HTTPClient
import Platform
import SQLite
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct DownloadRestartTests {
  private let bench: ManagerBench
  private let file = ServedFile(bytes: noise(400_000))

  init() throws { bench = try ManagerBench() }

  private func record(_ receipts: DownloadReceipt...) throws {
    try FileManager.default.createDirectory(atPath: bench.home, withIntermediateDirectories: true)
    let room = try ReceiptFile(in: try Directory(path: bench.home))
    let writer = try ReceiptWriter(room)
    for receipt in receipts { try writer.putDurably(receipt) }
  }

  private func receipt(
    _ url: String, _ state: DownloadReceipt.State, durable: Int64 = 0, expected: Int64? = nil
  ) throws -> DownloadReceipt {
    var receipt = DownloadReceipt(Download(url: try web(url)), position: 1)
    receipt.state = state
    receipt.durable = durable
    receipt.expected = expected
    receipt.validators = Validators(entityTag: "\"v1\"", lastModified: nil, rangeCondition: "\"v1\"")
    return receipt
  }

  /// What a crash left, the bytes in the partial, and what a start makes of it.
  @Test(arguments: [
    (DownloadReceipt.State.downloading, Int?(1000), DownloadReceipt.State.willResume, Int64(1000)),
    (.downloading, 5000, .willResume, 1000), (.downloading, 999, .willResume, 0),
    (.downloading, nil, .willResume, 0),
    (.willResume, 1000, .willResume, 1000), (.suspended, 1000, .suspended, 1000),
    (.suspended, nil, .suspended, 0),
    (.failed, 1000, .failed, 1000), (.failed, nil, .failed, 0), (.none, nil, .none, 0),
    (.completed, 1000, .none, 0), (.completed, nil, .none, 0),
  ])
  func holdsEachStateAgainstTheDisk(
    recorded: DownloadReceipt.State, bytes: Int?, state: DownloadReceipt.State, written: Int64
  ) async throws {
    var old = try receipt("http://127.0.0.1:1/x", recorded, durable: 1000, expected: 400_000)
    if recorded == .failed { old.failure = DownloadFailure(text: "why", status: 500) }
    try record(old)
    if let bytes { try bench.write(noise(bytes), to: "\(bench.home)/\(old.download.partialName)") }
    let manager = try bench.manager()
    let found = try #require(manager.receipt(of: old.id))
    #expect(found.state == state && found.written == written)
    #expect(found.failure == old.failure)
    // And nothing moves until somebody asks.
    try await manager.close()
    #expect(try bench.rows().map(\.state) == [state])
  }

  @Test(arguments: [(500, Int64(500)), (2000, 2000), (2001, 0), (0, 0)])
  func trustsWhatThereIsOfAPackage(bytes: Int, written: Int64) async throws {
    let package = try ServedPackage(noise(2000))
    var old = DownloadReceipt(Download(package: package.source("http://127.0.0.1:1/")), position: 1)
    old.state = .downloading
    old.durable = 100
    try record(old)
    try bench.write(noise(bytes), to: "\(bench.home)/\(old.download.partialName)")
    let found = try #require(try bench.manager().receipt(of: old.id))
    #expect(found.state == .willResume && found.written == written)
  }

  @Test(arguments: [Int?(3), 4, nil]) func aCompletedFileMustStandWithItsSize(size: Int?) async throws {
    let server = try ScriptedServer { ServedFile(bytes: [1, 2, 3]).answer($0) }
    defer { server.stop() }
    let one = Download(url: try web(server.url()))
    do {
      let manager = try bench.manager()
      _ = try await manager.download(one)
      try await manager.close()
    }
    let path = "\(bench.home)/\(one.fileName)"
    if let size {
      if size != 3 { try bench.write(noise(size), to: path) }
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    let manager = try bench.manager()
    #expect(manager.receipt(of: one.id)?.state == (size == 3 ? .completed : DownloadReceipt.State.none))
    #expect(try await manager.download(one).state == .completed)
    #expect(bench.bytes(path) == [1, 2, 3])
    #expect(server.requests.last?["If-None-Match"] == (size == 3 ? "\"v1\"" : nil))
  }

  @Test func goesOnWhereItWasAndOnlyWhenAsked() async throws {
    let gate = Gate()
    let server = try ScriptedServer { $0.number == 0 ? file.held(first: 262_144, gate) : file.answer($0) }
    defer {
      gate.openForAll()
      server.stop()
    }
    let one = Download(url: try web(server.url("/x.bin")), priority: 3)
    let waiting = Download(url: try web(server.url("/y.bin")))
    do {
      let manager = try bench.manager(maximumActive: 1)
      try await manager.resume(one)
      try await manager.resume(waiting)
      await manager.wait(for: one.id) { $0.written == 262_144 }
      try await manager.close()
    }
    let manager = try bench.manager(maximumActive: 1)
    #expect(manager.receipts.map(\.download) == [one, waiting])
    #expect(manager.receipts.map(\.written) == [262_144, 0])
    #expect(server.requests.count == 1)
    try await manager.resumeAll()
    for download in [one, waiting] {
      let receipt = try await manager.outcome(of: download.id)
      #expect(bench.bytes(receipt.file?.path) == file.bytes)
    }
    #expect(server.requests.map(\.rangeStart) == [nil, 262_144, nil])
  }

  @Test func aCrashAtAnyMomentOfARunIsResumedOrBegunAnew() async throws {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let one = Download(url: try web(server.url("/x")))
    for durable in [0, 1, 131_072, 399_999, 400_000] {
      for extra in [-1, 0, 77] where durable + extra >= 0 && durable + extra <= 400_000 {
        var old = try receipt(one.url, .downloading, durable: Int64(durable), expected: 400_000)
        old.position = 1
        try record(old)
        // Behind what was synchronized, a power cut may have left anything.
        let bytes =
          Array(file.bytes.prefix(min(durable, durable + extra)))
          + [UInt8](repeating: 0, count: max(0, extra))
        try bench.write(bytes, to: "\(bench.home)/\(one.partialName)")
        let manager = try bench.manager()
        let receipt = try await manager.download(one)
        #expect(bench.bytes(receipt.file?.path) == file.bytes, "\(durable) \(extra)")
        try await manager.remove(one.id)
        try await manager.close()
      }
    }
  }

  @Test func aPartialIsForgottenDurablyBeforeItBeginsAnew() async throws {
    let newer = ServedFile(bytes: noise(400_000, seed: 2), tag: "\"v2\"")
    let gate = Gate()
    let server = try ScriptedServer { _ in newer.held(first: 262_144, gate) }
    defer {
      gate.openForAll()
      server.stop()
    }
    let one = Download(url: try web(server.url("/x")))
    try record(try receipt(one.url, .suspended, durable: 1000, expected: 400_000))
    try bench.write(Array(file.bytes[..<1000]), to: "\(bench.home)/\(one.partialName)")
    let manager = try bench.manager()
    try await manager.resume(one)
    await manager.wait(for: one.id) { $0.written == 262_144 }
    // No second has passed: what was written is not synchronized, and no row says so.
    let row = try #require(try bench.rows().first)
    #expect(row.durable == 0 && row.validators.entityTag == "\"v2\"")
  }

  @Test func rowsAreWrittenAtMostOnceASecondForProgress() async throws {
    let clock = bench.clock
    let chunk = 262_144
    let bytes = noise(chunk * 20)
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(bytes.count)\r\n\r\n")]
        + (0..<20).flatMap { number -> [ScriptedServer.Step] in
          [.call { clock.advance(100) }, .send(Array(bytes[number * chunk..<(number + 1) * chunk]))]
        }
    }
    defer { server.stop() }
    let manager = try bench.manager()
    _ = try await manager.download(Download(url: try web(server.url())))
    try await manager.close()
    // Waiting, running, its beginning, two seconds of progress, its end; some may have gone together.
    #expect((3...8).contains(manager.receiptBatches), "\(manager.receiptBatches)")
  }

  @Test func everyFieldOfAReceiptSurvives() throws {
    let url = try web("http://a.test/x?y")
    let digest = try #require(SHA256Digest(bytes: Hash.digest(of: [1], .sha256)))
    let md5 = try #require(MD5Digest(bytes: Hash.digest(of: [1], .md5)))
    for destination: DownloadDestination in [
      .managed, .file("/a/b", ifExists: .keep), .folder("c", ifExists: .replace),
      .folder("", ifExists: .keep),
    ] {
      var full = DownloadReceipt(
        Download(url: url, to: destination, sha256: digest, md5: md5, size: 9, priority: -4), position: 77)
      full.state = .failed
      full.written = 5
      full.durable = 5
      full.expected = 9
      full.speed = 123
      full.failure = DownloadFailure(text: "a 'quoted' \u{0} reason", status: 404)
      full.validators = Validators(entityTag: "\"e\"", lastModified: "m", rangeCondition: "\"e\"")
      full.suggestedName = "背景.zip"
      full.file = StandingFile(
        path: "/a/b", size: 3, sha256: digest,
        validators: Validators(entityTag: "W/\"f\"", lastModified: "n", rangeCondition: nil), isOurs: false)
      try record(full)
      #expect(try bench.rows() == [full])
    }
    #expect(DownloadID("\(DownloadID.package(digest))") == .package(digest))
    #expect(DownloadID("sha256:12") == nil && DownloadID("nonsense") == nil)
  }

  @Test func twoManagersCannotHaveOneFolder() async throws {
    let first = try bench.manager()
    #expect(throws: DownloadError.self) { try bench.manager() }
    do throws(DownloadError) {
      _ = try DownloadManager(folder: bench.home, engine: bench.engine, options: .standard)
      Issue.record("two have it")
    } catch {
      guard case .inUse = error else {
        Issue.record("\(error)")
        return
      }
    }
    try await first.close()
  }

  @Test func receiptsOfANewerProgramAreLeftAlone() throws {
    _ = try bench.manager()
    try bench.withRows { try $0.execute("PRAGMA user_version = 99") }
    do throws(DownloadError) {
      _ = try DownloadManager(folder: bench.home, engine: bench.engine, options: .standard)
      Issue.record("they were read")
    } catch {
      guard case .receipts = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test func aReceiptThatCannotBeWrittenIsTold() async throws {
    let manager = try bench.manager()
    try bench.withRows { try $0.execute("DROP TABLE receipts") }
    guard case .receipts = await bench.failure(manager, Download(url: try web("http://127.0.0.1:1/"))) else {
      Issue.record("nobody was told")
      return
    }
  }
}
