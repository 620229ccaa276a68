internal import Platform
internal import Synchronization

/// A running MD5 that works on a thread of its own: at 600 MB/s it is the slowest step of a download, and beside SHA-256
/// on another thread it costs nothing more. At most two pieces lie here; `update` waits for room.
///
/// Used by one thread at a time.
final class MD5Lane: Sendable {
  private struct State: ~Copyable {
    var hash: Hash? = Hash(.md5)
    var pending: [[UInt8]] = []
    var isRunning = false
  }

  private static let depth = 2
  /// Smaller pieces are not worth waking a thread for.
  private static let worthwhile = 64 << 10

  private let state = Mutex(State())
  private let room = Semaphore()
  private let workers: WorkerThreads

  init(_ workers: WorkerThreads) {
    self.workers = workers
    for _ in 0..<Self.depth { room.signal() }
  }

  func update(_ bytes: [UInt8]) {
    if bytes.count < Self.worthwhile, updateAtOnce(bytes) { return }
    room.wait()
    let isIdle = state.withLock { state in
      state.pending.append(bytes)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isIdle { workers.submit { self.run() } }
  }

  /// The digest of everything; once.
  func finish() -> [UInt8] {
    for _ in 0..<Self.depth { room.wait() }
    guard let hash = state.withLock({ $0.hash.take() }) else { return [] }
    return hash.finish()
  }

  private func updateAtOnce(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard !state.isRunning, var hash = state.hash.take() else { return false }
      hash.update(bytes)
      state.hash = consume hash
      return true
    }
  }

  private func run() {
    while let bytes = next() {
      guard var hash = state.withLock({ $0.hash.take() }) else { return }
      hash.update(bytes)
      put(back: hash)
      room.signal()
    }
  }

  private func next() -> [UInt8]? {
    state.withLock { state in
      guard !state.pending.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.pending.removeFirst()
    }
  }

  private func put(back hash: consuming Hash) {
    var hash: Hash? = hash
    state.withLock { $0.hash = hash.take() }
  }
}
