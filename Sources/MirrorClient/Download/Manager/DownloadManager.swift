public import HTTPClient
internal import Platform
internal import Synchronization

/// Downloads that outlive the program: a queue of files and packages, and a receipt of each, one row in SQLite.
///
///     let engine = try TransferEngine(.downloads(maximumActive: 4))
///     let manager = try DownloadManager(folder: "/srv/downloads", engine: engine, options: .standard)
///     let receipt = try await manager.download(
///       Download(url: url, to: .folder("/srv/books", ifExists: .replace)))
///     print(receipt.file?.path ?? "")
///
/// What a manager of an earlier run left is in `receipts`; nothing of it moves until it is asked for (`resumeAll`). A
/// download that is asked for twice is one download. What came is kept when a transfer is suspended, fails or is cut off
/// by a crash, and fetched on from there where the server can tell that the file is still the same; what cannot be proven
/// to belong together is never put together. Safe to use from any thread or task.
public final class DownloadManager: Sendable {
  private let book: Mutex<DownloadBook>
  private let writer: ReceiptWriter
  /// Nil in a manager that is told with each download how to do it.
  private let transfers: DownloadTransfers?

  /// A manager of its own folder, which is made when missing: partial downloads, files without another destination, and
  /// the receipts (`receipts.sqlite`). The engine is the caller's and outlives the manager.
  ///
  /// Blocks on the disk. Throws `inUse` when another manager has the folder, `receipts` when the receipts cannot be read,
  /// `disk` for the rest.
  public convenience init(
    folder: String, engine: TransferEngine, options: DownloadOptions
  ) throws(DownloadError) {
    try self.init(
      folder: folder, engine: engine, options: options, volume: SystemVolume(), timer: SystemRetryTimer(),
      now: { SystemClock.monotonicMilliseconds })
  }

  /// With a disk, a pause between retries and a clock (milliseconds) of the caller's.
  convenience init(
    folder path: String, engine: TransferEngine, options: DownloadOptions, volume: any Volume,
    timer: any RetryTimer, now: @escaping @Sendable () -> Int64
  ) throws(DownloadError) {
    let folder: Directory
    do throws(SystemError) { folder = try Directory(creating: path) } catch { throw .disk(error) }
    try self.init(
      room: ReceiptFile(in: folder), folder: folder, maximumActive: options.maximumActive,
      order: options.order,
      transfers: DownloadTransfers(
        engine: engine, folder: folder, volume: volume, options: options, timer: timer, now: now), now: now)
  }

  /// `folder`: where the partials are that the receipts speak of. `linger`: how long a row may wait for others.
  init(
    room: any ReceiptRoom, folder: Directory, maximumActive: Int, order: DownloadOrder,
    transfers: DownloadTransfers?, linger: Duration = .zero, now: @escaping @Sendable () -> Int64
  ) throws(DownloadError) {
    self.transfers = transfers
    writer = try ReceiptWriter(room, linger: linger)
    var receipts: [DownloadReceipt] = []
    for recorded in try writer.all() {
      let found = try recorded.heldAgainst(folder)
      if found != recorded { writer.put(found) }
      receipts.append(found)
    }
    book = Mutex(
      DownloadBook(
        maximumActive: maximumActive, order: order, writer: writer, now: now, receipts: receipts))
  }

  deinit { writer.shutdown() }

  // MARK: Looking

  /// What is known of a download; nil when nothing is.
  public func receipt(of id: DownloadID) -> DownloadReceipt? {
    book.withLock { book in book.entries[id].flatMap { $0.isRemoving ? nil : $0.receipt } }
  }

  /// Every download, in the order they were asked for.
  public var receipts: [DownloadReceipt] { book.withLock { $0.receipts } }

  /// What happens to one download, from now on.
  public func events(of id: DownloadID) -> DownloadEvents { observe(id) }

  /// What happens to all of them, from now on.
  public func events() -> DownloadEvents { observe(nil) }

  // MARK: Asking

