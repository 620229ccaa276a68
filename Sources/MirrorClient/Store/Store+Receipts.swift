internal import DepotModel
internal import SQLite

extension Store {
  /// What the receipt of a package tells about its partial.
  struct PackageReceipt: Sendable {
    let label: String
    let state: DownloadReceipt.State
    let expected: Int64?
  }

  /// By the package's digest in hex. Empty in a mirror that an older program wrote last.
  func packageReceipts() throws(MirrorError) -> [String: PackageReceipt] {
    try withDatabase { (database) throws(SQLiteError) in
      let isThere = try database.first("SELECT 1 FROM sqlite_schema WHERE name = 'receipts'") {
        (row) throws(SQLiteError) in try row.int(0)
      }
      guard isThere != nil else { return [:] }
      var receipts: [String: PackageReceipt] = [:]
      try database.rows("SELECT sha256, label, state, expected FROM receipts WHERE sha256 IS NOT NULL") {
        (row) throws(SQLiteError) in
        receipts[try row.text(0)] = PackageReceipt(
          label: try row.text(1), state: try row.parsed(2) { DownloadReceipt.State(rawValue: $0) },
          expected: try row.optionalInt(3))
      }
      return receipts
    }
  }

  /// Forgets the receipts of packages that nothing wants any more.
  func forgetUnwantedReceipts() throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run(
        """
        DELETE FROM receipts WHERE sha256 IS NOT NULL AND sha256 NOT IN (
          SELECT sha256 FROM targets WHERE is_in_step = 0 UNION SELECT sha256 FROM journal)
        """)
    }
  }
}
