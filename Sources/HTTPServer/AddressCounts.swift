internal import HTTPWire
internal import Synchronization

/// How many connections each client address has, over all loops.
final class AddressCounts: Sendable {
  /// How many one may have.
  let limit: Int
  private let counts = Mutex<[Key: Int]>([:])

  /// What counts as one address: an IPv4 address, or the /64 of an IPv6 one (RFC 6177 §2: a site gets no less).
  private enum Key: Hashable {
    case ipv4(UInt32)
    case ipv6(UInt64)

    /// Nil for Unix sockets.
    init?(_ peer: PeerAddress) {
      switch peer {
      case .local: return nil
      case .ipv4(let bits, _): self = .ipv4(bits)
      case .ipv6(let high, _, _): self = .ipv6(high)
      }
    }
  }

  init(limit: Int) { self.limit = limit }

  /// Counts a connection; how many its address has now, 0 when it is not counted.
  func enter(_ peer: PeerAddress) -> Int {
    guard let key = Key(peer) else { return 0 }
    return counts.withLock { counts in
      let count = counts[key, default: 0] + 1
      counts[key] = count
      return count
    }
  }

  /// Ends what `enter` began.
  func leave(_ peer: PeerAddress) {
    guard let key = Key(peer) else { return }
    counts.withLock { counts in
      guard let count = counts[key] else { return }
      counts[key] = count > 1 ? count - 1 : nil
    }
  }
}
