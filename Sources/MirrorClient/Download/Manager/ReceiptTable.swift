internal import DepotModel
internal import SQLite

/// The table of receipts, one row each, in a file of its own or in a mirror's.
enum ReceiptTable {
  static let migration = """
    CREATE TABLE receipts (
      id TEXT PRIMARY KEY,
      url TEXT NOT NULL,
      sha256 TEXT,
      md5 TEXT,
      size INTEGER,
      label TEXT NOT NULL,
      folder TEXT,
      path TEXT,
      existing TEXT,
      priority INTEGER NOT NULL,
      position INTEGER NOT NULL,
      state TEXT NOT NULL,
      written INTEGER NOT NULL,
      expected INTEGER,
      speed INTEGER NOT NULL,
      etag TEXT,
      last_modified TEXT,
      range_condition TEXT,
      suggested_name TEXT,
      file_path TEXT,
      file_size INTEGER,
      file_sha256 TEXT,
      file_etag TEXT,
      file_last_modified TEXT,
      file_is_ours INTEGER NOT NULL DEFAULT 1,
      error TEXT,
      status INTEGER
    ) STRICT, WITHOUT ROWID;
    """

  private static let columns = """
    id, url, sha256, md5, size, label, folder, path, existing, priority, position, state, written, expected, speed, etag,
      last_modified, range_condition, suggested_name, file_path, file_size, file_sha256, file_etag, file_last_modified,
      file_is_ours, error, status
    """

  /// Every receipt, in the order they were asked for.
  static func all(_ database: Database) throws(SQLiteError) -> [DownloadReceipt] {
    try database.query("SELECT \(columns) FROM receipts ORDER BY position", as: read)
  }

  static func put(_ receipt: DownloadReceipt, in database: Database) throws(SQLiteError) {
    let download = receipt.download
    let destination = Destination(download.destination)
    try database.run(
      """
      INSERT OR REPLACE INTO receipts (\(columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(download.id.description), .text(download.url), Value(download.sha256?.hex),
        Value(download.md5?.hex), Value(download.size), .text(download.label), Value(destination.folder),
        Value(destination.path), Value(destination.existing?.rawValue), .integer(Int64(download.priority)),
        .integer(receipt.position), .text(receipt.state.rawValue), .integer(receipt.durable),
        Value(receipt.expected), .integer(receipt.speed), Value(receipt.validators.entityTag),
        Value(receipt.validators.lastModified), Value(receipt.validators.rangeCondition),
        Value(receipt.suggestedName), Value(receipt.file?.path), Value(receipt.file?.size),
        Value(receipt.file?.sha256.hex), Value(receipt.file?.validators.entityTag),
        Value(receipt.file?.validators.lastModified), Value(receipt.file?.isOurs ?? true),
        Value(receipt.failure?.text), Value(receipt.failure?.status.map(Int64.init)),
      ])
  }

  static func remove(_ id: DownloadID, from database: Database) throws(SQLiteError) {
    try database.run("DELETE FROM receipts WHERE id = ?", .text(id.description))
  }

  private static func read(_ row: borrowing Row) throws(SQLiteError) -> DownloadReceipt {
    let destination = Destination(
      folder: try row.optionalText(6), path: try row.optionalText(7),
      existing: try row.optionalText(8).flatMap { DownloadDestination.Existing(rawValue: $0) })
    let download = Download(
      id: try row.parsed(0) { DownloadID($0) }, url: try row.text(1),
      sha256: try row.optionalText(2).flatMap { SHA256Digest(hex: $0) },
      md5: try row.optionalText(3).flatMap { MD5Digest(hex: $0) }, size: try row.optionalInt(4),
      label: try row.text(5), destination: destination.value, priority: Int(clamping: try row.int(9)))
    var receipt = DownloadReceipt(download, position: try row.int(10))
    receipt.state = try row.parsed(11) { DownloadReceipt.State(rawValue: $0) }
    receipt.durable = try row.int(12)
    receipt.written = receipt.durable
    receipt.expected = try row.optionalInt(13)
    receipt.speed = try row.int(14)
    receipt.validators = Validators(
      entityTag: try row.optionalText(15), lastModified: try row.optionalText(16),
      rangeCondition: try row.optionalText(17))
    receipt.suggestedName = try row.optionalText(18)
    if let path = try row.optionalText(19), let size = try row.optionalInt(20) {
      receipt.file = StandingFile(
        path: path, size: size, sha256: try row.parsed(21) { SHA256Digest(hex: $0) },
        validators: Validators(
          entityTag: try row.optionalText(22), lastModified: try row.optionalText(23), rangeCondition: nil),
        isOurs: try row.bool(24))
    }
    if let text = try row.optionalText(25) {
      receipt.failure = DownloadFailure(text: text, status: try row.optionalInt(26).map { Int(clamping: $0) })
    }
    return receipt
  }

  /// As the columns have it: a file has a path, a folder a folder, and what the manager keeps neither.
  private struct Destination {
    var folder: String?
    var path: String?
    var existing: DownloadDestination.Existing?

    init(folder: String?, path: String?, existing: DownloadDestination.Existing?) {
      (self.folder, self.path, self.existing) = (folder, path, existing)
    }

    init(_ destination: DownloadDestination) {
      switch destination {
      case .managed: break
      case .file(let path, let existing): (self.path, self.existing) = (path, existing)
      case .folder(let folder, let existing): (self.folder, self.existing) = (folder, existing)
      }
    }

    var value: DownloadDestination {
      if let path { return .file(path, ifExists: existing ?? .keep) }
      if let folder { return .folder(folder, ifExists: existing ?? .keep) }
      return .managed
    }
  }
}
