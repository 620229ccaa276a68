import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPClient

/// Remembers what came; may stop, and may block on a semaphore before each chunk.
private final class TestSink: TransferSink {
  private struct State {
    var heads: [ResponseHead] = []
    var bytes: [UInt8] = []
    var chunks: [Int] = []
  }

  private let state = Mutex(State())
  private let stopAfter: Int
  private let acceptsHead: Bool
  private let onChunk: @Sendable () -> Void

  init(stopAfter: Int = .max, acceptsHead: Bool = true, onChunk: @escaping @Sendable () -> Void = {}) {
    self.stopAfter = stopAfter
    self.acceptsHead = acceptsHead
    self.onChunk = onChunk
  }

  var heads: [ResponseHead] { state.withLock { $0.heads } }
  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var chunks: [Int] { state.withLock { $0.chunks } }

  func accept(_ head: ResponseHead) -> Bool {
    state.withLock { $0.heads.append(head) }
    return acceptsHead
  }

  func receive(_ chunk: [UInt8]) -> Bool {
    onChunk()
    return state.withLock { state in
      state.bytes += chunk
      state.chunks.append(chunk.count)
      return state.bytes.count < stopAfter
    }
  }
}

@Suite struct DownloadTests {
  private func outcome(
    _ engine: TransferEngine, _ request: DownloadRequest, _ sink: some TransferSink
  ) async -> Result<TransferOutcome, TransferError> {
    do throws(TransferError) {
      return .success(try await engine.download(request, sink: sink))
    } catch {
      return .failure(error)
    }
  }

  private func error(_ result: Result<TransferOutcome, TransferError>) -> TransferError? {
    guard case .failure(let error) = result else { return nil }
    return error
  }

  private static let pattern: [UInt8] = (0..<2_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

  private var body: [UInt8] { Self.pattern }

  private func whole(_ bytes: [UInt8]) -> [ScriptedServer.Step] {
    [.text("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n"), .send(bytes)]
  }

  @Test func deliversTheHeadAndThenTheBodyInLargeChunks() async throws {
    let server = try ScriptedServer { _ in whole(body) }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let sink = TestSink()
    let field = try #require(RequestField("Range", "bytes=0-"))
    let result = await outcome(engine, DownloadRequest(try url(server), fields: [field]), sink)
    #expect(try result.get().bytesReceived == Int64(body.count))
    #expect(sink.bytes == body)
    #expect(sink.heads.map(\.status) == [200])
    // libcurl hands out 16 KiB at most; a chunk that is not full went because the transfer was slow.
    #expect(sink.chunks.allSatisfy { $0 <= ChunkRing.chunkSize })
    #expect(sink.chunks.count < body.count / (64 << 10))
    let request = try #require(server.requests.first)
    #expect(request["Range"] == "bytes=0-")
    #expect(request["Accept-Encoding"] == nil)
  }

  /// The sum of both is bounded, whichever is faster: 600,000 bytes less what the bucket holds take 0.3 s at least.
  @Test func severalTogetherComeNoFasterThanTheLimitAllows() async throws {
    let bytes = Array(body.prefix(300_000))
    let server = try ScriptedServer { _ in whole(bytes) }
    defer { server.stop() }
    var settings = HTTPClientSettings.standard
    settings.rateLimit = RateSchedule("1000000") { Int64($0) }
    // Held back by the limit is not stalled.
    settings.stallTimeout = .milliseconds(200)
    let engine = try TransferEngine(settings)
    let sinks = [TestSink(), TestSink()]
    let request = DownloadRequest(try url(server))
    let start = ContinuousClock.now
    async let first = outcome(engine, request, sinks[0])
    async let second = outcome(engine, request, sinks[1])
    for result in await [first, second] { _ = try result.get() }
    #expect(ContinuousClock.now - start >= .milliseconds(250))
    #expect(sinks.allSatisfy { $0.bytes == bytes })
  }

  @Test func stopsAtOnceWhileTheLimitHoldsItBack() async throws {
    let server = try ScriptedServer { _ in whole(body) }
    defer { server.stop() }
    var settings = HTTPClientSettings.standard
    settings.rateLimit = RateSchedule("1") { Int64($0) }
    let engine = try TransferEngine(settings)
    let sink = TestSink { engine.stop() }
    #expect(error(await outcome(engine, DownloadRequest(try url(server)), sink)) == .cancelled)
  }

  @Test func deliversNothingOfAnotherStatus() async throws {
    let problem = "{\"title\":\"gone\"}"
    let server = try ScriptedServer { _ in
      [
        .text(
          "HTTP/1.1 404 Gone\r\nContent-Type: application/problem+json\r\nContent-Length: \(problem.count)\r\n\r\n\(problem)"
        )
      ]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let sink = TestSink()
    let error = error(await outcome(engine, DownloadRequest(try url(server)), sink))
    guard case .status(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.status == 404)
    #expect(failure.problem == problem)
    #expect(sink.heads.isEmpty && sink.bytes.isEmpty)
  }

  @Test func keepsOnlyTheBeginningOfALargeErrorBody() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 500 No\r\nContent-Length: 2000003\r\n\r\n"), .send(body)]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    guard
      case .status(let failure) = error(await outcome(engine, DownloadRequest(try url(server)), TestSink()))
    else {
      Issue.record("no status")
      return
    }
    #expect(failure.status == 500)
    #expect(failure.body.count <= 65_536)
  }

  @Test func refusesACodedBody() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok")]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let sink = TestSink()
    let error = error(await outcome(engine, DownloadRequest(try url(server)), sink))
    #expect(error == .unexpectedEncoding("gzip"))
    #expect(sink.heads.isEmpty)
  }

