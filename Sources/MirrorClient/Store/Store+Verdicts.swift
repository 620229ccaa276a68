internal import DepotModel
internal import SQLite

/// What people and health checks decided about games: holds and bad versions.
extension Store {
  /// Games that were rolled back by hand.
  func holds() throws(MirrorError) -> [Hold] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        "SELECT game_id, version, offered_sha256, offered_at FROM holds ORDER BY game_id", as: Self.hold)
    }
  }

  private static func hold(_ row: borrowing Row) throws(SQLiteError) -> Hold {
    Hold(
      id: try row.parsed(0) { GameID($0) }, version: try row.parsed(1) { H5Version($0) },
      offered: row.isNull(2) ? nil : try row.parsed(2) { SHA256Digest(hex: $0) },
      offeredAt: try row.parsed(3) { Timestamp($0) })
  }

  /// Records that a version that stands is the current one and that syncs are to leave it so: in one step, since a game that
  /// was rolled back without a hold would be brought forward by the next sync.
  func activate(_ version: InstalledVersion, heldSince time: Timestamp) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        try Self.activate(database, version)
        try database.run(
          """
          INSERT OR REPLACE INTO holds (game_id, version, offered_sha256, offered_at)
          VALUES (?1, ?2, (SELECT sha256 FROM targets WHERE game_id = ?1),
            coalesce((SELECT published_at FROM targets WHERE game_id = ?1), ?3))
          """, .text(version.id.text), .text(version.version.text), .text(time.description))
        try database.run("UPDATE targets SET is_in_step = 1 WHERE game_id = ?", .text(version.id.text))
      }
    }
  }

  /// Ends the hold on a game and forgets which of its versions were bad: the next sync looks at it again. False when there
  /// was neither.
  func release(_ id: GameID) throws(MirrorError) -> Bool {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        let holds = try database.run("DELETE FROM holds WHERE game_id = ?", .text(id.text))
        let marks = try database.run("DELETE FROM bad_versions WHERE game_id = ?", .text(id.text))
        try database.run(
          "UPDATE targets SET is_in_step = 0, error = NULL WHERE game_id = ?", .text(id.text))
        return holds + marks > 0
      }
    }
  }

  /// Versions that are not tried again before their time.
  func badVersions() throws(MirrorError) -> [BadVersion] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        "SELECT game_id, version, sha256, until, reason FROM bad_versions ORDER BY game_id, until"
      ) { (row) throws(SQLiteError) in
        BadVersion(
          id: try row.parsed(0) { GameID($0) }, version: try row.parsed(1) { H5Version($0) },
          sha256: try row.parsed(2) { SHA256Digest(hex: $0) }, until: try row.parsed(3) { Timestamp($0) },
          reason: try row.text(4))
      }
    }
  }

  /// Marks what an install brought as bad, and the install as one to be undone.
  func condemn(
    _ entry: JournalEntry, until: Timestamp, now: Timestamp, reason: String
  ) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        // RFC 3339 in UTC sorts as it is written.
        try database.run("DELETE FROM bad_versions WHERE until <= ?", .text(now.description))
        try database.run(
          """
          INSERT OR REPLACE INTO bad_versions (game_id, version, sha256, until, reason)
          VALUES (?, ?, ?, ?, ?)
          """, .text(entry.id.text), .text(entry.version.text), .text(entry.sha256.hex),
          .text(until.description), .text(reason))
        try database.run("UPDATE journal SET is_undone = 1 WHERE game_id = ?", .text(entry.id.text))
      }
    }
  }
}
