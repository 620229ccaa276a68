/// What one manager knows of its downloads, and every change of it: told to the observers and to the writer of receipts in
/// the same breath, so that both hear things in their order. Does no work itself.
struct DownloadBook {
  typealias Outcome = Result<DownloadReceipt, DownloadError>

  /// A transfer that is to begin.
  struct Start: Sendable {
    let id: DownloadID
    let run: UInt64
    let receipt: DownloadReceipt
    let work: DownloadWork
  }

  private(set) var entries: [DownloadID: DownloadEntry] = [:]
  private(set) var isClosed = false
  var hub = EventHub()
  private var schedule: DownloadSchedule
  private var active = 0
  private var lastPosition: Int64 = 0
  private var lastNumber: UInt64 = 0
  private let maximumActive: Int
  private let writer: ReceiptWriter
  private let now: @Sendable () -> Int64

  init(
    maximumActive: Int, order: DownloadOrder, writer: ReceiptWriter, now: @escaping @Sendable () -> Int64,
    receipts: [DownloadReceipt]
  ) {
    self.maximumActive = max(1, maximumActive)
    self.writer = writer
    self.now = now
    schedule = DownloadSchedule(order)
    for receipt in receipts {
      entries[receipt.id] = DownloadEntry(receipt)
      lastPosition = max(lastPosition, receipt.position)
    }
  }

  /// In the order they were asked for.
  var receipts: [DownloadReceipt] {
    entries.values.lazy.filter { !$0.isRemoving }.map(\.receipt).sorted { $0.position < $1.position }
  }

  // MARK: Asking

  /// The receipt, waiting for its place or joined; nil while the download is being removed: ask again after that.
  mutating func request(_ download: Download, work: DownloadWork?) throws(DownloadError) -> DownloadReceipt? {
    guard !isClosed else { throw .cancelled }
    let id = download.id
    if let entry = entries[id] {
      if entry.isRemoving { return nil }
      if entry.isWanted {
        guard entry.receipt.download.isSame(as: download) else { throw .conflict(id) }
        return entry.receipt
      }
    }
    lastPosition += 1
    entries[id, default: DownloadEntry(DownloadReceipt(download, position: lastPosition))]
      .ask(for: download, position: lastPosition, work: work)
    record(id)
    enqueue(id)
    return entries[id]?.receipt
  }

  /// What a change of priority means for one that waits is a place further ahead or behind.
  mutating func setPriority(_ priority: Int, of id: DownloadID) {
    guard let old = entries[id], !old.isRemoving, old.receipt.download.priority != priority else { return }
    if old.isQueued { dequeue(id) }
    entries[id]?.receipt.download.priority = priority
    if old.isQueued { enqueue(id) }
    record(id)
  }

  /// The downloads that may begin now; each must be followed by `finish`.
  mutating func starts() -> [Start] {
    var starts: [Start] = []
    while active < maximumActive, let id = schedule.next() {
      lastNumber += 1
      guard let work = entries[id]?.begin(run: lastNumber), let receipt = entries[id]?.receipt else {
        continue
      }
      active += 1
      record(id)
      starts.append(Start(id: id, run: lastNumber, receipt: receipt, work: work))
    }
    return starts
  }

  mutating func attach(_ task: Task<Void, Never>, to id: DownloadID) { entries[id]?.task = task }

  // MARK: While it runs

  /// The receipt when the row that says so must be durable before anything is written.
  mutating func begin(_ id: DownloadID, run: UInt64, with facts: FileSink.Facts) -> DownloadReceipt? {
    guard let hadBytes = entries[id]?.beginAnew(run: run, with: facts), let entry = entries[id] else {
      return nil
    }
    guard hadBytes else {
      write(id)
      return nil
    }
    entries[id]?.recorded = 0
    return entry.receipt
  }

  mutating func move(
    _ id: DownloadID, run: UInt64, written: Int64, expected: Int64?, durable: Int64
  ) {
    let time = now()
    guard
      let isRowDue = entries[id]?.move(
        run: run, written: written, expected: expected, durable: durable, at: time)
    else { return }
    if isRowDue { write(id) }
    if let receipt = entries[id]?.receipt, receipt.state == .downloading { hub.tell(.progress, receipt) }
  }

