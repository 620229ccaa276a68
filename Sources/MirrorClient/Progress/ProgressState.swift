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
    var speed = SpeedMeter()

    /// Bytes a second; nil when it does not move or that cannot be told yet.
    func speed(at time: ContinuousClock.Instant) -> Int64? { isInstalling ? nil : speed.speed(at: time) }
  }

  private(set) var games = 0
  private(set) var finished = 0
  private(set) var failed = 0
  private(set) var bytes: Int64 = 0
  /// In the order they began.
  private(set) var active: [Active] = []
  private var finishedBytes: Int64 = 0
  private var speed = SpeedMeter()

  /// Bytes of packages that are here.
  var done: Int64 { finishedBytes + active.reduce(0) { $0 + $1.done } }

  /// Bytes a second of all games together; nil before that can be told.
  func speed(at time: ContinuousClock.Instant) -> Int64? { speed.speed(at: time) }

  mutating func take(_ event: SyncEvent, at time: ContinuousClock.Instant) {
    switch event {
    case .planned(let games, let bytes):
      self.games = games
      self.bytes = bytes
      speed.add(0, at: time)
    case .fetching(let id, let version, let size):
      active.append(Active(id: id, version: version, done: 0, size: size, isInstalling: false))
    case .fetched(let id, let bytes):
      guard let index = active.firstIndex(where: { $0.id == id }) else { return }
      let done = min(bytes, active[index].size)
      // What an earlier run left is there at once and says nothing about the speed.
      let isFirst = active[index].done == 0
      let fresh = isFirst ? 0 : max(0, done - active[index].done)
      active[index].done = done
      active[index].speed.add(fresh, at: time)
      speed.add(fresh, at: time)
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
