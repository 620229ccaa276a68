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

  /// The version `current` points at; nil when the game is not installed. A link that points anywhere but into the
  /// game's own `versions` counts as none.
  func currentVersion(of id: GameID) throws(SystemError) -> H5Version? {
    guard try folder.status(of: id.text)?.kind == .directory,
      let target = try folder.symlinkTarget("\(id)/current"), target.hasPrefix("versions/")
    else { return nil }
    return H5Version(String(target.dropFirst("versions/".count)))
  }

  /// The folder of an installed version: everything opened through it stays beneath it.
  func files(of id: GameID, _ version: H5Version) throws(SystemError) -> Directory {
    try folder.directory("\(id)/versions/\(version)")
  }
}
