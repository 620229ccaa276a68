internal import DepotModel

/// How far a sync is, built from its events.
struct ProgressState: Sendable {
  /// A game that is being worked on.
  struct Active: Sendable {
    let id: GameID
    var version: H5Version
    var done: Int64
    var size: Int64
    var isInstalling: Bool
  }

  private(set) var games = 0
  private(set) var finished = 0
  private(set) var failed = 0
  private(set) var bytes: Int64 = 0
  /// In the order they began.
  private(set) var active: [Active] = []
  private var finishedBytes: Int64 = 0
  private var sizes: [GameID: Int64] = [:]

  /// Bytes of packages that are here.
  var done: Int64 { finishedBytes + active.reduce(0) { $0 + $1.done } }

  mutating func take(_ event: SyncEvent) {
    switch event {
    case .planned(let games, let bytes):
      self.games = games
      self.bytes = bytes
    case .fetching(let id, let version, let size):
      active.append(Active(id: id, version: version, done: 0, size: size, isInstalling: false))
    case .fetched(let id, let bytes):
      guard let index = active.firstIndex(where: { $0.id == id }) else { return }
      active[index].done = min(bytes, active[index].size)
    case .installing(let id, let version):
      if let index = active.firstIndex(where: { $0.id == id }) {
        active[index].isInstalling = true
        active[index].done = active[index].size
      } else {
        // From a package that was here already.
        active.append(Active(id: id, version: version, done: 0, size: 0, isInstalling: true))
      }
    case .finished(let outcome):
      finished += 1
      if case .failed = outcome.result { failed += 1 }
      guard let index = active.firstIndex(where: { $0.id.text == outcome.game }) else { return }
      finishedBytes += active[index].done
      active.remove(at: index)
    }
  }
}
