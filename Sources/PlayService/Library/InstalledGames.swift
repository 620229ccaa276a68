internal import DepotModel
internal import Platform

/// The games of a mirror as they stand on disk: `games/<gameId>/current -> versions/<h5Version>`.
struct InstalledGames: Sendable {
  /// A game with the version its `current` points at.
  struct Game: Sendable {
    let id: GameID
    let version: H5Version
  }

  private let folder: Directory

  /// `folder` is the mirror's `games` folder.
  init(folder: Directory) { self.folder = folder }

  /// Every playable game, by id. Folders that are no game, or have none standing, are left out.
  func all() throws(SystemError) -> [Game] {
    var games: [Game] = []
    for name in try folder.names() {
      guard let id = GameID(name), let version = try currentVersion(of: id) else { continue }
      games.append(Game(id: id, version: version))
    }
    return games
  }

  /// The ids that folders stand for, whether or not anything is installed there.
  func ids() throws(SystemError) -> [GameID] { try folder.names().compactMap { GameID($0) } }

  /// Of the folder of all games: it changes when one comes or goes.
  var status: FileStatus {
    get throws(SystemError) { try folder.status }
  }

  /// The version `current` points at; nil when the game is not installed. A link that points anywhere but into the
  /// game's own `versions` counts as none.
  func currentVersion(of id: GameID) throws(SystemError) -> H5Version? {
    do throws(SystemError) {
      guard let target = try folder.symlinkTarget("\(id)/current"), target.hasPrefix("versions/") else {
        return nil
      }
      return H5Version(String(target.dropFirst("versions/".count)))
    } catch {
      // A file in the place of a game's folder, a symlink, or a name too long for any: nothing to play.
      guard error.isNoFolder else { throw error }
      return nil
    }
  }

  /// What stands in the place of a version; nil when it is not installed.
  func status(of id: GameID, _ version: H5Version) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try folder.status(of: "\(id)/versions/\(version)")
    } catch {
      guard error.isNoFolder else { throw error }
      return nil
    }
  }

  /// The folder of an installed version: everything opened through it stays beneath it.
  func files(of id: GameID, _ version: H5Version) throws(SystemError) -> Directory {
    try folder.directory("\(id)/versions/\(version)")
  }
}
