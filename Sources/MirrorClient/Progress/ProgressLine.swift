internal import DepotModel

/// The events of a sync as lines for people, where there is no terminal to draw on or where each step is to stay.
enum ProgressLine {
  /// Nil for what is not worth a line of its own.
  static func text(_ event: SyncEvent) -> String? {
    switch event {
    case .planned(let games, let bytes): "\(games) games to look at, \(ByteText.short(bytes)) at most"
    case .fetching(let id, let version, let size): "\(id) \(version): fetching \(ByteText.short(size))"
    case .fetched: nil
    case .installing(let id, let version): "\(id) \(version): unpacking"
    case .finished(let outcome): text(outcome)
    }
  }

  /// How far all of it is.
  static func total(_ state: ProgressState) -> String {
    var parts = [
      "\(state.finished) of \(state.games) games",
      "\(ByteText.short(state.done)) of \(ByteText.short(state.bytes))",
    ]
    if let speed = state.speed {
      parts.append("\(ByteText.short(speed))/s")
      if let left = TimeText.left(max(0, state.bytes - state.done), speed: speed) {
        parts.append("\(left) left")
      }
    }
    return parts.joined(separator: ", ")
  }

  private static func text(_ outcome: GameOutcome) -> String {
    switch outcome.result {
    case .installed(let version):
      "\(outcome.game) \(version): installed, \(ByteText.short(outcome.bytesFetched)) fetched"
    case .updated(let version, let previous):
      "\(outcome.game) \(version): updated from \(previous), \(ByteText.short(outcome.bytesFetched)) fetched"
    case .unchanged(let version): "\(outcome.game) \(version): as it was"
    case .removed: "\(outcome.game): removed, the server no longer has it"
    case .failed(let error): "\(outcome.game): failed: \(error)"
    }
  }
}
