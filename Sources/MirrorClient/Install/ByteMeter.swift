internal import Synchronization

/// Adds up bytes from several threads.
final class ByteMeter: Sendable {
  private let total = Atomic<Int64>(0)

  var bytes: Int64 { total.load(ordering: .relaxed) }

  func add(_ bytes: Int64) { total.add(bytes, ordering: .relaxed) }
}
