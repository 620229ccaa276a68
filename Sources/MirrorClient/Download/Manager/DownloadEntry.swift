/// One download of a manager: its receipt, and what goes on with it.
struct DownloadEntry {
  /// What the end of a transfer leads to.
  enum Ending {
    /// To a state that is new.
    case over
    /// It was asked for again in the meantime.
    case again
    /// It was suspended before, and is now.
    case atRest
    case isRemoving
  }

  /// Milliseconds between two rows that only tell progress.
  static let rowInterval: Int64 = 1_000

  var receipt: DownloadReceipt
  /// Nil for one of an earlier run that nobody asked for yet.
  private var work: DownloadWork?
  var task: Task<Void, Never>?
  /// It stands in the schedule.
  var isQueued = false
  var isRemoving = false
  /// Durable bytes that the row on the disk may speak of.
  var recorded: Int64
  var waiters: [UInt64: CheckedContinuation<DownloadBook.Outcome, Never>] = [:]
  var rests: [CheckedContinuation<Void, Never>] = []
  private(set) var isRunning = false
  private var run: UInt64 = 0
  private var speed = SpeedMeter()
  private var lastRow: Int64 = 0
  private var error: DownloadError?

  init(_ receipt: DownloadReceipt) {
    self.receipt = receipt
    recorded = receipt.durable
  }

  /// Whether somebody asked for it and it is neither over nor stopped.
  var isWanted: Bool {
    switch receipt.state {
    // One that an earlier run left waiting is not wanted until somebody says so.
    case .willResume: work != nil
    case .downloading: true
    case .none, .suspended, .completed, .failed: false
    }
  }

  /// Whether it waits or runs, asked for in this run of the program or not.
  var isPending: Bool { receipt.state == .willResume || receipt.state == .downloading }

  /// Nil while it is under way.
  var outcome: DownloadBook.Outcome? {
    switch receipt.state {
    case .completed: .success(receipt)
    case .failed:
      .failure(error ?? .recorded(receipt.failure ?? DownloadFailure(text: "failed", status: nil)))
    case .none, .suspended: .failure(.cancelled)
    case .willResume: isWanted ? nil : .failure(.cancelled)
    case .downloading: nil
    }
  }

  mutating func ask(for download: Download, position: Int64, work: DownloadWork?) {
    if receipt.download.destination != download.destination {
      receipt.file = nil
    } else if !receipt.download.isSame(as: download) {
      // Only its digest can say now that it is the one.
      receipt.file?.validators = .none
    }
    if receipt.state == .completed {
      // The whole went to its place; of what may come now, nothing is here.
      receipt.written = 0
      receipt.durable = 0
      receipt.validators = .none
      receipt.expected = download.size
    }
    if download.size != receipt.download.size { receipt.expected = download.size }
    receipt.download = download
    receipt.position = position
    receipt.state = .willResume
    receipt.failure = nil
    receipt.speed = 0
    self.work = work
    error = nil
  }

  /// The work to begin; nil when there is none.
  mutating func begin(run: UInt64) -> DownloadWork? {
    isQueued = false
    guard let work else { return nil }
    self.run = run
    isRunning = true
    speed = SpeedMeter()
    receipt.state = .downloading
    return work
  }

  /// Nil when that transfer is over; else whether the row on the disk may speak of bytes.
  mutating func beginAnew(run: UInt64, with facts: FileSink.Facts) -> Bool? {
    guard isRunning, run == self.run else { return nil }
    receipt.written = 0
    receipt.durable = 0
    receipt.validators = facts.validators
    receipt.expected = facts.expected
    receipt.suggestedName = facts.suggestedName
    return recorded > 0
  }

  /// Nil when that transfer is over; else whether it is time to write a row.
  mutating func move(
    run: UInt64, written: Int64, expected: Int64?, durable: Int64, at now: Int64
  ) -> Bool? {
    guard isRunning, run == self.run else { return nil }
    receipt.written = written
    receipt.durable = durable
    if let expected { receipt.expected = expected }
    speed.note(written, at: now)
    receipt.speed = receipt.state == .downloading ? speed.bytesPerSecond : 0
    return now - lastRow >= Self.rowInterval
  }

  mutating func end(_ result: Result<DownloadArrival, DownloadError>) -> Ending {
    isRunning = false
    task = nil
    if isRemoving { return .isRemoving }
    switch result {
    case .success(let arrival):
      receipt.file = arrival.file
      receipt.suggestedName = arrival.suggestedName
      receipt.written = arrival.file.size
      receipt.durable = arrival.file.size
      receipt.expected = arrival.file.size
      receipt.validators = arrival.file.validators
      // Even when it was suspended a moment ago: it is here.
      finish(.completed)
      return .over
    case .failure(let error):
      switch receipt.state {
      case .willResume: return .again
      case .downloading:
        if case .cancelled = error {
          // The engine was stopped: the next start goes on.
          finish(.suspended)
        } else {
          fail(error)
        }
        return .over
      case .none, .suspended, .completed, .failed:
        // It was stopped while it ran: what the work holds on to, often the manager itself, is let go only now.
        work = nil
        return .atRest
      }
    }
  }

  mutating func stop(_ state: DownloadReceipt.State) { finish(state) }

  mutating func fail(_ error: DownloadError) {
    self.error = error
    receipt.failure = DownloadFailure(error)
    finish(.failed)
  }

  /// The receipt as it goes to the disk.
  mutating func noted(at now: Int64) -> DownloadReceipt {
    lastRow = now
    recorded = receipt.durable
    return receipt
  }

  private mutating func finish(_ state: DownloadReceipt.State) {
    receipt.state = state
    receipt.speed = 0
    // What it holds on to, it needs no more.
    if !isRunning { work = nil }
  }
}
