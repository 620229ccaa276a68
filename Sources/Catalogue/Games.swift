public import DepotModel
internal import SQLite

/// Whether a game is published here.
public enum GamePresence: Sendable, Hashable {
  /// It never was.
  case unknown
  /// It is.
  case present
  /// It was, and was removed.
  case removed
}

extension Catalogue {
  /// Whether a game is, or ever was, published here.
  public func presence(of id: GameID) throws(CatalogueError) -> GamePresence {
    try read { (session) throws(CatalogueError) in try session.presence(of: id) }
  }

  /// The games a channel shows, in byte order of their ids, from the one that follows `after`.
  ///
  /// `matching` keeps games whose id or title contains it, ASCII letters compared without case. `limit` is taken as
  /// one of 1…10,000.
  public func games(
    channel: ChannelName, after: String?, limit: Int, matching: String?
  ) throws(CatalogueError) -> ReleasePage {
    let limit = PageSize.clamped(limit)
    return try readSnapshot { (session) throws(CatalogueError) in
      let name = Value.text(channel.text)
      let after = Value.text(after ?? "")
      let count = Value.integer(Int64(limit) + 1)
      var releases: [Release]
      if let matching {
        let text = Value.text(matching)
        releases = try session.query(Release.matching, name, after, text, text, count) {
          (row) throws(SQLiteError) in try Release(throughChannel: row)
        }
      } else {
        releases = try session.query(Release.listed, name, after, count) {
          (row) throws(SQLiteError) in try Release(throughChannel: row)
        }
      }
      let next = releases.trimmed(to: limit).map(\.gameID.text)
      return ReleasePage(releases: releases, next: next, revision: try session.revision().newest)
    }
  }

  /// Removes a game with all its versions and channels, and remembers that it was here: `changes` reports it, its
  /// version numbers stay burnt, and its id stays taken for this spelling.
  ///
  /// Returns the digests of packages that no release needs any more. Throws `unknownGame`.
  @discardableResult
  public func removeGame(_ id: GameID, actor: Author?) throws(CatalogueError) -> [SHA256Digest] {
    let now = now
    return try write { (session) throws(CatalogueError) in
      guard try session.presence(of: id) == .present else { throw .unknownGame(id) }
      let revision = try session.nextRevision()
      return try session.remove(id, revision: revision, actor: actor, now: now)
    }
  }
}

extension Release {
  fileprivate static let listed =
    throughChannels + " WHERE c.name = ? AND c.game > ? ORDER BY c.game LIMIT ?"
  fileprivate static let matching =
    throughChannels + """
       WHERE c.name = ? AND c.game > ?
        AND (instr(lower(g.id), lower(?)) > 0 OR instr(lower(g.title), lower(?)) > 0)
      ORDER BY c.game LIMIT ?
      """
}

extension Session {
  func presence(of id: GameID) throws(CatalogueError) -> GamePresence {
    if try exists("SELECT 1 FROM games WHERE id = ?", .text(id.text)) { return .present }
    return try exists("SELECT 1 FROM tombstones WHERE game = ?", .text(id.text)) ? .removed : .unknown
  }

  /// Throws `idCaseConflict` when another spelling is published or was: a mirror on a file system that ignores case
  /// would mix the two up, even after the first is gone here.
  func refuseOtherSpelling(of id: GameID) throws(CatalogueError) {
    let existing = try first(
      """
      SELECT id FROM games WHERE folded = ? AND id <> ?
      UNION ALL SELECT game FROM tombstones WHERE folded = ? AND game <> ?
      """, .text(id.folded), .text(id.text), .text(id.folded), .text(id.text)
    ) { (row) throws(SQLiteError) in try row.parsed(0, GameID.init) }
    if let existing { throw .idCaseConflict(existing: existing) }
  }

  fileprivate func remove(
    _ id: GameID, revision: Int64, actor: Author?, now: Timestamp
  ) throws(CatalogueError) -> [SHA256Digest] {
    let game = Value.text(id.text)
    let digests = try query("SELECT DISTINCT sha256 FROM releases WHERE game = ?", game) {
      (row) throws(SQLiteError) in try row.parsedBlob(0, SHA256Digest.init(bytes:))
    }
    try run(
      """
      INSERT INTO departures (name, game, moved_at, revision)
      SELECT name, game, moved_at, ? FROM channels WHERE game = ?
      """, .integer(revision), game)
    // A version that came back has its first burning's row, with the same bytes.
    try run(
      """
      INSERT INTO burnt_versions (game, version, md5, sha256, yanked)
      SELECT game, version, md5, sha256, state = 'yanked' FROM releases WHERE game = ?
      ON CONFLICT (game, version) DO UPDATE SET yanked = max(yanked, excluded.yanked)
      """, game)
    try run(
      "INSERT INTO tombstones (game, folded, removed_at) VALUES (?, ?, ?)", game, .text(id.folded),
      .integer(now.seconds))
    // Releases, their files and the channels go with it.
    try run("DELETE FROM games WHERE id = ?", game)
    try log(AuditEntry(action: .removeGame, subject: id.text), actor: actor, at: now)
    var orphans: [SHA256Digest] = []
    for digest in digests
    where try !exists("SELECT 1 FROM releases WHERE sha256 = ?", .blob(digest.bytes)) {
      orphans.append(digest)
    }
    return orphans
  }
}
