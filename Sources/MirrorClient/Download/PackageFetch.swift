internal import HTTPClient
internal import Platform
internal import Synchronization

/// One package on its way, from the partial an earlier run left to the whole on the disk, through as many requests as
/// it takes.
struct PackageFetch: Sendable {
  let source: PackageSource
  let url: WebURL
  let aid: PackageAid
  let token: BearerToken?
  let engine: TransferEngine
  let file: File
  let volume: any Volume
  let retries: RetryPolicy
  let timer: any RetryTimer
  let disk: WorkerThreads
  let hashers: WorkerThreads
  let shelf: IndexShelf
  /// Bytes over the network for this package.
  let meter: ByteCount
  /// Bytes over the network for all.
  let total: ByteCount
  /// Told of every step.
  let progress: @Sendable (DownloadProgress) -> Void

  /// What one request, or one after the other, led to.
  enum Attempt {
    case whole
    /// The bytes are not the package's.
    case wrong(DownloadError)
    /// The server cannot be asked for this part.
    case unusableRange(DownloadError)
    /// What stands here cannot be copied.
    case uncopyable(String)
    case failed(TransferError)
  }

  /// How many failures in a row are borne.
  struct Patience {
    var retry = 0
    var furthest: Int64 = 0
  }

  /// What the attempts so far taught.
  struct Lessons {
    var patience = Patience()
    /// The partial may hold bytes of several answers, or of another package.
    var isStitched = false
    var hasRestarted = false
    var usesRanges = true
    var hasMended = false
    var hasPlanned = false
    /// How the package is put together; nil: what is missing comes in one piece.
    var rebuild: Rebuild?
    /// What is worth telling though it is no failure.
    var notes: [String] = []

    mutating func giveUpRebuild(_ why: String) {
      rebuild = nil
      notes.append("not put together from what stands here: \(why)")
    }
  }

  /// Bytes that must have come for the next failure to count as the first one.
  private static let worthwhile: Int64 = 64 << 10
  /// Bytes that a part must bring at least when it is shorter than asked for.
  private static let worthARequest: Int64 = 4 << 10

  /// Ends when the partial is whole, verified and on the disk. Returns what is worth telling though it is no failure.
  func run() async throws(DownloadError) -> [String] {
    var lessons = Lessons()
    while true {
      let partial = Partial(source, file: file, volume: volume, hashers: hashers)
      if lessons.usesRanges { try await load(partial) } else { try await restart(partial) }
      if partial.position > 0 { lessons.isStitched = true }
      lessons.patience.furthest = max(lessons.patience.furthest, partial.position)
      await plan(from: partial.position, &lessons)
      switch try await attempt(partial, &lessons) {
      case .whole:
        report(.finishing, partial.position)
        try await onDisk { () throws(SystemError) in try partial.synchronize() }
        return lessons.notes
      case .wrong(let error): try await recover(from: error, partial, &lessons)
      case .unusableRange(let error) where lessons.rebuild != nil: lessons.giveUpRebuild("\(error)")
      case .unusableRange(let error):
        guard lessons.usesRanges else { throw error }
        lessons.usesRanges = false
        lessons.isStitched = false
      case .uncopyable(let reason): lessons.giveUpRebuild(reason)
      case .failed(let error): try await bear(error, at: partial.position, &lessons)
      }
    }
  }

  /// Chooses the cheaper way, once.
  private func plan(from position: Int64, _ lessons: inout Lessons) async {
    guard !lessons.hasPlanned else { return }
    lessons.hasPlanned = true
    let sums = SumsFetch(engine: engine, token: token, retries: retries, timer: timer) { count($0) }
    switch await Rebuilder(shelf: shelf, disk: disk).way(of: source, aid: aid, from: position, sums: sums) {
    case .whole: break
    case .wholeAfterAll(let why): lessons.giveUpRebuild(why)
    case .rebuild(let rebuild, cost: _): lessons.rebuild = rebuild
    }
    count(shelf.takeCost(of: source.sha256))
  }

  /// Mends the blocks that are wrong, where they can be told; else drops everything, to start over once.
  private func recover(
    from error: DownloadError, _ partial: Partial, _ lessons: inout Lessons
  ) async throws(DownloadError) {
    if !lessons.hasMended {
      lessons.hasMended = true
      // Where nearly all is wrong it is another package, or no dearer to fetch whole; where nothing is, the digests of the
      // blocks are not those of this package.
      if let bytes = try await mend(atMost: source.size / 10 * 9), bytes > 0 {
        lessons.notes.append("\(bytes) of \(source.size) bytes were damaged and came again")
        return
      }
    }
    // Proven wrong: a later run must not build on it.
    try await restart(partial)
    guard lessons.isStitched, !lessons.hasRestarted else { throw error }
    if lessons.rebuild != nil { lessons.giveUpRebuild("\(error)") }
    lessons.hasRestarted = true
    lessons.isStitched = false
  }

  private func bear(
    _ error: TransferError, at position: Int64, _ lessons: inout Lessons
  ) async throws(DownloadError) {
    if lessons.rebuild != nil {
      // A server that refuses parts, or fails at one of them for good, may still have the whole.
      let isProgress = position >= lessons.patience.furthest + Self.worthwhile
      let isLastTry = (isProgress ? 0 : lessons.patience.retry) + 1 >= retries.retries
      if !error.isRetryable || isLastTry { lessons.giveUpRebuild("\(error)") }
      if case .status = error, !error.isRetryable { return }
    }
    try await pause(after: error, at: position, &lessons.patience)
  }

