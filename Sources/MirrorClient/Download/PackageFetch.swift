internal import HTTPClient
internal import Platform
internal import Synchronization

/// One package on its way, from the partial an earlier run left to the whole on the disk, through as many requests as
/// it takes.
struct PackageFetch: Sendable {
  let source: PackageSource
  let url: WebURL
  let token: BearerToken?
  let engine: TransferEngine
  let file: File
  let volume: any Volume
  let retries: RetryPolicy
  let timer: any RetryTimer
  let disk: WorkerThreads
  let hashers: WorkerThreads
  /// Bytes over the network for this package.
  let meter: ByteCount
  /// Bytes over the network for all.
  let total: ByteCount
  /// Told of every step.
  let progress: @Sendable (DownloadProgress) -> Void

  /// What one request led to.
  private enum Attempt {
    case whole
    /// The bytes are not the package's.
    case wrong(DownloadError)
    /// The server cannot be asked for the rest.
    case unusableRange(DownloadError)
    case failed(TransferError)
  }

  /// What the attempts so far taught.
  private struct Lessons {
    var retry = 0
    var furthest: Int64 = 0
    /// The partial may hold bytes of several answers.
    var isStitched = false
    var hasRestarted = false
    var usesRanges = true
  }

  /// Bytes that must have come for the next failure to count as the first one.
  private static let worthwhile: Int64 = 64 << 10

  /// Ends when the partial is whole, verified and on the disk.
  func run() async throws(DownloadError) {
    var lessons = Lessons()
    while true {
      let partial = Partial(source, file: file, volume: volume, hashers: hashers)
      if lessons.usesRanges { try await load(partial) } else { try await restart(partial) }
      if partial.position > 0 { lessons.isStitched = true }
      lessons.furthest = max(lessons.furthest, partial.position)
      switch try await attempt(partial, &lessons) {
      case .whole:
        report(.finishing, partial.position)
        return try await onDisk { () throws(SystemError) in try partial.synchronize() }
      case .wrong(let error):
        // Proven wrong: a later run must not build on it.
        try await restart(partial)
        guard lessons.isStitched, !lessons.hasRestarted else { throw error }
        lessons.hasRestarted = true
        lessons.isStitched = false
      case .unusableRange(let error):
        guard lessons.usesRanges else { throw error }
        lessons.usesRanges = false
        lessons.isStitched = false
      case .failed(let error):
        try await pause(after: error, at: partial.position, &lessons)
      }
    }
  }

  private func attempt(_ partial: Partial, _ lessons: inout Lessons) async throws(DownloadError) -> Attempt {
    let start = partial.position
    // Everything is here already, from a run that ended before it could say so.
    if start == source.size { return await verify(partial) }
    let sink = PackageSink(partial) { count in
      meter.add(count)
      total.add(count)
      report(.fetching, partial.position)
    }
    report(.fetching, start)
    var failure: TransferError?
    do throws(TransferError) { _ = try await engine.download(request(from: start), sink: sink) } catch {
      failure = error
    }
    if sink.isWhole { lessons.isStitched = false }
    switch sink.refusal {
    case .final(let error): throw error
    case .unusableRange(let error): return .unusableRange(error)
    case nil: break
    }
    guard let failure else {
      guard partial.position == source.size else {
        return .failed(.bodyIncomplete(expected: source.size, received: partial.position))
      }
      return await verify(partial)
    }
    if failure == .cancelled { throw .cancelled }
    guard case .status(let status) = failure, status.status == 416, start > 0 else { return .failed(failure) }
    // RFC 9110 §15.5.17: `Content-Range: bytes */n` tells how long the thing is.
    if let total = status.head.contentRange?.total, total != source.size {
      throw .sizeMismatch(expected: source.size, actual: total)
    }
    return .unusableRange(.badAnswer("status 416 to bytes from \(start) of \(source.size)"))
  }

  private func request(from start: Int64) -> DownloadRequest {
    let fields =
      start == 0
      ? []
      : [
        RequestField("Range", "bytes=\(start)-"), RequestField("If-Range", PackageSink.entityTag(of: source)),
      ]
    return DownloadRequest(url, fields: fields.compactMap { $0 }, authorization: token)
  }

  private func pause(
    after error: TransferError, at position: Int64, _ lessons: inout Lessons
  ) async throws(DownloadError) {
    // A server that ignores ranges and always cuts at the same place gets no further: that must end.
    if position >= lessons.furthest + Self.worthwhile { lessons.retry = 0 }
    lessons.furthest = max(lessons.furthest, position)
    lessons.retry += 1
    guard let delay = retries.delay(beforeRetry: lessons.retry, after: error, timer: timer) else {
      throw .transfer(error)
    }
    report(.waiting(TransferFailure(text: error.description)), position)
    do throws(TransferError) { try await timer.wait(delay) } catch { throw .cancelled }
  }

  private func load(_ partial: Partial) async throws(DownloadError) {
    let isCancelled = Mutex(false)
    let result: Result<Void, DownloadError> = await withTaskCancellationHandler {
      await disk.run {
        Result { () throws(DownloadError) in
          try partial.load(
            isCancelled: { isCancelled.withLock { $0 } }, progress: { report(.checking, $0) }
          )
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
    try result.get()
  }

  private func restart(_ partial: Partial) async throws(DownloadError) {
    try await onDisk { () throws(SystemError) in try partial.restart() }
  }

  private func verify(_ partial: Partial) async -> Attempt {
    await disk.run { partial.mismatch() }.map { .wrong($0) } ?? .whole
  }

  private func onDisk(_ body: @escaping @Sendable () throws(SystemError) -> Void) async throws(DownloadError)
  {
    do throws(SystemError) { try await disk.run(body) } catch { throw .disk(error) }
  }

  private func report(_ phase: DownloadProgress.Phase, _ done: Int64) {
    progress(DownloadProgress(phase: phase, done: done, total: source.size, fetched: meter.value))
  }
}

/// Bytes counted from any thread.
final class ByteCount: Sendable {
  private let count = Mutex<Int64>(0)

  var value: Int64 { count.withLock { $0 } }

  func add(_ bytes: Int) { count.withLock { $0 += Int64(bytes) } }
}
