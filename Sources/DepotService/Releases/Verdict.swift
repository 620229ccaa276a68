internal import Catalogue
internal import DepotModel

/// What a check finds for one installed game. The latest version is what the channel points at, never what sorts
/// highest: after a rollback clients follow it back.
struct Verdict: Sendable {
  let reason: Reason
  /// What the channel holds; nil for a game that is not here.
  let release: Release?

  /// The contract's codes.
  enum Reason: String, Sendable, Encodable {
    case newVersion = "new_version"
    /// The channel points at a version that was published before the installed one.
    case rolledBack = "rolled_back"
    case checksumDiffers = "checksum_differs"
    case upToDate = "up_to_date"
    case unknownGame = "unknown_game"
    case gameRemoved = "game_removed"

    /// Whether the client has something to fetch.
    var isUpdate: Bool {
      switch self {
      case .newVersion, .rolledBack, .checksumDiffers: true
      case .upToDate, .unknownGame, .gameRemoved: false
      }
    }
  }

  /// What a client has; nothing installed needs whatever there is.
  struct Installed: Sendable {
    let id: GameID
    let version: H5Version?
    let md5: MD5Digest?
  }

  /// Nil when the game is here but the channel does not have it.
  static func of(_ installed: Installed, channel: ChannelName, in depot: Depot) throws(Problem) -> Verdict? {
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
    guard let version = installed.version else { return Verdict(reason: .newVersion, release: current) }
    if version == current.version {
      let differs = installed.md5.map { $0 != current.md5 } ?? false
      return Verdict(reason: differs ? .checksumDiffers : .upToDate, release: current)
    }
    let old = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.release(installed.id, version: version)
    }
    let isNewer = old.map { $0.sequence > current.sequence } ?? false
    return Verdict(reason: isNewer ? .rolledBack : .newVersion, release: current)
  }
}