  mutating func finish(_ id: DownloadID, _ result: Result<DownloadArrival, DownloadError>) {
    active -= 1
    guard let ending = entries[id]?.end(result) else { return }
    switch ending {
    case .over:
      record(id)
      if let receipt = entries[id]?.receipt {
        answer(id, receipt.state == .completed ? .success(receipt) : nil)
      }
    case .again: enqueue(id)
    // What was told when it was stopped still holds; only how much came is new.
    case .atRest: write(id)
    case .isRemoving: break
    }
    wakeThoseWhoWait(id)
  }

  // MARK: Stopping

  /// The task to cancel, when there is one.
  mutating func suspend(_ id: DownloadID) -> Task<Void, Never>? {
    guard let entry = entries[id], entry.isPending, !entry.isRemoving else { return nil }
    if entry.isQueued { dequeue(id) }
    entries[id]?.stop(.suspended)
    record(id)
    answer(id, nil)
    return entry.task
  }

  /// The task to cancel; false when nothing of that name is known.
  mutating func beginRemoval(_ id: DownloadID) -> (isKnown: Bool, task: Task<Void, Never>?) {
    guard let entry = entries[id], !entry.isRemoving else { return (false, nil) }
    if entry.isQueued { dequeue(id) }
    entries[id]?.stop(.none)
    entries[id]?.isRemoving = true
    if let receipt = entries[id]?.receipt { hub.tell(.state, receipt) }
    answer(id, nil)
    return (true, entry.task)
  }

  /// Nothing of it is left; or, with a failure, its files still are.
  mutating func endRemoval(_ id: DownloadID, failure: DownloadError?) {
    if let failure {
      entries[id]?.isRemoving = false
      entries[id]?.fail(failure)
      record(id)
      wakeThoseWhoWait(id)
    } else {
      let waiting = entries[id]?.rests ?? []
      entries[id] = nil
      writer.remove(id)
      for continuation in waiting { continuation.resume() }
    }
  }

  mutating func close() { isClosed = true }

  // MARK: Waiting

  /// The outcome, when there is one already; else `continuation` will hear it.
  mutating func wait(
    for id: DownloadID, number: UInt64, _ continuation: CheckedContinuation<Outcome, Never>
  ) -> Outcome? {
    guard let entry = entries[id], !entry.isRemoving else { return .failure(.cancelled) }
    if let outcome = entry.outcome { return outcome }
    entries[id]?.waiters[number] = continuation
    return nil
  }

  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func leave(_ id: DownloadID, number: UInt64) -> CheckedContinuation<Outcome, Never>? {
    entries[id]?.waiters.removeValue(forKey: number)
  }

  /// Whether `continuation` will be told when the transfer, or the removal, has come to rest; false when it has.
  mutating func waitForRest(of id: DownloadID, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
    guard let entry = entries[id], entry.isRunning || entry.isRemoving else { return false }
    entries[id]?.rests.append(continuation)
    return true
  }

  private mutating func answer(_ id: DownloadID, _ outcome: Outcome?) {
    guard let waiters = entries[id]?.waiters, !waiters.isEmpty else { return }
    let outcome = outcome ?? entries[id]?.outcome ?? .failure(.cancelled)
    entries[id]?.waiters = [:]
    for continuation in waiters.values { continuation.resume(returning: outcome) }
  }

  private mutating func wakeThoseWhoWait(_ id: DownloadID) {
    guard let rests = entries[id]?.rests, !rests.isEmpty else { return }
    entries[id]?.rests = []
    for continuation in rests { continuation.resume() }
  }

  private mutating func enqueue(_ id: DownloadID) {
    // Its file is free once the transfer before has come to rest; `finish` comes back here.
    guard let entry = entries[id], !entry.isRunning else { return }
    entries[id]?.isQueued = true
    schedule.add(id, priority: entry.receipt.download.priority, position: entry.receipt.position)
  }

  private mutating func dequeue(_ id: DownloadID) {
    guard let receipt = entries[id]?.receipt else { return }
    entries[id]?.isQueued = false
    schedule.remove(id, priority: receipt.download.priority, position: receipt.position)
  }

  /// A change of state: told and written.
  private mutating func record(_ id: DownloadID) {
    guard let receipt = entries[id]?.receipt else { return }
    write(id)
    hub.tell(.state, receipt)
  }

  private mutating func write(_ id: DownloadID) {
    guard let receipt = entries[id]?.noted(at: now()) else { return }
    writer.put(receipt)
  }
}
