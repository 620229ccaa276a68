internal import Synchronization

/// Memory that the threads working on one package share, so that all of them together stay below a bound.
final class MemoryBudget: Sendable {
  /// With it, one entry of `WholeInflater.limit` bytes fits in beside its compressed bytes if these are half as many.
  static let standard = 48 << 20

  private let left: Atomic<Int>

  /// Of that many bytes.
  init(_ bytes: Int) { left = Atomic(bytes) }

  /// Takes bytes out; false, and nothing taken, when there are not that many.
  func take(_ bytes: Int) -> Bool {
    guard left.subtract(bytes, ordering: .relaxed).newValue < 0 else { return true }
    give(bytes)
    return false
  }

  /// Puts them back.
  func give(_ bytes: Int) { left.add(bytes, ordering: .relaxed) }
}
