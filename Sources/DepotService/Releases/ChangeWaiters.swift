internal import Synchronization

/// Requests that wait for the catalogue to change. They hold a connection and some hundred bytes, but no thread.
///
/// Any thread. Time and changes are told to it: by the server's loops about once a second, and at once by whoever changes
/// something in this process.
final class ChangeWaiters: Sendable {
  /// Why a wait ended.
  enum Outcome: Sendable { case changed, timeIsUp }

  private struct Waiter {
    let token: Int64
    let deadline: Int64
    let continuation: CheckedContinuation<Outcome, Never>
  }
  private struct State {
    var waiters: [UInt64: Waiter] = [:]
    var next: UInt64 = 0
    var isClosed = false
  }
  private let state = Mutex(State())

  /// Returns once the catalogue is in another state than `token`, or it is `deadline`, in milliseconds of the monotonic
  /// clock; at once after `close`.
  func wait(token: Int64, until deadline: Int64) async -> Outcome {
    await withCheckedContinuation { continuation in
      let isClosed = state.withLock { state in
        guard !state.isClosed else { return true }
        state.next += 1
        state.waiters[state.next] = Waiter(token: token, deadline: deadline, continuation: continuation)
        return false
      }
      if isClosed { continuation.resume(returning: .timeIsUp) }
    }
  }

  /// Ends the waits that began in another state than `token`, and those whose time is up at `now`. A nil `token`, of a
  /// catalogue that cannot be read, ends all: who asks again is told.
  func note(token: Int64?, now: Int64) {
    let ended = state.withLock { state -> [Waiter] in
      guard !state.waiters.isEmpty else { return [] }
      let due = state.waiters.filter { $0.value.token != token || $0.value.deadline <= now }
      for key in due.keys { state.waiters[key] = nil }
      return Array(due.values)
    }
    for waiter in ended {
      waiter.continuation.resume(returning: waiter.token != token ? .changed : .timeIsUp)
    }
  }

  /// Ends all waits, and those to come: for a server that stops.
  func close() {
    let ended = state.withLock { state in
      defer { state.waiters = [:] }
      state.isClosed = true
      return Array(state.waiters.values)
    }
    for waiter in ended { waiter.continuation.resume(returning: .timeIsUp) }
  }

  /// Whether `close` was called.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// How many wait.
  var count: Int { state.withLock { $0.waiters.count } }
}
