import Platform
import Synchronization

/// The real file system, until the nth step: there the thread that takes it stops, as if the process had been killed.
/// `release` lets it go on, into failures only.
final class KillVolume: Volume {
  private struct State {
    var steps = 0
    var isReached = false
    var waiter: CheckedContinuation<Bool, Never>?
    var isOver = false
  }

  private let state = Mutex(State())
  private let gate = Semaphore()
  private let fatal: Int
  /// Whether the nth step itself is still done.
  private let isAfter: Bool
  private let system: any Volume

  init(killingAt step: Int, after isAfter: Bool, on disk: any Volume = SystemVolume()) {
    system = disk
    fatal = step
    self.isAfter = isAfter
  }

  /// True when the step was reached, false when the work ended before.
  func waitForKill() async -> Bool {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Bool? in
        if state.isReached { return true }
        if state.isOver { return false }
        state.waiter = continuation
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// The work ended.
  func end() {
    let waiter = state.withLock { state in
      state.isOver = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: false)
  }

  func release() { gate.signal() }

  private func step(_ body: () throws(SystemError) -> Void) throws(SystemError) {
    enum Turn { case before, at, after }
    let turn = state.withLock { state -> Turn in
      state.steps += 1
      return state.steps < fatal ? .before : state.steps == fatal ? .at : .after
    }
    let killed = SystemError(errno: 4, operation: "killed")
    switch turn {
    case .before: try body()
    case .after: throw killed
    case .at:
      // One that fails, such as a clone where the file system cannot, is one that was done.
      if isAfter { try? body() }
      let waiter = state.withLock { state in
        state.isReached = true
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: true)
      gate.wait()
      throw killed
    }
  }

  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    try step { () throws(SystemError) in try system.write(bytes, to: file, at: offset) }
  }

  func synchronize(_ file: File) throws(SystemError) {
    try step { () throws(SystemError) in try system.synchronize(file) }
  }

  func synchronize(_ directory: Directory) throws(SystemError) {
    try step { () throws(SystemError) in try system.synchronize(directory) }
  }

  func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try step { () throws(SystemError) in try system.rename(name, in: source, to: newName, in: target) }
  }

  func exchange(
    _ name: String, in source: Directory, with other: String, in target: Directory
  ) throws(SystemError) {
    try step { () throws(SystemError) in try system.exchange(name, in: source, with: other, in: target) }
  }

  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    try step { () throws(SystemError) in try system.createSymlink(name, to: target, in: directory) }
  }

  func link(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try step { () throws(SystemError) in try system.link(name, in: source, to: newName, in: target) }
  }

  func clone(_ source: File, to target: File) throws(SystemError) {
    try step { () throws(SystemError) in try system.clone(source, to: target) }
  }

  func remove(_ name: String, in directory: Directory) throws(SystemError) {
    try step { () throws(SystemError) in try system.remove(name, in: directory) }
  }
}
