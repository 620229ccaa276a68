internal import Synchronization

/// Memory that the threads working on one package share, so that all of them together stay below a bound.
final class MemoryBudget: Sendable {
  /// What a package takes at most, its list of entries included …
  private static let whole = 44 << 20
  /// … of which each takes about so much …
  private static let entry = 450
  /// … and what there is at least: small entries always fit in.
  private static let least = 4 << 20

  private let left: Atomic<Int>

  /// Of that many bytes.
  init(_ bytes: Int) { left = Atomic(bytes) }

  /// What a package of that many entries leaves. One of few entries has room for one of `WholeInflater.limit` bytes, if it
  /// is packed to a third.
  convenience init(entries: Int) {
    self.init(max(Self.least, Self.whole - entries.multipliedReportingOverflow(by: Self.entry).partialValue))
  }

  /// Takes bytes out; false, and nothing taken, when there are not that many.
  func take(_ bytes: Int) -> Bool {
    guard left.subtract(bytes, ordering: .relaxed).newValue < 0 else { return true }
    give(bytes)
    return false
  }

  /// Puts them back.
  func give(_ bytes: Int) { left.add(bytes, ordering: .relaxed) }
}
