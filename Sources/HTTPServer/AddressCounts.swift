internal import HTTPWire
internal import Synchronization

/// How many connections each client address has, over all loops.
final class AddressCounts: Sendable {
  /// How many one may have.
  let limit: Int
  private let counts = Mutex<[PeerAddress.Site: Int]>([:])

  init(limit: Int) { self.limit = limit }

  /// Counts a connection; how many its address has now, 0 when it is not counted.
  func enter(_ peer: PeerAddress) -> Int {
    guard let site = peer.site else { return 0 }
    return counts.withLock { counts in
      let count = counts[site, default: 0] + 1
      counts[site] = count
      return count
    }
  }

  /// Ends what `enter` began.
  func leave(_ peer: PeerAddress) {
    guard let site = peer.site else { return }
    counts.withLock { counts in
      guard let count = counts[site] else { return }
      counts[site] = count > 1 ? count - 1 : nil
    }
  }
}
