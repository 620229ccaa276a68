internal import DepotModel
internal import SQLite

extension Store {
  private static let columns = """
    SELECT game_id, title, version, sha256, md5, size, unpacked_size, is_unpacked, is_current, installed_at,
      has_package, shared_files, shared_bytes, (SELECT needs_isolation FROM installed_files AS f
        WHERE f.game_id = installed.game_id AND f.version = installed.version AND f.sha256 = installed.sha256)
    FROM installed
    """

  private static func read(_ row: borrowing Row) throws(SQLiteError) -> InstalledVersion {
    InstalledVersion(
      id: try row.parsed(0) { GameID($0) }, title: try row.text(1),
      version: try row.parsed(2) { H5Version($0) },
      sha256: try row.parsed(3) { SHA256Digest(hex: $0) }, md5: try row.parsed(4) { MD5Digest(hex: $0) },
      size: try row.int(5), unpackedSize: try row.int(6), isUnpacked: try row.bool(7),
      hasPackage: try row.bool(10), sharedFiles: Int(try row.int(11)), sharedBytes: try row.int(12),
      needsIsolation: row.isNull(13) ? nil : try row.bool(13),
      isCurrent: try row.bool(8),
      installedAt: try row.parsed(9) { Timestamp($0) })
  }

  /// The versions of a game that stand on disk, the one used last first.
  func versions(of id: GameID) throws(MirrorError) -> [InstalledVersion] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        "\(Self.columns) WHERE game_id = ? ORDER BY activation DESC", .text(id.text), as: Self.read)
    }
  }

  /// Every version of every game, by game, the one used last first.
  func allVersions() throws(MirrorError) -> [InstalledVersion] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query("\(Self.columns) ORDER BY game_id, activation DESC", as: Self.read)
    }
  }

  /// Versions in use of at most `limit` games that follow each other by name, from a place that chance chooses.
  func someInUse(atMost limit: Int) throws(MirrorError) -> [InstalledVersion] {
    try withDatabase { (database) throws(SQLiteError) in
      let count = try database.first("SELECT count(*) FROM installed WHERE is_current = 1") {
        (row) throws(SQLiteError) in try row.int(0)
      }
      let start = Int64.random(in: 0...max(0, (count ?? 0) - Int64(limit)))
      return try database.query(
        "\(Self.columns) WHERE is_current = 1 ORDER BY game_id LIMIT ? OFFSET ?", .integer(Int64(limit)),
        .integer(start), as: Self.read)
    }
  }

  /// Records that a version stands and is the current one, and ends its journal entry: the last step of an install, and the
  /// end of a hold and of what was held against the version.
  func record(_ entry: JournalEntry, at time: Timestamp) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        try database.run("UPDATE installed SET is_current = 0 WHERE game_id = ?", .text(entry.id.text))
        try database.run(
          """
          INSERT OR REPLACE INTO installed (game_id, version, title, sha256, md5, size, unpacked_size, is_unpacked,
            has_package, shared_files, shared_bytes, is_current, installed_at, activation)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?,
            (SELECT coalesce(max(activation), 0) + 1 FROM installed WHERE game_id = ?))
          """,
          .text(entry.id.text), .text(entry.version.text), .text(entry.title), .text(entry.sha256.hex),
          .text(entry.md5.hex), .integer(entry.size), .integer(entry.unpackedSize),
          Value(entry.isUnpacked), Value(entry.keepsPackage), .integer(Int64(entry.sharedFiles)),
          .integer(entry.sharedBytes), .text(time.description), .text(entry.id.text))
        try Self.markInStep(database, entry.id, entry.version, entry.sha256)
        try database.run("DELETE FROM journal WHERE game_id = ?", .text(entry.id.text))
        try database.run("DELETE FROM holds WHERE game_id = ?", .text(entry.id.text))
        try database.run(
          "DELETE FROM bad_versions WHERE game_id = ? AND version = ?", .text(entry.id.text),
          .text(entry.version.text))
        try Self.dropUnusedFiles(database, entry.id)
      }
    }
  }

  /// Records that a version that stood already is the current one, as the server wants it: ends a hold.
  func activate(_ version: InstalledVersion) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        try Self.activate(database, version)
        try database.run("DELETE FROM holds WHERE game_id = ?", .text(version.id.text))
      }
    }
  }

  static func activate(_ database: Database, _ version: InstalledVersion) throws(SQLiteError) {
    try database.run("UPDATE installed SET is_current = 0 WHERE game_id = ?", .text(version.id.text))
    try database.run(
      """
      UPDATE installed SET is_current = 1,
        activation = (SELECT max(activation) + 1 FROM installed AS others WHERE others.game_id = ?)
      WHERE game_id = ? AND version = ?
      """, .text(version.id.text), .text(version.id.text), .text(version.version.text))
    try markInStep(database, version.id, version.version, version.sha256)
  }

  // Only when it is still what the server offers: a recovered install may be of a version the server has left since.
  private static func markInStep(
    _ database: Database, _ id: GameID, _ version: H5Version, _ sha256: SHA256Digest
  ) throws(SQLiteError) {
    try database.run(
      "UPDATE targets SET is_in_step = 1, error = NULL WHERE game_id = ? AND version = ? AND sha256 = ?",
      .text(id.text), .text(version.text), .text(sha256.hex))
  }

  /// Forgets a version, before its files go: a record never speaks of files that are half gone.
  func forget(_ id: GameID, _ version: H5Version) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        try database.run(
          "DELETE FROM installed WHERE game_id = ? AND version = ?", .text(id.text), .text(version.text))
        try Self.dropUnusedFiles(database, id)
      }
    }
  }
}
