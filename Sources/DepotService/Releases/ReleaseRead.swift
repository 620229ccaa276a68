internal import Catalogue
internal import DepotModel
internal import ReadAPI

extension Depot {
  /// Reads from the catalogue, in the words of an answer.
  func reading<Value>(
    _ read: (Catalogue) throws(CatalogueError) -> Value
  ) throws(Problem) -> Value {
    do throws(CatalogueError) { return try read(catalogue) } catch { throw Problem(error) }
  }

  /// What a channel of a game holds. Throws `unknown-game` or `unknown-channel`.
  func release(_ id: GameID, _ channel: ChannelName) throws(Problem) -> Release {
    if let release = try reading({ catalogue throws(CatalogueError) in
      try catalogue.release(id, channel: channel)
    }) {
      return release
    }
    throw try presence(id) == .present ? .unknownChannel(id, channel) : .unknownGame(id)
  }

  /// One version of a game that is still given. Throws `unknown-game`, `unknown-version` or `version-yanked`.
  func release(_ id: GameID, _ version: H5Version) throws(Problem) -> Release {
    let release = try anyRelease(id, version)
    guard release.state == .published else { throw Problem(CatalogueError.versionYanked(id, version)) }
    return release
  }

  /// One version of a game, yanked or not. Throws `unknown-game` or `unknown-version`.
  func anyRelease(_ id: GameID, _ version: H5Version) throws(Problem) -> Release {
    if let release = try reading({ catalogue throws(CatalogueError) in
      try catalogue.release(id, version: version)
    }) {
      return release
    }
    throw try presence(id) == .present ? .unknownVersion(id, version) : .unknownGame(id)
  }

  func presence(_ id: GameID) throws(Problem) -> GamePresence {
    try reading { catalogue throws(CatalogueError) in try catalogue.presence(of: id) }
  }
}

extension Game {
  /// A release as an answer tells it.
  init(_ release: Release, _ base: BaseURL) {
    self.init(
      gameId: release.gameID, title: release.title, h5Version: release.version,
      h5Down: base.package(of: release.gameID, release.version), h5Md5: release.md5, h5Sha256: release.sha256,
      h5Size: release.size, publishedAt: release.publishedAt, mandatory: release.mandatory,
      minHostVersion: release.minHostVersion, channel: release.channel, notes: release.notes)
  }
}
