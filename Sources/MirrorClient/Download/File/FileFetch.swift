internal import DepotModel
internal import HTTPClient
internal import Platform
internal import Synchronization

/// A file at a URL on its way, from what an earlier run left to the whole in its partial, through as many requests as it
/// takes.
struct FileFetch: Sendable {
  let download: Download
  let url: WebURL
  let token: BearerToken?
  let engine: TransferEngine
  let partial: FilePartial
  let placement: FilePlacement
  /// The validators of the file that stands, when it is to be fetched only if the server has another one by now.
  let standing: Validators?
  let retries: RetryPolicy
  let timer: any RetryTimer
  let disk: WorkerThreads
  let reporter: DownloadReporter
  let now: @Sendable () -> Int64

  /// How it ended well.
  enum Outcome: Sendable {
    /// The partial is whole, verified and on the disk.
    case whole(FileSink.Facts, SHA256Digest)
    /// RFC 9110 §15.4.5: what stands is what the server has.
    case notModified
  }

  /// What one request led to.
  private enum Attempt {
    case done(Outcome)
    /// The bytes are not those that are wanted.
    case wrong(DownloadError)
    /// The server cannot be asked for the rest.
    case unusableRange(DownloadError)
    case failed(TransferError)
  }

  /// What the attempts so far taught.
  private struct Lessons {
    var facts: FileSink.Facts
    var retry = 0
    var furthest: Int64 = 0
    /// The partial may hold bytes of several answers.
    var isStitched: Bool
    var hasRestarted = false
    var usesRanges = true
  }

  /// Bytes that must have come for the next failure to count as the first one.
  private static let worthwhile: Int64 = 64 << 10

  /// `trusted`: bytes of the partial that an earlier run synchronized, of the state that `facts` speak of. What came is
  /// synchronized however this ends.
  func run(trusted: Int64, facts: FileSink.Facts) async throws(DownloadError) -> Outcome {
    let result: Result<Outcome, DownloadError>
    do throws(DownloadError) {
      result = .success(try await attempts(trusted: trusted, facts: facts))
    } catch {
      result = .failure(error)
    }
    if case .failure = result {
      // The reason is what matters; bytes that could not be made durable are fetched again.
      try? await disk.run { () throws(SystemError) in try partial.synchronize() }
    }
    // Whatever follows, what is here need not be fetched again.
    reporter.moved(partial.position, nil, partial.durable)
    return try result.get()
  }

  private func attempts(trusted: Int64, facts: FileSink.Facts) async throws(DownloadError) -> Outcome {
    // Without a strong validator nobody can tell whether the rest belongs to what is here.
    try await load(facts.validators.rangeCondition == nil ? 0 : trusted)
    var lessons = Lessons(facts: facts, isStitched: partial.position > 0)
    while true {
      if partial.position > 0, lessons.facts.validators.rangeCondition == nil || !lessons.usesRanges {
        try await restart(&lessons)
      }
      lessons.furthest = max(lessons.furthest, partial.position)
      switch try await attempt(&lessons) {
      case .done(let outcome): return outcome
      case .wrong(let error):
        // Proven wrong: a later run must not build on it.
        let isStitched = lessons.isStitched
        try await restart(&lessons)
        guard isStitched, !lessons.hasRestarted else { throw error }
        lessons.hasRestarted = true
      case .unusableRange(let error):
        guard lessons.usesRanges else { throw error }
        lessons.usesRanges = false
      case .failed(let error):
        lessons.isStitched = true
        try await pause(after: error, &lessons)
      }
    }
  }

