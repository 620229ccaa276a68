internal import DepotModel
internal import SQLite
internal import ZipArchive

extension Store {
  /// The files of an installed version and how its package is read; nil when none were recorded, as by a version of this
  /// program that did not, or when the version is not unpacked.
  func unpacked(_ id: GameID, _ version: H5Version, _ sha256: SHA256Digest) throws(MirrorError)
    -> UnpackedRecord?
  {
    let row = try withDatabase { (database) throws(SQLiteError) in
      try database.first(
        """
        SELECT root, names_encoding, list, needs_isolation FROM installed_files
        WHERE game_id = ? AND version = ? AND sha256 = ?
        """, .text(id.text), .text(version.text), .text(sha256.hex)
      ) { (row) throws(SQLiteError) in
        (
          root: try row.text(0), encoding: try row.text(1), list: try row.blob(2),
          needsIsolation: row.isNull(3) ? nil : try row.bool(3)
        )
      }
    }
    guard let row else { return nil }
    guard let files = FileListCodec.decode(row.list) else {
      throw .store(path: path, reason: "its list of the files of \(id) is damaged", isUnwritable: false)
    }
    return UnpackedRecord(
      files: files, root: row.root, namesEncoding: row.encoding, needsIsolation: row.needsIsolation)
  }

  /// How the package of an installed version is read, as its depot said; nil when that was not recorded.
  func reading(of version: InstalledVersion) throws(MirrorError) -> PackageOptions? {
    let row = try withDatabase { (database) throws(SQLiteError) in
      try database.first(
        "SELECT root, names_encoding FROM installed_files WHERE game_id = ? AND version = ? AND sha256 = ?",
        .text(version.id.text), .text(version.version.text), .text(version.sha256.hex)
      ) { (row) throws(SQLiteError) in (root: try row.text(0), encoding: try row.text(1)) }
    }
    return row.map {
      PackageOptions(limits: .standard, root: $0.root, namesEncoding: NamesEncoding($0.encoding))
    }
  }

  /// Whether the files of an installed version were recorded.
  func hasFiles(_ version: InstalledVersion) throws(MirrorError) -> Bool {
    try withDatabase { (database) throws(SQLiteError) in
      try database.first(
        "SELECT 1 FROM installed_files WHERE game_id = ? AND version = ? AND sha256 = ?",
        .text(version.id.text), .text(version.version.text), .text(version.sha256.hex)
      ) { (row) throws(SQLiteError) in try row.int(0) } != nil
    }
  }

  static func insert(
    _ database: Database, _ record: UnpackedRecord, of entry: JournalEntry
  ) throws(SQLiteError) {
    try database.run(
      """
      INSERT OR REPLACE INTO installed_files (game_id, version, sha256, root, names_encoding, list, needs_isolation)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, .text(entry.id.text), .text(entry.version.text), .text(entry.sha256.hex), .text(record.root),
      .text(record.namesEncoding), .blob(FileListCodec.encode(record.files)), Value(record.needsIsolation))
  }

  /// Drops lists that neither an installed version nor an install under way has any use for.
  static func dropUnusedFiles(_ database: Database, _ id: GameID) throws(SQLiteError) {
    try database.run(
      """
      DELETE FROM installed_files WHERE game_id = ?1
        AND NOT EXISTS (SELECT 1 FROM installed AS i WHERE i.game_id = ?1
          AND i.version = installed_files.version AND i.sha256 = installed_files.sha256 AND i.is_unpacked = 1)
        AND NOT EXISTS (SELECT 1 FROM journal AS j WHERE j.game_id = ?1
          AND j.version = installed_files.version AND j.sha256 = installed_files.sha256)
      """, .text(id.text))
  }
}
