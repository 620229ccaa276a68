internal import Synchronization

/// Requests that wait for the catalogue to change. They hold a connection and some hundred bytes, but no thread.
///
/// Any thread. Time and changes are told to it: by the server's loops about once a second, and at once by whoever changes
/// something in this process.
package final class ChangeWaiters: Sendable {
  /// Why a wait ended.
  package enum Outcome: Sendable { case changed, timeIsUp }

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

  /// Nobody waits yet.
  package init() {}

  /// Returns once the catalogue is in another state than `token`, or it is `deadline`, in milliseconds of the monotonic
  /// clock; at once after `close`.
  package func wait(token: Int64, until deadline: Int64) async -> Outcome {
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

  /// What a look for changes found.
  package struct Reading: Sendable {
    /// How it is told.
    package let answer: Answer
    /// Nothing has changed.
    package let isEmpty: Bool

    package init(answer: Answer, isEmpty: Bool) {
      self.answer = answer
      self.isEmpty = isEmpty
    }
  }

  /// What `read` finds as soon as that is something, or at `deadline` in any case; with the `token` of what it was read from, or
  /// nil for an answer that is not to be kept: it would be the one to whoever asks next, at once.
  package func firstChange(
    until deadline: Int64, token: () throws(Problem) -> Int64, read: () throws(Problem) -> Reading
  ) async throws(Problem) -> (answer: Answer, token: Int64?) {
    while true {
      // Taken before the read: a change after it ends the wait.
      let before = try token()
      let found = try read()
      guard found.isEmpty else { return (found.answer, before) }
      guard case .changed = await wait(token: before, until: deadline), !isClosed else {
        return (found.answer, nil)
      }
    }
  }

  /// Ends the waits that began in another state than `token`, and those whose time is up at `now`. A nil `token`, of a
  /// catalogue that cannot be read, ends all: who asks again is told.
  package func note(token: Int64?, now: Int64) {
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
  package func close() {
    let ended = state.withLock { state in
      defer { state.waiters = [:] }
      state.isClosed = true
      return Array(state.waiters.values)
    }
    for waiter in ended { waiter.continuation.resume(returning: .timeIsUp) }
  }

  /// Whether `close` was called.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// How many wait.
  package var count: Int { state.withLock { $0.waiters.count } }
}
