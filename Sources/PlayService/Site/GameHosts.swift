internal import DepotModel
internal import Platform
internal import Synchronization

/// Which game stands at `http://<label>.localhost/`. Any thread.
final class GameHosts: Sendable {
  /// What a label means.
  enum Meaning: Hashable, Sendable {
    case game(GameID)
    case nobody
    /// The list of games is to be read first.
    case unread
  }

  private struct List {
    var modifiedAt: Int64
    var readAt: Int64
    /// By their label; nil where several have it.
    var games: [String: GameID?]
  }

  /// Milliseconds a list counts for at least; a folder that changed within the same tick of its clock looks unchanged.
  private static let interval: Int64 = 1000

  private let games: InstalledGames
  private let list = Mutex<List?>(nil)

  init(_ games: InstalledGames) { self.games = games }

  /// Whom a label means, `now` in monotonic milliseconds.
  func meaning(of label: String, now: Int64) throws(SystemError) -> Meaning {
    guard let id = GameID(label), GameLabel.of(id) == label else { return .nobody }
    if try games.currentVersion(of: id) != nil { return .game(id) }
    let modifiedAt = try games.status.modifiedAtNanoseconds
    return list.withLock { list in
      guard let list, list.modifiedAt == modifiedAt || now - list.readAt < Self.interval else {
        return .unread
      }
      guard let game = list.games[label] ?? nil else { return .nobody }
      return .game(game)
    }
  }

  /// Reads which games there are. Blocks the thread.
  func refresh(now: Int64) throws(SystemError) {
    let modifiedAt = try games.status.modifiedAtNanoseconds
    var labels: [String: GameID?] = [:]
    for id in try games.ids() {
      guard let label = GameLabel.of(id) else { continue }
      labels[label] = .some(labels[label] == nil ? id : nil)
    }
    list.withLock { $0 = List(modifiedAt: modifiedAt, readAt: now, games: labels) }
  }
}
