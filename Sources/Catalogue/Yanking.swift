public import DepotModel
internal import SQLite

extension Catalogue {
  /// Takes a version back for good: it is listed as yanked, no channel may point at it, and nothing is ever published
  /// under its number again. Yanking it again changes nothing.
  ///
  /// Throws `unknownGame`, `unknownVersion`, or `versionInUse` while a channel points at it.
  @discardableResult
  public func yank(_ id: GameID, _ version: H5Version, actor: Author?) throws(CatalogueError) -> Release {
    let now = now
    return try write { (session) throws(CatalogueError) in
      guard try session.presence(of: id) == .present else { throw .unknownGame(id) }
      guard var release = try session.release(id, version: version) else {
        throw .unknownVersion(id, version)
      }
      guard release.state == .published else { return release }
      let channel = try session.first(
        "SELECT name FROM channels WHERE release = ? ORDER BY name", .integer(release.sequence)
      ) { (row) throws(SQLiteError) in try row.parsed(0, ChannelName.init) }
      if let channel { throw .versionInUse(id, version, by: channel) }
      _ = try session.nextRevision()
      try session.run("UPDATE releases SET state = 'yanked' WHERE sequence = ?", .integer(release.sequence))
      try session.log(AuditEntry(action: .yank, subject: id.text, version: version), actor: actor, at: now)
      release.state = .yanked
      return release
    }
  }
}
