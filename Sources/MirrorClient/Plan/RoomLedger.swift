internal import Platform
internal import Synchronization

/// Sees to it that games under way at the same time do not count on the same free room.
final class RoomLedger: Sendable {
  private struct State {
    var reserved = RoomNeed.none
    var holders = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let folder: Directory
  private let state = Mutex(State())

  init(_ folder: Directory) { self.folder = folder }

  /// Sets room aside for one game. When others hold what is missing, waits until they are done: part of what they
  /// reserved they have written by now, and it is not to be counted twice. Throws when the room is not there for this
  /// game alone.
  func reserve(_ need: RoomNeed) async throws(MirrorError) {
    while true {
      do throws(MirrorError) {
        try tryReserve(need)
        return
      } catch {
        let isAlone = await waitForRelease()
        if isAlone {
          try need.check(in: folder, reserved: .none)
          try tryReserve(need)
          return
        }
      }
    }
  }

  /// Gives the room back, used or not.
  func release(_ need: RoomNeed) {
    let waiters = state.withLock { state in
      state.reserved.bytes -= need.bytes
      state.reserved.inodes -= need.inodes
      state.holders -= 1
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  private func tryReserve(_ need: RoomNeed) throws(MirrorError) {
    let result = state.withLock { state in
      Result { () throws(MirrorError) in
        try need.check(in: folder, reserved: state.reserved)
        state.reserved = state.reserved + need
        state.holders += 1
      }
    }
    try result.get()
  }

  /// True at once when nobody holds anything.
  private func waitForRelease() async -> Bool {
    if state.withLock({ $0.holders == 0 }) { return true }
    await withCheckedContinuation { continuation in
      let isAlone = state.withLock { state in
        if state.holders > 0 { state.waiters.append(continuation) }
        return state.holders == 0
      }
      if isAlone { continuation.resume() }
    }
    return false
  }
}