  @Test func stopsWhenTheSinkDoes() async throws {
    let server = try ScriptedServer { _ in whole(body) }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let early = TestSink(acceptsHead: false)
    #expect(error(await outcome(engine, DownloadRequest(try url(server)), early)) == .stoppedByReceiver)
    #expect(early.bytes.isEmpty)
    let late = TestSink(stopAfter: 300_000)
    #expect(error(await outcome(engine, DownloadRequest(try url(server)), late)) == .stoppedByReceiver)
    #expect(late.chunks.count == 2)
  }

  @Test func deliversWhatCameBeforeACut() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .close]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let sink = TestSink()
    #expect(error(await outcome(engine, DownloadRequest(try url(server)), sink))?.isRetryable == true)
    #expect(sink.bytes == Array("hello".utf8))
  }

  @Test func deliversWhatCameBeforeACancellation() async throws {
    let sent = AsyncStream<Void>.makeStream()
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n"),
        .send([UInt8](repeating: 5, count: 300_000)), .stall,
      ]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let sink = TestSink { sent.continuation.yield() }
    let request = DownloadRequest(try url(server))
    let task = Task { await outcome(engine, request, sink) }
    for await _ in sent.stream { break }
    task.cancel()
    #expect(error(await task.value) == .cancelled)
    #expect(sink.bytes.count <= 300_000 && sink.bytes.count >= ChunkRing.chunkSize)
    // The engine goes on for others.
    let other = try ScriptedServer { _ in whole([1, 2, 3]) }
    defer { other.stop() }
    #expect(try await engine.fetch(FetchRequest(.get, url(other)), limit: 10).body == [1, 2, 3])
  }

  @Test func isCancelledBeforeItStarts() async throws {
    let server = try ScriptedServer { _ in [.stall] }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let request = DownloadRequest(try url(server))
    let task = Task {
      await withTaskCancellationHandler {
        while !Task.isCancelled { await Task.yield() }
        return await outcome(engine, request, TestSink())
      } onCancel: {
      }
    }
    task.cancel()
    #expect(error(await task.value) == .cancelled)
  }

  @Test func aSlowSinkHoldsTheSenderBack() async throws {
    let room = Semaphore()
    let server = try ScriptedServer { _ in whole(body + body) }
    defer { server.stop() }
    var settings = HTTPClientSettings.standard
    // Far less than the sink takes: being held back is no stall.
    settings.stallTimeout = .milliseconds(600)
    let engine = try TransferEngine(settings)
    let isFirst = Mutex(true)
    let sink = TestSink {
      if isFirst.withLock({ isFirst in
        defer { isFirst = false }
        return isFirst
      }) {
        room.wait()
      }
    }
    let request = DownloadRequest(try url(server))
    let task = Task { await outcome(engine, request, sink) }
    // Several times the stall timeout, measured by an engine's own deadline and not by a sleep.
    let silent = try ScriptedServer { _ in [.stall] }
    defer { silent.stop() }
    var patient = settings
    patient.stallTimeout = .seconds(60)
    let clock = try TransferEngine(patient)
    _ = try? await clock.fetch(FetchRequest(.get, url(silent), deadline: .milliseconds(1500)), limit: 1)
    room.signal()
    #expect(try await task.value.get().bytesReceived == Int64(body.count * 2))
    #expect(sink.bytes == body + body)
  }

  @Test func aRingGivesOnlySoManyChunks() throws {
    let room = Semaphore()
    let told = Semaphore()
    let workers = try WorkerThreads(count: 1, name: "test")
    let ring = ChunkRing(
      sink: TestSink { room.wait() }, workers: workers, onRoom: { told.signal() }, onStop: {}
    )
    var chunks = (0..<ChunkRing.slots).compactMap { _ in ring.buffer() }
    #expect(chunks.count == ChunkRing.slots)
    #expect(ring.buffer() == nil)
    chunks[0].append(1)
    ring.push(chunk: chunks[0])
    #expect(ring.buffer() == nil)
    room.signal()
    told.wait()
    #expect(ring.buffer() != nil)
    #expect(ring.buffer() == nil)
    workers.shutdown()
  }

  @Test func stoppingTheEngineEndsEverything() async throws {
    let started = AsyncStream<Void>.makeStream()
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .call { started.continuation.yield() },
        .stall,
      ]
    }
    defer { server.stop() }
    var settings = HTTPClientSettings.standard
    settings.maximumConnections = 2
    let engine = try TransferEngine(settings)
    let request = DownloadRequest(try url(server))
    // Two that run and three that wait.
    let tasks = (0..<5).map { _ in Task { await outcome(engine, request, TestSink()) } }
    var count = 0
    for await _ in started.stream {
      count += 1
      if count == 2 { break }
    }
    engine.stop()
    for task in tasks { #expect(error(await task.value) == .cancelled) }
    #expect(await failure(engine, try url(server)) == .cancelled)
    engine.shutdown()
    engine.shutdown()
    #expect(await failure(engine, try url(server)) == .cancelled)
  }
}
