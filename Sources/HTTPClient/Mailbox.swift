internal import Synchronization

/// What other threads ask of the engine's thread.
final class Mailbox: Sendable {
  /// Everything that came since the last look.
  struct Batch {
    var orders: [TransferOrder] = []
    var cancelled: [(id: UInt64, reason: TransferError)] = []
    var unpaused: [UInt64] = []
    var isStopped = false
    var isShutDown = false
  }

  private struct State {
    var batch = Batch()
    var lastID: UInt64 = 0
    var connectionsMade = 0
    var isWakePending = false
    var multi: MultiHandle?
  }

  private let state: Mutex<State>

  init(_ multi: MultiHandle) { state = Mutex(State(multi: multi)) }

  func nextID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// False when the engine takes nothing any more.
  func post(_ order: TransferOrder) -> Bool {
    state.withLock { state in
      guard !state.batch.isStopped, state.multi != nil else { return false }
      state.batch.orders.append(order)
      Self.wake(&state)
      return true
    }
  }

  func cancel(_ id: UInt64, _ reason: TransferError) {
    state.withLock { state in
      state.batch.cancelled.append((id, reason))
      Self.wake(&state)
    }
  }

  func unpause(_ id: UInt64) {
    state.withLock { state in
      state.batch.unpaused.append(id)
      Self.wake(&state)
    }
  }

  func stop(shutDown: Bool) {
    state.withLock { state in
      state.batch.isStopped = true
      if shutDown { state.batch.isShutDown = true }
      Self.wake(&state)
    }
  }

  /// Everything since the last call; the two flags stay.
  func take() -> Batch {
    state.withLock { state in
      state.isWakePending = false
      let batch = state.batch
      state.batch = Batch(isStopped: batch.isStopped, isShutDown: batch.isShutDown)
      return batch
    }
  }

  /// The engine's thread ends: nobody may wake the handle any more.
  func close() { state.withLock { $0.multi = nil } }

  func count(connections: Int) { state.withLock { $0.connectionsMade += connections } }

  var connectionsMade: Int { state.withLock { $0.connectionsMade } }

  private static func wake(_ state: inout State) {
    guard !state.isWakePending else { return }
    state.isWakePending = true
    state.multi?.wakeUp()
  }
}
