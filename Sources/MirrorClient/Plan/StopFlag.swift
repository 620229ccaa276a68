internal import Synchronization

/// Whether the sync was asked to stop: for work on threads, which know nothing of tasks.
final class StopFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
