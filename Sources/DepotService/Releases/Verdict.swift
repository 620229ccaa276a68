internal import Catalogue
internal import DepotModel
internal import ReadAPI

/// What a check finds for one installed game.
struct Verdict: Sendable {
  let reason: CheckReason
  /// What the channel holds; nil for a game that is not here.
  let release: Release?

  /// Nil when the game is here but the channel does not have it.
  static func of(
    _ installed: InstalledGame, channel: ChannelName, in depot: Depot
  ) throws(Problem) -> Verdict? {
    let current = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.release(installed.id, channel: channel)
    }
    guard let current else {
      switch try depot.presence(installed.id) {
      case .unknown: return Verdict(reason: .unknownGame, release: nil)
      case .removed: return Verdict(reason: .gameRemoved, release: nil)
      case .present: return nil
      }
    }
    let reason = try CheckReason.of(installed, current: (current.version, current.md5)) {
      (version) throws(Problem) in
      let old = try depot.reading { catalogue throws(CatalogueError) in
        try catalogue.release(installed.id, version: version)
      }
      return old.map { $0.sequence > current.sequence } ?? false
    }
    return Verdict(reason: reason, release: current)
  }
}
