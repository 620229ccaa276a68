public import DepotModel
public import SQLite

/// Why the catalogue refused or could not answer.
public enum CatalogueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// SQLite, or the file below it.
  case storage(SQLiteError)
  /// The version is published with other bytes, whose MD5 this is.
  case versionExists(there: MD5Digest)
  /// The version number was used by other bytes before the game was removed, or was yanked.
  case versionBurnt(there: MD5Digest)
  /// A channel points at the version, so that it cannot be yanked.
  case versionInUse(GameID, H5Version, by: ChannelName)
  /// The version was yanked: its bytes are no longer given.
  case versionYanked(GameID, H5Version)
  /// Another id, published now or once, differs from this one by case only.
  case idCaseConflict(existing: GameID)
  /// No such game is published.
  case unknownGame(GameID)
  /// The game has no such version.
  case unknownVersion(GameID, H5Version)
  /// The game has no such channel.
  case unknownChannel(GameID, ChannelName)
  /// What changed since that revision is not known: it is older than is kept, or ahead of this catalogue.
  case revisionGone(oldest: Int64, newest: Int64)
  /// A cursor that no page of this listing ended with.
  case unreadableCursor(String)
  /// An active token has this name.
  case tokenNameTaken(String)
  /// The file holds what this program never writes.
  case corrupt(String)

  init(_ error: SQLiteError) {
    if case .unexpectedValue = error { self = .corrupt(error.description) } else { self = .storage(error) }
  }

  /// True when there is no room left for the catalogue's file.
  public var isDiskFull: Bool {
    guard case .storage(let error) = self else { return false }
    return error.isDiskFull
  }

  /// True when another program held the lock for longer than is waited.
  public var isBusy: Bool {
    guard case .storage(let error) = self else { return false }
    return error.isBusy
  }

  /// One line, with what to do where there is something.
  public var description: String {
    switch self {
    case .storage(let error): error.description
    case .versionExists(let there):
      "this version is already published with other bytes (MD5 \(there)); publish under a new version number"
    case .versionBurnt(let there):
      "this version number was used before (MD5 \(there)) and stays burnt; publish under a new version number"
    case .versionInUse(let game, let version, let channel):
      "\(channel) of \(game) points at \(version); point it at another version first"
    case .versionYanked(let game, let version): "\(game) \(version) was yanked"
    case .idCaseConflict(let existing):
      "the id differs only by case from \(existing), which is or was published here; use that spelling"
    case .unknownGame(let game): "no game \(game) is published"
    case .unknownVersion(let game, let version): "\(game) has no version \(version)"
    case .unknownChannel(let game, let channel): "\(game) has no channel \(channel)"
    case .revisionGone(let oldest, let newest):
      "changes are known since revisions \(oldest) to \(newest) only; list everything once more"
    case .unreadableCursor(let cursor): "\(cursor.debugDescription) is no cursor of this listing"
    case .tokenNameTaken(let name): "an active token is named \(name); revoke it first or choose another name"
    case .corrupt(let what): what
    }
  }
}
