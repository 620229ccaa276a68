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

  /// Forgets a game, and remembers that its files are to go: from here on they will, in this run or a later one.
  func beginRemoval(_ id: GameID) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        try database.run("INSERT OR IGNORE INTO removals (game_id) VALUES (?)", .text(id.text))
        try database.run("DELETE FROM installed WHERE game_id = ?", .text(id.text))
        try database.run("DELETE FROM journal WHERE game_id = ?", .text(id.text))
        try database.run("UPDATE targets SET is_in_step = 0 WHERE game_id = ?", .text(id.text))
      }
    }
  }

  /// Games whose files are to go.
  func removals() throws(MirrorError) -> [GameID] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query("SELECT game_id FROM removals ORDER BY game_id") { (row) throws(SQLiteError) in
        try row.parsed(0) { GameID($0) }
      }
    }
  }

  /// Its files are gone.
  func endRemoval(_ id: GameID) throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run("DELETE FROM removals WHERE game_id = ?", .text(id.text))
    }
  }
}