  private func attempt(_ partial: Partial, _ lessons: inout Lessons) async throws(DownloadError) -> Attempt {
    // Everything is here already, from a run that ended before it could say so.
    if partial.position == source.size { return await verify(partial) }
    if let rebuild = lessons.rebuild { return try await assemble(partial, by: rebuild, &lessons) }
    if let failure = try await ask(partial, until: nil, &lessons) { return failure }
    return await verify(partial)
  }

  /// Appends what one request brings: everything that is missing, or what is before `end`. Nil when it is there.
  func ask(
    _ partial: Partial, until end: Int64?, _ lessons: inout Lessons
  ) async throws(DownloadError) -> Attempt? {
    let question = PackageQuestion(source: source, start: partial.position, end: end)
    let sink = PackageSink(partial, question) { bytes in
      count(bytes)
      report(.fetching, partial.position)
    }
    report(.fetching, question.start)
    let failure = await download(question, to: sink)
    if sink.isWhole {
      lessons.isStitched = false
      // It has no ears for ranges; what it sends is the package, and welcome.
      if lessons.rebuild != nil { lessons.giveUpRebuild("the server answers a range with the whole") }
    }
    switch sink.refusal {
    case .final(let error): throw error
    case .unusableRange(let error): return .unusableRange(error)
    case nil: break
    }
    guard let failure else {
      let expected = sink.isWhole ? source.size : end ?? source.size
      // RFC 9110 §15.3.7: of a range a server may send less. What is worth a request is progress.
      let came = partial.position - question.start
      guard partial.position == expected || (end != nil && !sink.isWhole && came >= Self.worthARequest) else {
        return .failed(.bodyIncomplete(expected: expected, received: partial.position))
      }
      return nil
    }
    if failure == .cancelled { throw .cancelled }
    return try refused(failure, question) ?? .failed(failure)
  }

  /// Nil when the body was delivered to its end.
  func download(_ question: PackageQuestion, to sink: some TransferSink) async -> TransferError? {
    let request = DownloadRequest(url, fields: question.fields, authorization: token)
    do throws(TransferError) { _ = try await engine.download(request, sink: sink) } catch { return error }
    return nil
  }

  /// What a refusal says of the range that was asked for; nil when it says nothing of it.
  func refused(_ failure: TransferError, _ question: PackageQuestion) throws(DownloadError) -> Attempt? {
    guard case .status(let status) = failure, question.isRange else { return nil }
    switch status.status {
    case 412:
      return .unusableRange(.badAnswer("status 412: what stands at \(url) is another package"))
    case 416:
      // RFC 9110 §15.5.17: `Content-Range: bytes */n` tells how long the thing is.
      if let total = status.head.contentRange?.total, total != source.size {
        throw .sizeMismatch(expected: source.size, actual: total)
      }
      return .unusableRange(.badAnswer("status 416 to bytes from \(question.start) of \(source.size)"))
    default: return nil
    }
  }

  func pause(
    after error: TransferError, at position: Int64, _ patience: inout Patience
  ) async throws(DownloadError) {
    // A server that ignores ranges and always cuts at the same place gets no further: that must end.
    if position >= patience.furthest + Self.worthwhile { patience.retry = 0 }
    patience.furthest = max(patience.furthest, position)
    patience.retry += 1
    guard let delay = retries.delay(beforeRetry: patience.retry, after: error, timer: timer) else {
      throw .transfer(error)
    }
    report(.waiting(TransferFailure(text: error.description)), position)
    do throws(TransferError) { try await timer.wait(delay) } catch { throw .cancelled }
  }

  private func load(_ partial: Partial) async throws(DownloadError) {
    try await cancellable { (isCancelled) throws(DownloadError) in
      try partial.load(isCancelled: isCancelled) { report(.checking, $0) }
    }
  }

  private func restart(_ partial: Partial) async throws(DownloadError) {
    try await onDisk { () throws(SystemError) in try partial.restart() }
  }

  func verify(_ partial: Partial) async -> Attempt {
    await disk.run { partial.mismatch() }.map { .wrong($0) } ?? .whole
  }

  /// Runs long work on a thread for the disk; it is to ask now and then whether it may go on.
  func cancellable<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let isCancelled = Mutex(false)
    let result: Swift.Result<Result, Failure> = await withTaskCancellationHandler {
      await disk.run {
        Swift.Result { () throws(Failure) in try body { isCancelled.withLock { $0 } } }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
    return try result.get()
  }

  private func onDisk(_ body: @escaping @Sendable () throws(SystemError) -> Void) async throws(DownloadError)
  {
    do throws(SystemError) { try await disk.run(body) } catch { throw .disk(error) }
  }

  func count(_ bytes: Int) {
    guard bytes > 0 else { return }
    meter.add(bytes)
    total.add(bytes)
  }

  func report(_ phase: DownloadProgress.Phase, _ done: Int64) {
    progress(DownloadProgress(phase: phase, done: done, total: source.size, fetched: meter.value))
  }
}

/// Bytes counted from any thread.
final class ByteCount: Sendable {
  private let count = Mutex<Int64>(0)

  var value: Int64 { count.withLock { $0 } }

  func add(_ bytes: Int) { count.withLock { $0 += Int64(bytes) } }
}
