internal import Synchronization

/// What request bodies that are kept whole may take of the memory, all together: one of them is small, but ten thousand
/// clients that each drip one in would hold gigabytes. Any thread.
package final class BodyBudget: Sendable {
  private let limit: Int
  private let taken = Atomic(0)

  /// `limit` is in bytes.
  package init(limit: Int) { self.limit = limit }

  /// Takes so many more bytes; false, and nothing taken, when they would go over the limit.
  package func take(_ count: Int) -> Bool {
    guard taken.add(count, ordering: .relaxed).newValue <= limit else {
      taken.subtract(count, ordering: .relaxed)
      return false
    }
    return true
  }

  /// Bytes that are kept no longer.
  package func giveBack(_ count: Int) { taken.subtract(count, ordering: .relaxed) }
}
