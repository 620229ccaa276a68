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
    var meter = SpeedMeter()

    /// Bytes a second; nil when it does not move or that cannot be told yet.
    var speed: Int64? { isInstalling || meter.bytesPerSecond == 0 ? nil : meter.bytesPerSecond }
  }

  private(set) var games = 0
  private(set) var finished = 0
  private(set) var failed = 0
  private(set) var bytes: Int64 = 0
  /// In the order they began.
  private(set) var active: [Active] = []
  private var finishedBytes: Int64 = 0
  /// Bytes that came since the beginning: those of earlier runs say nothing about the speed.
  private var came: Int64 = 0
  private var meter = SpeedMeter()

  /// Bytes of packages that are here.
  var done: Int64 { finishedBytes + active.reduce(0) { $0 + $1.done } }

  /// Bytes a second of all games together; nil when nothing moves or that cannot be told yet.
  var speed: Int64? { meter.bytesPerSecond == 0 ? nil : meter.bytesPerSecond }

  /// `now`: milliseconds of a clock that never jumps.
  mutating func take(_ event: SyncEvent, at now: Int64) {
    switch event {
    case .planned(let games, let bytes):
      self.games = games
      self.bytes = bytes
      meter.note(came, at: now)
    case .fetching(let id, let version, let size):
      active.append(Active(id: id, version: version, done: 0, size: size, isInstalling: false))
    case .fetched(let id, let bytes):
      guard let index = active.firstIndex(where: { $0.id == id }) else { return }
      let done = min(bytes, active[index].size)
      // The first is what an earlier run left.
      if active[index].done > 0 { came += max(0, done - active[index].done) }
      active[index].done = done
      active[index].meter.note(done, at: now)
      meter.note(came, at: now)
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
