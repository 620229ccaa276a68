/// How long a run may take: when that is over no more games are begun, and downloads stop where they are.
final class TimeLimit: Sendable {
  private let over = StopFlag()
  private let timer: Task<Void, Never>?

  /// Begins now. `sleep` waits, and throws when its task is cancelled.
  init(_ duration: Duration?, sleep: @escaping @Sendable (Duration) async throws -> Void) {
    guard let duration else {
      timer = nil
      return
    }
    if duration <= .zero { over.set() }
    timer = Task { [over] in
      // A cancelled wait is a run that ended in time.
      guard (try? await sleep(duration)) != nil else { return }
      over.set()
    }
  }

  deinit { timer?.cancel() }

  /// Whether there is one.
  var isLimited: Bool { timer != nil }

  var isOver: Bool { over.isSet }

  /// Until it is over, or ended.
  func wait() async { await timer?.value }

  /// The run has come to its end.
  func end() { timer?.cancel() }
}
