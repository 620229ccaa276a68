public import DepotModel
internal import SQLite

/// One channel of a game: what it points at and how it says so.
public struct ChannelState: Sendable, Hashable {
  /// The channel.
  public var name: ChannelName
  /// The version it points at.
  public var version: H5Version
  /// Whether clients must update.
  public var mandatory: Bool
  /// The oldest host that is offered the update.
  public var minHostVersion: String?
  /// Percent of devices that are offered the update.
  public var rollout: Int
  /// When it came to point at `version`.
  public var movedAt: Timestamp
}

/// Where a channel is to point, and its settings.
struct ChannelTarget {
  let game: GameID
  let channel: ChannelName
  let release: Int64
  let mandatory: Bool
  let minHostVersion: String?
}

extension Catalogue {
  /// A game's channels by name; empty for an unknown game.
  public func channels(_ id: GameID) throws(CatalogueError) -> [ChannelState] {
    try read { (session) throws(CatalogueError) in
      try session.query(
        """
        SELECT c.name, r.version, c.mandatory, c.min_host_version, c.rollout, c.moved_at
        FROM channels c JOIN releases r ON r.sequence = c.release WHERE c.game = ? ORDER BY c.name
        """, .text(id.text)
      ) { (row) throws(SQLiteError) in
        ChannelState(
          name: try row.parsed(0, ChannelName.init), version: try row.parsed(1, H5Version.init),
          mandatory: try row.bool(2), minHostVersion: try row.optionalText(3),
          rollout: Int(try row.int(4)), movedAt: Timestamp(seconds: try row.int(5)))
      }
    }
  }

  /// Points a channel at a version, forward or back, and sets its settings; a new name makes a new channel.
  ///
  /// `movedAt` changes only with the version, and nothing at all when everything is as asked already. Throws
  /// `unknownGame`, `unknownVersion`, or `versionBurnt` for a yanked version.
  @discardableResult
  public func setChannel(
    _ id: GameID, _ name: ChannelName, to version: H5Version, mandatory: Bool, minHostVersion: String?,
    actor: Author?
  ) throws(CatalogueError) -> Release {
    let now = now
    return try write { (session) throws(CatalogueError) in
      guard try session.presence(of: id) == .present else { throw .unknownGame(id) }
      guard let release = try session.release(id, version: version) else {
        throw .unknownVersion(id, version)
      }
      guard release.state == .published else { throw .versionBurnt(there: release.md5) }
      let current = try session.release(id, channel: name)
      if let current, current.version == version, current.mandatory == mandatory,
        current.minHostVersion == minHostVersion
      {
        return current
      }
      let target = ChannelTarget(
        game: id, channel: name, release: release.sequence, mandatory: mandatory,
        minHostVersion: minHostVersion)
      try session.move(target, revision: try session.nextRevision(), now: now)
      try session.log(
        AuditEntry(
          action: .setChannel, subject: id.text, version: version, channel: name,
          detail: current.map { "from \($0.version)" }), actor: actor, at: now)
      guard let moved = try session.release(id, channel: name) else { throw .unknownChannel(id, name) }
      return moved
    }
  }
}

extension Session {
  /// Makes the channel point at the target. Its time grows by at least a second with every move, whatever the clock
  /// does: caches compare it (`Last-Modified`), and a rollback must not look older.
  func move(_ target: ChannelTarget, revision: Int64, now: Timestamp) throws(CatalogueError) {
    let name = Value.text(target.channel.text)
    let game = Value.text(target.game.text)
    let previous = try first(
      "SELECT release, moved_at FROM channels WHERE name = ? AND game = ?", name, game
    ) { (row) throws(SQLiteError) in (release: try row.int(0), movedAt: try row.int(1)) }
    let departed = try first(
      "SELECT moved_at FROM departures WHERE name = ? AND game = ?", name, game
    ) { (row) throws(SQLiteError) in try row.int(0) }
    var movedAt = now.seconds
    if let previous, previous.release == target.release {
      movedAt = previous.movedAt
    } else if let last = previous?.movedAt ?? departed {
      movedAt = max(movedAt, last + 1)
    }
    try run("DELETE FROM departures WHERE name = ? AND game = ?", name, game)
    try run(
      """
      INSERT INTO channels (name, game, release, mandatory, min_host_version, moved_at, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (name, game) DO UPDATE SET release = excluded.release, mandatory = excluded.mandatory,
        min_host_version = excluded.min_host_version, rollout = 100, moved_at = excluded.moved_at,
        revision = excluded.revision
      """,
      name, game, .integer(target.release), Value(target.mandatory), Value(target.minHostVersion),
      .integer(movedAt), .integer(revision))
  }
}
