internal import Platform
internal import Synchronization

/// Several threads that work on the entries of one package, the caller's own among them.
struct EntryTeam {
  /// Packages that unpack to less than this are done by the caller alone: starting a thread costs more.
  private static let alone: Int64 = 1 << 20
  /// Entries above this size go first, the largest before all others: begun last, one of them would be waited for.
  private static let large: Int64 = 4 << 20

  private let order: [Int]
  private let threads: Int

  /// For entries that unpack to so many bytes each; at most that many threads.
  init(sizes: some Collection<Int64>, threads: Int) {
    var total: Int64 = 0
    var largest: [(index: Int, size: Int64)] = []
    var others: [Int] = []
    others.reserveCapacity(sizes.count)
    for (index, size) in sizes.enumerated() {
      total = total.addingReportingOverflow(size).partialValue
      if size > Self.large { largest.append((index, size)) } else { others.append(index) }
    }
    self.threads = total < Self.alone ? 1 : max(1, min(threads, sizes.count))
    order = largest.sorted { $0.size > $1.size }.map(\.index) + others
  }

  /// Calls `work` with the index of each entry, on several threads at once, and returns when all are done. After the
  /// first failure, which is thrown, nothing more is begun.
  func run(
    _ work: @escaping @Sendable (Int, EntryBuffers) throws(ZipError) -> Void
  ) throws(ZipError) {
    let turns = Turns(order, work)
    var others: [PosixThread] = []
    let budget = MemoryBudget(entries: order.count)
    for number in 1..<max(1, threads) {
      // Without that thread the others have more to do.
      if let thread = try? PosixThread(name: "zip-\(number)", { turns.run(budget) }) { others.append(thread) }
    }
    turns.run(budget)
    for thread in others { thread.join() }
    if let failure = turns.failure { throw failure }
  }

  private final class Turns: Sendable {
    private let order: [Int]
    private let work: @Sendable (Int, EntryBuffers) throws(ZipError) -> Void
    private let next = Atomic(0)
    private let state = Mutex<ZipError?>(nil)

    init(_ order: [Int], _ work: @escaping @Sendable (Int, EntryBuffers) throws(ZipError) -> Void) {
      self.order = order
      self.work = work
    }

    var failure: ZipError? { state.withLock { $0 } }

    func run(_ budget: MemoryBudget) {
      do throws(ZipError) {
        let buffers = try EntryBuffers(budget)
        while failure == nil {
          let turn = next.add(1, ordering: .relaxed).oldValue
          guard turn < order.count else { return }
          try work(order[turn], buffers)
        }
      } catch {
        state.withLock { if $0 == nil { $0 = error } }
      }
    }
  }
}
