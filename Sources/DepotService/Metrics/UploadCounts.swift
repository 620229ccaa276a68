internal import Synchronization

/// How many packages were sent to a depot since it was opened, and what became of them. Any thread.
final class UploadCounts: Sendable {
  /// What became of an upload: a version, one that was there already, or nothing, whoever's fault it was.
  enum Outcome: String, CaseIterable, Sendable { case published, repeated, refused }

  /// As of one moment.
  struct State: Sendable {
    /// Those whose bodies are read or checked now.
    var running = 0
    var ended: [Outcome: Int] = [:]
  }

  private let state = Mutex(State())

  var now: State { state.withLock { $0 } }

  /// One begins; `end` must follow.
  func begin() { state.withLock { $0.running += 1 } }

  func end(_ outcome: Outcome) {
    state.withLock { state in
      state.running -= 1
      state.ended[outcome, default: 0] += 1
    }
  }
}