  /// Puts a download into the queue, or joins the one that is there already, and returns when its receipt stands on the
  /// disk. A completed one is looked at again: when its bytes are proven to be the ones asked for, it is left as it is and
  /// nothing is sent; else the server is asked whether it has something newer.
  ///
  /// Throws `badURL`, `badDestination`; `conflict` when the same download is under way for another destination or with
  /// other digests; `receipts` when it cannot be recorded; `cancelled` after `close`.
  @discardableResult
  public func resume(_ download: Download) async throws(DownloadError) -> DownloadReceipt {
    guard let transfers else { throw .badURL(download.url) }
    try transfers.check(download)
    if let receipt = receipt(of: download.id), receipt.state == .completed,
      receipt.download.isSame(as: download), try await transfers.isProven(receipt)
    {
      return receipt
    }
    let receipt = try await request(download) { (receipt, reporter) async throws(DownloadError) in
      try await transfers.run(receipt, reporter)
    }
    try await recorded(download.id)
    return receipt
  }

  /// As `resume` of a `Download`, with what the receipt of that name says. Throws `unknown` when there is none.
  @discardableResult
  public func resume(_ id: DownloadID) async throws(DownloadError) -> DownloadReceipt {
    guard let receipt = receipt(of: id) else { throw .unknown(id) }
    return try await resume(receipt.download)
  }

  /// Asks for every download that is suspended or was waiting or under way when an earlier run ended, in the order they
  /// were first asked for. Failed ones are for the caller to decide.
  public func resumeAll() async throws(DownloadError) {
    for receipt in receipts {
      switch receipt.state {
      case .suspended, .willResume: try await resume(receipt.download)
      case .none, .downloading, .completed, .failed: break
      }
    }
  }

  /// As `resume`, and returns when the file stands whole. Cancelling the task ends the waiting, not the download.
  /// Throws what the download failed with; `cancelled` when it was suspended or removed.
  public func download(_ download: Download) async throws(DownloadError) -> DownloadReceipt {
    try await resume(download)
    return try await outcome(of: download.id)
  }

  /// Returns when a download that is under way is completed; throws as `download(_:)` does, and `cancelled` at once for
  /// one that is not.
  public func outcome(of id: DownloadID) async throws(DownloadError) -> DownloadReceipt {
    try await outcome(of: id) {}
  }

  /// Moves a download that waits ahead or behind; higher comes first. One that runs goes on.
  public func setPriority(_ priority: Int, of id: DownloadID) {
    book.withLock { $0.setPriority(priority, of: id) }
  }

  // MARK: Stopping

  /// Stops a download, or takes it out of the queue, and returns when nothing moves any more; what came is kept. Nothing
  /// happens to one that is over.
  public func suspend(_ id: DownloadID) async {
    stop(id)
    await rest(of: id)
  }

  /// Stops all of them. None is failed by that.
  public func suspendAll() async {
    await stopAll { $0.isPending }
  }

  /// Cancels a download, removes what came of it and the whole file it put somewhere, and forgets it. Returns when all of
  /// that is done; nothing happens when it is unknown. A whole file that was changed since stays, and so does one that
  /// stood there before the download. Throws `disk`, with the receipt kept, or `receipts`.
  public func remove(_ id: DownloadID) async throws(DownloadError) {
    let (isKnown, task) = book.withLock { $0.beginRemoval(id) }
    guard isKnown else { return await rest(of: id, includingRemoval: true) }
    task?.cancel()
    await rest(of: id)
    let file = book.withLock { $0.entries[id]?.receipt }
    var failure: DownloadError?
    if let file, let transfers {
      do throws(DownloadError) { try await transfers.removeFiles(of: file) } catch { failure = error }
    }
    book.withLock { [failure] in $0.endRemoval(id, failure: failure) }
    if let failure { throw failure }
    try await writer.flush()
  }

  /// Forgets a completed download, or one of which nothing is here; its file stays. Nothing happens to others.
  public func forget(_ id: DownloadID) {
    book.withLock { book in
      guard let entry = book.entries[id], !entry.isRunning, !entry.isRemoving else { return }
      guard entry.receipt.state == .completed || entry.receipt.state == .none else { return }
      _ = book.beginRemoval(id)
      book.endRemoval(id, failure: nil)
    }
  }

  /// For the end of the program, or before another manager has the folder: suspends everything, takes nothing more, ends
  /// the sequences of events, and returns when every receipt stands on the disk. Throws `receipts` when one could not be written.
  public func close() async throws(DownloadError) {
    book.withLock { $0.close() }
    // What nobody asked for in this run stays as it was.
    await stopAll { $0.isWanted }
    book.withLock { $0.hub.finish() }
    try await writer.close()
  }
}

// MARK: - Inside

