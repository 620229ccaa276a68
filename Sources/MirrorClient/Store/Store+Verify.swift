internal import DepotModel
internal import SQLite

extension Store {
  /// How the last verification ended; nil when there was none.
  func lastVerify() throws(MirrorError) -> LastVerify? {
    try withDatabase { (database) throws(SQLiteError) -> LastVerify? in
      try database.first(
        """
        SELECT verified_at, verify_exit_code, verify_summary FROM mirror
        WHERE id = 1 AND verified_at IS NOT NULL
        """
      ) { (row) throws(SQLiteError) in
        LastVerify(
          at: try row.parsed(0, Timestamp.init), exitCode: Int32(truncatingIfNeeded: try row.int(1)),
          summary: try row.text(2))
      }
    }
  }

  /// How a verification ended.
  func note(_ verify: LastVerify) throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run(
        "UPDATE mirror SET verified_at = ?, verify_exit_code = ?, verify_summary = ? WHERE id = 1",
        .text(verify.at.description), .integer(Int64(verify.exitCode)), .text(verify.summary))
    }
  }
}
