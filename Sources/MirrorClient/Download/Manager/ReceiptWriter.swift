internal import Platform
internal import SQLite
internal import Synchronization

/// Writes receipts on a thread of its own: what changes while it waits for the file, or lingers, goes in one transaction,
/// and a receipt that came and went in the meantime costs nothing.
///
/// Rows may be lost in a power cut, save those of `putDurably`: receipts are held against the disk when they are read.
final class ReceiptWriter: Sendable {
  private enum Change: Sendable {
    case put(DownloadReceipt)
    case remove
  }

  private struct State {
    var changes: [DownloadID: Change] = [:]
    /// Those that have a row, or will have when what is under way is written.
    var rows: Set<DownloadID> = []
    var waiters: [CheckedContinuation<DownloadError?, Never>] = []
    var isRunning = false
    var isLingering = false
    var batches = 0
  }

  private let room: any ReceiptRoom
  /// How long a change may wait for others.
  private let linger: Duration
  private let thread: WorkerThreads
  private let state = Mutex(State())

  /// Throws `disk` when the system has no thread.
  init(_ room: any ReceiptRoom, linger: Duration = .zero) throws(DownloadError) {
    self.room = room
    self.linger = linger
    do throws(SystemError) { thread = try WorkerThreads(count: 1, name: "receipts") } catch {
      throw .disk(error)
    }
  }

  /// Transactions so far, for figures and tests.
  var batches: Int { state.withLock { $0.batches } }

  func all() throws(DownloadError) -> [DownloadReceipt] {
    let all = try room.withReceipts { (database) throws(SQLiteError) in try ReceiptTable.all(database) }
    state.withLock { $0.rows = Set(all.map(\.id)) }
    return all
  }

  /// Soon, in place of the row that is there.
  func put(_ receipt: DownloadReceipt) {
    state.withLock { $0.changes[receipt.id] = .put(receipt) }
    drainSoon()
  }

  /// Soon.
  func remove(_ id: DownloadID) {
    state.withLock { $0.changes[id] = $0.rows.contains(id) ? .remove : nil }
    drainSoon()
  }

  /// Returns when everything up to now stands in the file; throws when it could not be written. It is tried again with
  /// the next change.
  func flush() async throws(DownloadError) {
    let failure = await withCheckedContinuation { continuation in
      state.withLock { $0.waiters.append(continuation) }
      drainNow()
    }
    if let failure { throw failure }
  }

  /// Blocks until the row would survive a power cut.
  func putDurably(_ receipt: DownloadReceipt) throws(DownloadError) {
    try room.withReceipts { [self] (database) throws(SQLiteError) in
      state.withLock { state in
        state.changes[receipt.id] = nil
        state.rows.insert(receipt.id)
      }
      try ReceiptTable.put(receipt, in: database)
    }
  }

  /// Writes what there is, and lets the file go.
  func close() async throws(DownloadError) {
    defer { room.close() }
    try await flush()
  }

  /// Writes what there is and ends the thread.
  func shutdown() { thread.shutdown() }

  private func drainSoon() {
    guard linger > .zero else { return drainNow() }
    let isFirst = state.withLock { state in
      // What comes while rows are written is looked for after that.
      guard !state.isLingering, !state.isRunning else { return false }
      state.isLingering = true
      return true
    }
    guard isFirst else { return }
    Task { [weak self, linger] in
      // Cancelled by nobody; were it, it would only be early.
      try? await Task.sleep(for: linger)
      self?.drainNow()
    }
  }

  private func drainNow() {
    let isIdle = state.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isIdle { thread.submit { self.drain() } }
  }

  private func drain() {
    while true {
      let waiters = Mutex<[CheckedContinuation<DownloadError?, Never>]>([])
      var failure: DownloadError?
      do throws(DownloadError) {
        try room.withReceipts { [self] (database) throws(SQLiteError) in
          // Only now, so that what came while others had the connection is in it.
          let (changes, waiting) = state.withLock { state in
            defer { (state.changes, state.waiters, state.isLingering) = ([:], [], false) }
            for case (let id, .put) in state.changes { state.rows.insert(id) }
            return (state.changes, state.waiters)
          }
          waiters.withLock { $0 = waiting }
          do throws(SQLiteError) { try write(changes, to: database) } catch {
            state.withLock { $0.changes.merge(changes) { newer, _ in newer } }
            throw error
          }
        }
      } catch {
        failure = error
        // Where not even the file was to be had, nobody has taken them.
        let waiting = state.withLock { state in
          defer { state.waiters = [] }
          return state.waiters
        }
        waiters.withLock { $0 += waiting }
      }
      for waiter in waiters.withLock({ $0 }) { waiter.resume(returning: failure) }
      let isDone = state.withLock { state in
        // After a failure, what is left waits for the next change; with time to linger, what has just come does so.
        let isLeft = !state.changes.isEmpty && failure == nil
        guard state.waiters.isEmpty, !isLeft || linger > .zero else { return false }
        state.isRunning = false
        return true
      }
      guard isDone else { continue }
      if failure == nil, state.withLock({ !$0.changes.isEmpty }) { drainSoon() }
      return
    }
  }

  private func write(_ changes: [DownloadID: Change], to database: Database) throws(SQLiteError) {
    if changes.isEmpty { return }
    try database.execute("PRAGMA synchronous = NORMAL")
    let result = Result { () throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        for (id, change) in changes {
          switch change {
          case .put(let receipt): try ReceiptTable.put(receipt, in: database)
          case .remove: try ReceiptTable.remove(id, from: database)
          }
        }
      }
    }
    try database.execute("PRAGMA synchronous = FULL")
    try result.get()
    state.withLock { state in
      state.batches += 1
      for case (let id, .remove) in changes { state.rows.remove(id) }
    }
  }
}
