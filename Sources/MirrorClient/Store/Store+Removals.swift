internal import DepotModel
internal import SQLite

extension Store {
  /// Installed games that the server does not have, in the order of their names.
  func gamesWithoutTarget() throws(MirrorError) -> [GameID] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        """
        SELECT DISTINCT game_id FROM installed
        WHERE NOT EXISTS (SELECT 1 FROM targets WHERE targets.game_id = installed.game_id) ORDER BY game_id
        """
      ) { (row) throws(SQLiteError) in try row.parsed(0) { GameID($0) } }
    }
  }

  /// Games that have a version in use.
  func installedCount() throws(MirrorError) -> Int {
    try count("SELECT count(*) FROM installed WHERE is_current = 1")
  }

  /// Games the server has.
  func targetCount() throws(MirrorError) -> Int { try count("SELECT count(*) FROM targets") }

  /// Games that are in step with the server.
  func inStepCount() throws(MirrorError) -> Int {
    try count("SELECT count(*) FROM targets WHERE is_in_step = 1")
  }

  private func count(_ sql: String) throws(MirrorError) -> Int {
    try withDatabase { (database) throws(SQLiteError) in
      Int(try database.first(sql) { (row) throws(SQLiteError) in try row.int(0) } ?? 0)
    }
  }

  /// Keeps why the catalogue is not to be believed, until every game that is missing there is back or deleted.
  func noteDoubt(_ doubt: String?) throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run("UPDATE mirror SET doubt = ? WHERE id = 1", Value(doubt))
    }
  }

  /// Forgets a game, and keeps in mind that its files are to go. What the server offers of it stays known, as something
  /// that is not here. False when there was no record of it.
  func beginRemoval(of id: GameID) throws(MirrorError) -> Bool {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        let versions = try database.run("DELETE FROM installed WHERE game_id = ?", .text(id.text))
        let installs = try database.run("DELETE FROM journal WHERE game_id = ?", .text(id.text))
        for table in ["installed_files", "holds", "bad_versions"] {
          try database.run("DELETE FROM \(table) WHERE game_id = ?", .text(id.text))
        }
        try database.run(
          "UPDATE targets SET is_in_step = 0, error = NULL WHERE game_id = ?", .text(id.text))
        try database.run("INSERT OR REPLACE INTO removals (game_id) VALUES (?)", .text(id.text))
        return versions + installs > 0
      }
    }
  }

  /// Games whose removal has begun.
  func removals() throws(MirrorError) -> [GameID] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query("SELECT game_id FROM removals ORDER BY game_id") { (row) throws(SQLiteError) in
        try row.parsed(0) { GameID($0) }
      }
    }
  }

  /// Nothing is left of the game's files.
  func endRemoval(of id: GameID) throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run("DELETE FROM removals WHERE game_id = ?", .text(id.text))
    }
  }

  /// The packages that a game is known by: of the version the server offers, and of those that stand.
  func digests(of id: GameID) throws(MirrorError) -> [SHA256Digest] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        """
        SELECT sha256 FROM targets WHERE game_id = ?1 UNION SELECT sha256 FROM installed WHERE game_id = ?1
        UNION SELECT sha256 FROM journal WHERE game_id = ?1
        """, .text(id.text)
      ) { (row) throws(SQLiteError) in try row.parsed(0) { SHA256Digest(hex: $0) } }
    }
  }

  /// The digests whose partial downloads games other than `id` may still need, in hex.
  func wantedDigests(besides id: GameID) throws(MirrorError) -> Set<String> {
    let digests = try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        """
        SELECT sha256 FROM targets WHERE is_in_step = 0 AND game_id <> ?1
        UNION SELECT sha256 FROM journal WHERE game_id <> ?1
        """, .text(id.text)
      ) { (row) throws(SQLiteError) in try row.text(0) }
    }
    return Set(digests)
  }
}
