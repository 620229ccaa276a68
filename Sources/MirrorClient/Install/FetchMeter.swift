internal import Synchronization

/// What came of one game's fetches, from several threads: bytes, and what is worth telling of them.
final class FetchMeter: Sendable {
  private let state = Mutex<(bytes: Int64, notes: [String])>((0, []))

  var bytes: Int64 { state.withLock { $0.bytes } }
  var notes: [String] { state.withLock { $0.notes } }

  func add(_ bytes: Int64) { state.withLock { $0.bytes += bytes } }
  func note(_ notes: [String]) { state.withLock { $0.notes += notes } }
}
