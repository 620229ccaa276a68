internal import Synchronization

/// A download that several tasks may wait for. The first makes it; it is cancelled when the last one leaves.
final class Flight: Sendable {
  typealias Outcome = Result<FetchedPackage, DownloadError>

  /// One request for it.
  struct Passenger: Sendable {
    let id: UInt64
    let progress: @Sendable (DownloadProgress) -> Void
  }

  private struct State {
    var passengers: [Passenger] = []
    var waiting: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    var hasLeft: Set<UInt64> = []
    var task: Task<Void, Never>?
    var outcome: Outcome?
    var isCancelled = false
  }

  private let state = Mutex(State())

  var passengerCount: Int { state.withLock { $0.passengers.count } }

  /// False when it is being cancelled or over: wait for `rest`, then start another.
  func board(_ passenger: Passenger) -> Bool {
    state.withLock { state in
      guard !state.isCancelled, state.outcome == nil else { return false }
      state.passengers.append(passenger)
      return true
    }
  }

  /// Starts the work.
  func start(_ body: @escaping @Sendable () async -> Outcome) {
    let task = Task { self.end(await body()) }
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Tells everybody aboard.
  func report(_ progress: DownloadProgress) {
    let passengers = state.withLock { $0.passengers }
    for passenger in passengers { passenger.progress(progress) }
  }

  /// The outcome; `cancelled` at once for a passenger whose task is cancelled while others stay, and once the work has
  /// come to rest for the last one.
  func outcome(for id: UInt64) async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state -> Outcome? in
          if let outcome = state.outcome { return outcome }
          if state.hasLeft.contains(id) { return .failure(.cancelled) }
          state.waiting[id] = continuation
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      leave(id)
    }
  }

  /// Returns when the work is over.
  func rest() async {
    let task = state.withLock { $0.task }
    await task?.value
  }

  private func leave(_ id: UInt64) {
    let (task, continuation) = state.withLock {
      state -> (Task<Void, Never>?, CheckedContinuation<Outcome, Never>?) in
      state.passengers.removeAll { $0.id == id }
      guard !state.passengers.isEmpty else {
        state.isCancelled = true
        return (state.task, nil)
      }
      state.hasLeft.insert(id)
      return (nil, state.waiting.removeValue(forKey: id))
    }
    task?.cancel()
    continuation?.resume(returning: .failure(.cancelled))
  }

  private func end(_ outcome: Outcome) {
    let waiting = state.withLock { state in
      state.outcome = outcome
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(returning: outcome) }
  }
}