extension DownloadManager {
  /// Puts a download into the queue that `work` does when its turn comes, and returns when that is over. Cancelling the
  /// task suspends it.
  func run(_ download: Download, _ work: @escaping DownloadWork) async throws(DownloadError)
    -> DownloadReceipt
  {
    try await request(download, work)
    return try await outcome(of: download.id) { self.stop(download.id) }
  }

  /// Transactions of receipts so far, for figures and tests.
  var receiptBatches: Int { writer.batches }

  @discardableResult
  private func request(
    _ download: Download, _ work: @escaping DownloadWork
  ) async throws(DownloadError) -> DownloadReceipt {
    while true {
      let result = book.withLock { book in
        Result { () throws(DownloadError) -> DownloadReceipt? in
          let receipt = try book.request(download, work: work)
          self.begin(&book)
          return receipt
        }
      }
      if let receipt = try result.get() { return receipt }
      await rest(of: download.id, includingRemoval: true)
    }
  }

  private func begin(_ book: inout DownloadBook) {
    for start in book.starts() {
      book.attach(Task { await self.perform(start) }, to: start.id)
    }
  }

  private func perform(_ start: DownloadBook.Start) async {
    let (id, run) = (start.id, start.run)
    let reporter = DownloadReporter(
      begins: { (facts) throws(DownloadError) in
        let receipt = self.book.withLock { $0.begin(id, run: run, with: facts) }
        if let receipt { try self.writer.putDurably(receipt) }
      },
      moved: { written, expected, durable in
        self.book.withLock {
          $0.move(id, run: run, written: written, expected: expected, durable: durable)
        }
      })
    let result: Result<DownloadArrival, DownloadError>
    do throws(DownloadError) { result = .success(try await start.work(start.receipt, reporter)) } catch {
      result = .failure(error)
    }
    book.withLock { book in
      book.finish(id, result)
      self.begin(&book)
    }
  }

  /// Waits for the row; one that cannot be recorded does not go on.
  private func recorded(_ id: DownloadID) async throws(DownloadError) {
    do throws(DownloadError) { try await writer.flush() } catch {
      stop(id)
      throw error
    }
  }

  private func outcome(
    of id: DownloadID, onCancel: @escaping @Sendable () -> Void
  ) async throws(DownloadError) -> DownloadReceipt {
    let number = book.withLock { $0.nextNumber() }
    let outcome: DownloadBook.Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let known = book.withLock { book in
          Task.isCancelled ? .failure(.cancelled) : book.wait(for: id, number: number, continuation)
        }
        if let known { continuation.resume(returning: known) }
      }
    } onCancel: {
      onCancel()
      book.withLock { $0.leave(id, number: number) }?.resume(returning: .failure(.cancelled))
    }
    return try outcome.get()
  }

  private func stop(_ id: DownloadID) {
    let task = book.withLock { book in
      defer { self.begin(&book) }
      return book.suspend(id)
    }
    task?.cancel()
  }

  private func stopAll(_ isMeant: (DownloadEntry) -> Bool) async {
    // In one step: no place that becomes free is taken by the next.
    let (running, tasks) = book.withLock { book in
      let meant = book.entries.filter { isMeant($0.value) }.map(\.key)
      let running = book.entries.filter(\.value.isRunning).map(\.key)
      return (running, meant.compactMap { book.suspend($0) })
    }
    for task in tasks { task.cancel() }
    for id in running { await rest(of: id) }
  }

  private func rest(of id: DownloadID, includingRemoval: Bool = false) async {
    await withCheckedContinuation { continuation in
      let isWaiting = book.withLock { book in
        guard let entry = book.entries[id], entry.isRunning || includingRemoval else { return false }
        return book.waitForRest(of: id, continuation)
      }
      if !isWaiting { continuation.resume() }
    }
  }

  private func observe(_ id: DownloadID?) -> DownloadEvents {
    let subscription = DownloadEvents.Subscription()
    let channel = subscription.channel
    let number = book.withLock { book -> UInt64? in
      guard !book.isClosed else { return nil }
      let receipts = book.receipts.filter { id == nil || $0.id == id }
      return book.hub.add(channel, of: id, receipts: receipts)
    }
    if let number {
      subscription.onEnd { [weak self] in self?.book.withLock { $0.hub.remove(number) } }
    } else {
      channel.finish()
    }
    return DownloadEvents(subscription: subscription)
  }
}
