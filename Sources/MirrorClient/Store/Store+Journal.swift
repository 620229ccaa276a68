internal import DepotModel
internal import SQLite

extension Store {
  /// From here on the install will be finished, by this run or a later one. `record` is of what was unpacked.
  func seal(_ entry: JournalEntry, _ record: UnpackedRecord?) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        if let record { try Self.insert(database, record, of: entry) }
        try database.run(
          """
          INSERT OR REPLACE INTO journal (game_id, title, version, sha256, md5, size, unpacked_size, staging_inode,
            keeps_package, shared_files, shared_bytes, previous, is_undone)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
          .text(entry.id.text), .text(entry.title), .text(entry.version.text), .text(entry.sha256.hex),
          .text(entry.md5.hex), .integer(entry.size), .integer(entry.unpackedSize),
          Value(entry.stagingInode.map { String($0) }), Value(entry.keepsPackage),
          .integer(Int64(entry.sharedFiles)), .integer(entry.sharedBytes), Value(entry.previous?.text),
          Value(entry.isUndone))
      }
    }
  }

  /// The installs to finish.
  func journal() throws(MirrorError) -> [JournalEntry] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        """
        SELECT game_id, title, version, sha256, md5, size, unpacked_size, staging_inode, keeps_package,
          shared_files, shared_bytes, previous, is_undone
        FROM journal ORDER BY game_id
        """
      ) { (row) throws(SQLiteError) in
        JournalEntry(
          id: try row.parsed(0) { GameID($0) }, title: try row.text(1),
          version: try row.parsed(2) { H5Version($0) },
          sha256: try row.parsed(3) { SHA256Digest(hex: $0) }, md5: try row.parsed(4) { MD5Digest(hex: $0) },
          size: try row.int(5), unpackedSize: try row.int(6),
          stagingInode: row.isNull(7) ? nil : try row.parsed(7) { UInt64($0) },
          keepsPackage: try row.bool(8), sharedFiles: Int(try row.int(9)), sharedBytes: try row.int(10),
          previous: row.isNull(11) ? nil : try row.parsed(11) { H5Version($0) },
          isUndone: try row.bool(12))
      }
    }
  }

  /// Gives an install up: what it needs is no longer there, or it was undone.
  func drop(_ entry: JournalEntry) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        try database.run("DELETE FROM journal WHERE game_id = ?", .text(entry.id.text))
        try Self.dropUnusedFiles(database, entry.id)
      }
    }
  }
}
