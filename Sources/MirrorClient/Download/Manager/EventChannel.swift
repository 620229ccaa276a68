internal import Synchronization

/// Events on their way to one observer. What waits is bounded: a progress event is replaced by the next of its download,
/// and so is a state when `limit` events wait.
final class EventChannel: Sendable {
  /// Events that wait before states of one download replace each other.
  static let limit = 256

  private struct State {
    var events: [DownloadEvent] = []
    var taken = 0
    /// Where the latest event of a download stands, counted from the first ever.
    var latest: [DownloadID: Int] = [:]
    var dropped = 0
    var waiter: CheckedContinuation<DownloadEvent?, Never>?
    var isFinished = false
    var isCancelled = false

    mutating func pop() -> DownloadEvent? {
      guard taken < events.count else { return nil }
      let event = events[taken]
      if latest[event.receipt.id] == dropped + taken { latest[event.receipt.id] = nil }
      taken += 1
      if taken == events.count || taken >= 1024 {
        events.removeFirst(taken)
        dropped += taken
        taken = 0
      }
      return event
    }

    mutating func push(_ event: DownloadEvent) {
      let id = event.receipt.id
      if let place = latest[id].map({ $0 - dropped }), place >= taken,
        events[place].change == .progress || events.count - taken >= EventChannel.limit
      {
        // A state that nobody has seen stays one, whatever progress replaces it.
        let change = events[place].change == .state ? .state : event.change
        events[place] = DownloadEvent(change: change, receipt: event.receipt)
      } else {
        latest[id] = dropped + events.count
        events.append(event)
      }
    }
  }

  private let state = Mutex(State())

  func send(_ event: DownloadEvent) {
    let waiter = state.withLock { state -> CheckedContinuation<DownloadEvent?, Never>? in
      guard !state.isFinished else { return nil }
      guard let waiter = state.waiter.take() else {
        state.push(event)
        return nil
      }
      return waiter
    }
    waiter?.resume(returning: event)
  }

  /// What was sent is still delivered.
  func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      return state.waiter.take()
    }
    waiter?.resume(returning: nil)
  }

  /// Events that wait, for tests.
  var count: Int { state.withLock { $0.events.count - $0.taken } }

  func next() async -> DownloadEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> DownloadEvent?? in
          if state.isCancelled { return .some(nil) }
          if let event = state.pop() { return event }
          if state.isFinished || state.waiter != nil { return .some(nil) }
          state.waiter = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.isCancelled = true
        return state.waiter.take()
      }
      waiter?.resume(returning: nil)
    }
  }
}
