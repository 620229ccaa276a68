internal import Synchronization

/// When what is to be done now and then, beside the requests, is due again. Any thread.
final class Upkeep: Sendable {
  /// Milliseconds between two times.
  static let interval: Int64 = 60_000

  private let dueAt: Atomic<Int64>

  init(now: Int64) { dueAt = Atomic(now + Self.interval) }

  /// Whether it is due at `now`, in milliseconds of the monotonic clock: true to one of those who ask.
  func begin(now: Int64) -> Bool {
    let due = dueAt.load(ordering: .relaxed)
    guard now >= due else { return false }
    return dueAt.compareExchange(expected: due, desired: now + Self.interval, ordering: .relaxed).exchanged
  }
}