  private func attempt(_ lessons: inout Lessons) async throws(DownloadError) -> Attempt {
    let start = partial.position
    // Everything is here already, and the digest will prove it.
    if start > 0, download.sha256 != nil, start == lessons.facts.expected {
      return try await verify(lessons.facts)
    }
    let sink = FileSink(
      partial, of: download, facts: lessons.facts, placement: placement, reporter: reporter, now: now)
    reporter.moved(start, lessons.facts.expected, partial.durable)
    var failure: TransferError?
    do throws(TransferError) {
      _ = try await engine.download(request(from: start, lessons), sink: sink)
    } catch {
      failure = error
    }
    lessons.facts = sink.facts
    if sink.isWhole { lessons.isStitched = false }
    switch sink.refusal {
    case .final(let error): throw error
    case .unusableRange(let error): return .unusableRange(error)
    case nil: break
    }
    guard let failure else {
      if let expected = lessons.facts.expected, partial.position != expected {
        return .failed(.bodyIncomplete(expected: expected, received: partial.position))
      }
      return try await verify(lessons.facts)
    }
    if failure == .cancelled { throw .cancelled }
    guard case .status(let status) = failure else { return .failed(failure) }
    if status.status == 304, start == 0, standing != nil { return .done(.notModified) }
    guard status.status == 416, start > 0 else { return .failed(failure) }
    // RFC 9110 §15.5.17: `Content-Range: bytes */n` tells how long the thing is; as long as ours, nothing is missing.
    if status.head.contentRange?.total == start, lessons.facts.expected ?? start == start {
      return try await verify(lessons.facts)
    }
    return .unusableRange(.badAnswer("status 416 to bytes from \(start)"))
  }

  private func request(from start: Int64, _ lessons: Lessons) -> DownloadRequest {
    var fields: [RequestField] = []
    if start > 0, let condition = lessons.facts.validators.rangeCondition {
      fields = [RequestField("Range", "bytes=\(start)-"), RequestField("If-Range", condition)].compactMap {
        $0
      }
    } else if let standing {
      fields = standing.condition
    }
    return DownloadRequest(url, fields: fields, authorization: token)
  }

  private func verify(_ facts: FileSink.Facts) async throws(DownloadError) -> Attempt {
    let result: Result<SHA256Digest, DownloadError> = await disk.run {
      Result { () throws(DownloadError) in
        let sha256 = try partial.verify(download)
        do throws(SystemError) { try partial.synchronize() } catch { throw .disk(error) }
        return sha256
      }
    }
    let sha256: SHA256Digest
    do throws(DownloadError) { sha256 = try result.get() } catch {
      if case .disk = error { throw error }
      return .wrong(error)
    }
    var facts = facts
    facts.expected = partial.position
    return .done(.whole(facts, sha256))
  }

  private func pause(after error: TransferError, _ lessons: inout Lessons) async throws(DownloadError) {
    let position = partial.position
    // A server that ignores ranges and always cuts at the same place gets no further: that must end.
    if position >= lessons.furthest + Self.worthwhile { lessons.retry = 0 }
    lessons.furthest = max(lessons.furthest, position)
    lessons.retry += 1
    guard let delay = retries.delay(beforeRetry: lessons.retry, after: error, timer: timer) else {
      throw .transfer(error)
    }
    do throws(TransferError) { try await timer.wait(delay) } catch { throw .cancelled }
  }

  private func load(_ trusted: Int64) async throws(DownloadError) {
    let isCancelled = Mutex(false)
    let result: Result<Void, DownloadError> = await withTaskCancellationHandler {
      await disk.run {
        Result { () throws(DownloadError) in
          try partial.load(trusted: trusted, isCancelled: { isCancelled.withLock { $0 } })
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
    try result.get()
  }

  private func restart(_ lessons: inout Lessons) async throws(DownloadError) {
    lessons.isStitched = false
    lessons.facts = FileSink.Facts(validators: .none, expected: download.size, suggestedName: nil)
    let facts = lessons.facts
    let result: Result<Void, DownloadError> = await disk.run {
      Result { () throws(DownloadError) in
        try reporter.begins(facts)
        do throws(SystemError) { try partial.restart() } catch { throw .disk(error) }
      }
    }
    try result.get()
  }
}
