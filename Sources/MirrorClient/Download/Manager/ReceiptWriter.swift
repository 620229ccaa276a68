internal import Platform
internal import SQLite
internal import Synchronization

/// Writes receipts on a thread of its own, as soon as it can: what changes while it waits for the file goes in one
/// transaction, and a receipt that came and went in the meantime costs nothing.
///
/// Rows may be lost in a power cut, save those of `putDurably`: receipts are held against the disk when they are read.
final class ReceiptWriter: Sendable {
  private enum Change: Sendable {
    case put(DownloadReceipt)
    case remove
  }

  private struct State {
    var changes: [DownloadID: Change] = [:]
    var waiters: [CheckedContinuation<DownloadError?, Never>] = []
    var isRunning = false
    var batches = 0
  }

  private let room: any ReceiptRoom
  private let thread: WorkerThreads
  private let state = Mutex(State())

  /// Throws `disk` when the system has no thread.
  init(_ room: any ReceiptRoom) throws(DownloadError) {
    self.room = room
    do throws(SystemError) { thread = try WorkerThreads(count: 1, name: "receipts") } catch {
      throw .disk(error)
    }
  }

  /// Transactions so far, for figures and tests.
  var batches: Int { state.withLock { $0.batches } }

  func all() throws(DownloadError) -> [DownloadReceipt] {
    try room.withReceipts { (database) throws(SQLiteError) in try ReceiptTable.all(database) }
  }

  /// Soon, in place of the row that is there.
  func put(_ receipt: DownloadReceipt) { add { $0.changes[receipt.id] = .put(receipt) } }

  /// Soon.
  func remove(_ id: DownloadID) { add { $0.changes[id] = .remove } }

  /// Returns when everything up to now stands in the file; throws when it could not be written. It is tried again with
  /// the next change.
  func flush() async throws(DownloadError) {
    let failure = await withCheckedContinuation { continuation in add { $0.waiters.append(continuation) } }
    if let failure { throw failure }
  }

  /// Blocks until the row would survive a power cut.
  func putDurably(_ receipt: DownloadReceipt) throws(DownloadError) {
    try room.withReceipts { [self] (database) throws(SQLiteError) in
      _ = state.withLock { $0.changes.removeValue(forKey: receipt.id) }
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

  private func add(_ body: (inout sending State) -> Void) {
    let isIdle = state.withLock { state in
      body(&state)
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
            defer { (state.changes, state.waiters) = ([:], []) }
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
      }
      for waiter in waiters.withLock({ $0 }) { waiter.resume(returning: failure) }
      let isDone = state.withLock { state in
        // After a failure, what is left waits for the next change.
        guard state.waiters.isEmpty, state.changes.isEmpty || failure != nil else { return false }
        state.isRunning = false
        return true
      }
      if isDone { return }
    }
  }

  private func write(_ changes: [DownloadID: Change], to database: Database) throws(SQLiteError) {
    if changes.isEmpty { return }
    state.withLock { $0.batches += 1 }
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
  }
}
