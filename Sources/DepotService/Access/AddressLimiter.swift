internal import HTTPWire
internal import Synchronization

/// How often clients do something, by their address (IPv6: its /64): so often in a burst, and then again as fast as in a
/// minute that burst is earned back. Any thread.
///
/// The table is bounded: where it is full, whoever has earned everything back is forgotten first, then anybody. That
/// needs as many networks as it has places, each of which did it less than a minute ago.
final class AddressLimiter: Sendable {
  /// How many times a minute, all of them at once at most.
  let perMinute: Int
  private let capacity: Int
  private let state = Mutex(State())

  private struct State {
    /// When each address has earned everything back, in milliseconds of the monotonic clock.
    var restoredAt: [PeerAddress.Site: Int64] = [:]
    var sweptAt: Int64 = .min
  }

  init(perMinute: Int, capacity: Int = 8192) {
    self.perMinute = perMinute
    self.capacity = capacity
  }

  /// Counts one more at `now`, in milliseconds of the monotonic clock; nil when it is within the limit, else in how many
  /// seconds the next one is. What is over the limit is not counted, and what comes through a Unix socket never.
  func count(_ peer: PeerAddress, now: Int64) -> Int? {
    guard let site = peer.site else { return nil }
    let cost = Int64(60_000 / max(1, perMinute))
    return state.withLock { state in
      let restored = max(state.restoredAt[site] ?? now, now)
      let excess = restored + cost - now - 60_000
      guard excess <= 0 else { return Int((excess + 999) / 1000) }
      if state.restoredAt[site] == nil, state.restoredAt.count >= capacity { makeRoom(&state, now: now) }
      state.restoredAt[site] = restored + cost
      return nil
    }
  }

  /// How many addresses are remembered.
  var remembered: Int { state.withLock { $0.restoredAt.count } }

  private func makeRoom(_ state: inout State, now: Int64) {
    // A look at all of them once a second, so that a flood of addresses does not pay for one each.
    if now - 1000 >= state.sweptAt {
      state.sweptAt = now
      state.restoredAt = state.restoredAt.filter { $0.value > now }
    }
    guard state.restoredAt.count >= capacity, let any = state.restoredAt.keys.first else { return }
    state.restoredAt[any] = nil
  }
}
