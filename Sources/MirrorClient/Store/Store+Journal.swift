internal import DepotModel
internal import SQLite

extension Store {
  /// From here on the install will be finished, by this run or a later one.
  func seal(_ entry: JournalEntry) throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run(
        """
        INSERT OR REPLACE INTO journal (game_id, title, version, sha256, md5, size, unpacked_size, staging_inode)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(entry.id.text), .text(entry.title), .text(entry.version.text), .text(entry.sha256.hex),
        .text(entry.md5.hex), .integer(entry.size), .integer(entry.unpackedSize),
        Value(entry.stagingInode.map { String($0) }))
    }
  }

  /// The installs to finish.
  func journal() throws(MirrorError) -> [JournalEntry] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        "SELECT game_id, title, version, sha256, md5, size, unpacked_size, staging_inode FROM journal ORDER BY game_id"
      ) { (row) throws(SQLiteError) in
        JournalEntry(
          id: try row.parsed(0) { GameID($0) }, title: try row.text(1),
          version: try row.parsed(2) { H5Version($0) },
          sha256: try row.parsed(3) { SHA256Digest(hex: $0) }, md5: try row.parsed(4) { MD5Digest(hex: $0) },
          size: try row.int(5), unpackedSize: try row.int(6),
          stagingInode: row.isNull(7) ? nil : try row.parsed(7) { UInt64($0) })
      }
    }
  }

  /// Gives an install up: what it needs is no longer there.
  func drop(_ entry: JournalEntry) throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run("DELETE FROM journal WHERE game_id = ?", .text(entry.id.text))
    }
  }
}
