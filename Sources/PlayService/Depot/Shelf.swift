internal import ReadAPI
internal import Synchronization

/// Values that take long to make: each is made once however many ask for it at the same time, and kept until others that
/// were used since need its room. Any thread; who waits for a value holds no thread.
final class Shelf<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Kept {
    let value: Value
    let weight: Int
    var usedAt: UInt64
  }
  private struct State {
    var kept: [Key: Kept] = [:]
    var weight = 0
    var clock: UInt64 = 0
    /// Those who wait for a value that somebody makes.
    var making: [Key: [CheckedContinuation<Result<Value, Problem>, Never>]] = [:]

    mutating func use(_ key: Key) -> Value? {
      clock += 1
      guard let found = kept[key] else { return nil }
      kept[key]?.usedAt = clock
      return found.value
    }

    mutating func keep(_ value: Value, weight: Int, for key: Key, room: Int) {
      guard weight <= room else { return }
      clock += 1
      kept[key] = Kept(value: value, weight: weight, usedAt: clock)
      self.weight += weight
      while self.weight > room, let oldest = kept.min(by: { $0.value.usedAt < $1.value.usedAt }) {
        self.weight -= oldest.value.weight
        kept[oldest.key] = nil
      }
    }
  }
  private enum Found {
    case value(Value)
    case awaited
    case absent
  }

  private let room: Int
  private let state = Mutex(State())

  /// `room` is in bytes; a value that alone takes more is made anew each time.
  init(room: Int) { self.room = room }

  /// The value of a key, made by `make` where it is not here. Throws what `make` throws, to all who wait; the next one tries
  /// again.
  func value(
    for key: Key, weight: (Value) -> Int, make: () async throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    switch look(for: key) {
    case .value(let value): return value
    case .awaited:
      let result = await withCheckedContinuation { waiting in
        if let value = enlist(waiting, for: key) { waiting.resume(returning: value) }
      }
      return try result.get()
    case .absent: break
    }
    let result: Result<Value, Problem>
    do throws(Problem) { result = .success(try await make()) } catch { result = .failure(error) }
    let waiting = state.withLock { state -> [CheckedContinuation<Result<Value, Problem>, Never>] in
      if case .success(let value) = result { state.keep(value, weight: weight(value), for: key, room: room) }
      return state.making.removeValue(forKey: key) ?? []
    }
    for one in waiting { one.resume(returning: result) }
    return try result.get()
  }

  private func look(for key: Key) -> Found {
    state.withLock { state in
      if let value = state.use(key) { return .value(value) }
      if state.making[key] != nil { return .awaited }
      state.making[key] = []
      return .absent
    }
  }

  /// Waits for a value that is made; gives it when it was made meanwhile. One that could not be made, or is not kept, is for
  /// the client to ask for again.
  private func enlist(
    _ waiting: CheckedContinuation<Result<Value, Problem>, Never>, for key: Key
  ) -> Result<Value, Problem>? {
    state.withLock { state -> Result<Value, Problem>? in
      if state.making[key] != nil {
        state.making[key]?.append(waiting)
        return nil
      }
      guard let value = state.use(key) else {
        return .failure(.tryAgain("What was asked for was made a moment ago and is gone again; ask again."))
      }
      return .success(value)
    }
  }
}
