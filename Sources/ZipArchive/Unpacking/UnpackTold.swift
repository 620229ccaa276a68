internal import Synchronization

/// Tells of an unpacking as it goes on, one event after the other, from whatever thread.
final class UnpackTold: Sendable {
  private struct State {
    var progress = UnpackProgress(bytes: 0, entries: 0)
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let observe: (@Sendable (UnpackEvent) -> UnpackDecision)?

  init(_ observe: (@Sendable (UnpackEvent) -> UnpackDecision)?) { self.observe = observe }

  /// Throws `cancelled` when whoever is told says so, or has said so before.
  func tell(_ event: UnpackEvent) throws(ZipError) {
    try tell { _ in event }
  }

  /// Bytes were written.
  func wrote(_ count: Int) throws(ZipError) {
    try tell { state in
      state.progress.bytes += Int64(count)
      return .progress(state.progress)
    }
  }

  /// A file is done.
  func ended(_ entry: PackageEntry, _ index: Int) throws(ZipError) {
    try tell { state in
      state.progress.entries += 1
      return .endsFile(entry, index: index)
    }
  }

  /// All of it is.
  func end() throws(ZipError) {
    try tell { .ends($0.progress) }
  }

  // The lock is held while the observer runs: that is what makes the events come one after the other.
  private func tell(_ event: (inout State) -> UnpackEvent) throws(ZipError) {
    let isCancelled = state.withLock { state in
      guard !state.isCancelled else { return true }
      let event = event(&state)
      if let observe, observe(event) == .cancel { state.isCancelled = true }
      return state.isCancelled
    }
    if isCancelled { throw .cancelled }
  }
}
