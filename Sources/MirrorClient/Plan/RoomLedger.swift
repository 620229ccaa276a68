internal import Platform
internal import Synchronization

/// Sees to it that games under way at the same time do not count on the same free room.
final class RoomLedger: Sendable {
  private struct State {
    var reserved: [RoomNeed]
    var holders = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let devices: DiskDevices
  private let state: Mutex<State>

  init(_ devices: DiskDevices) {
    self.devices = devices
    state = Mutex(State(reserved: [RoomNeed](repeating: .none, count: devices.devices.count)))
  }

  /// Sets room aside for one game. When others hold what is missing, waits until they are done: part of what they
  /// reserved they have written by now, and it is not to be counted twice. Throws when the room is not there for this
  /// game alone.
  func reserve(_ need: DiskNeed) async throws(MirrorError) {
    let parts = devices.split(need)
    while true {
      do throws(MirrorError) {
        try tryReserve(parts)
        return
      } catch {
        let isAlone = await waitForRelease()
        if isAlone {
          for (device, part) in zip(devices.devices, parts) {
            try part.check(in: device.folder, reserved: .none)
          }
          try tryReserve(parts)
          return
        }
      }
    }
  }

  /// Gives the room back, used or not.
  func release(_ need: DiskNeed) {
    let parts = devices.split(need)
    let waiters = state.withLock { state in
      for (index, part) in parts.enumerated() {
        state.reserved[index].bytes -= part.bytes
        state.reserved[index].inodes -= part.inodes
      }
      state.holders -= 1
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  private func tryReserve(_ parts: [RoomNeed]) throws(MirrorError) {
    let result = state.withLock { state in
      Result { () throws(MirrorError) in
        for (index, part) in parts.enumerated() {
          try part.check(in: devices.devices[index].folder, reserved: state.reserved[index])
        }
        for (index, part) in parts.enumerated() { state.reserved[index] = state.reserved[index] + part }
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
