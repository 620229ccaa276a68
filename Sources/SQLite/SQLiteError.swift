internal import CSQLite

/// Why SQLite, or a rule this module keeps, refused something.
public enum SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// SQLite said no: its extended result code, its message, the statement, the file, and the errno behind an I/O
  /// error (0 when there is none).
  case failed(code: Int32, message: String, sql: String?, path: String, systemErrno: Int32 = 0)
  /// The file was written by a newer program; nothing of it was changed.
  case schemaTooNew(found: Int, known: Int, path: String)
  /// One migration failed and was rolled back; the ones before it stand.
  case migrationFailed(name: String, message: String, path: String)
  /// The file is a database, but another program's; nothing of it was changed.
  case foreignFile(found: Int32, expected: Int32, path: String)
  /// A column holds what this program never writes there.
  case unexpectedValue(column: String, expected: String, found: String, path: String)

  /// SQLite's extended result code, for the failures that are SQLite's own.
  public var code: Int32? {
    guard case .failed(let code, _, _, _, _) = self else { return nil }
    return code
  }

  /// No room: SQLITE_FULL, or an I/O error whose errno says so.
  public var isDiskFull: Bool {
    guard case .failed(let code, _, _, _, let systemErrno) = self else { return false }
    if code & 0xff == SQLITE_FULL { return true }
    return code & 0xff == SQLITE_IOERR && (systemErrno == Self.noSpace || systemErrno == Self.overQuota)
  }

  /// The file or its folder may not be opened or written by this user.
  public var isNotPermitted: Bool {
    switch primaryCode {
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: true
    default: false
    }
  }

  /// The disk failed a read, a write or a sync: what is in the file need not be wrong.
  public var isDiskFailure: Bool { primaryCode == SQLITE_IOERR }
  /// For reasons that room, rights, a sound disk or another program's end would mend; another file would not.
  public var isUnwritable: Bool { isDiskFull || isNotPermitted || isDiskFailure || isBusy }
  /// Another connection held a lock for longer than the busy timeout.
  public var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
  /// A UNIQUE, CHECK, NOT NULL or foreign key rule was broken.
  public var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
  /// The file is a database, but damaged.
  public var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }
  /// The file is no SQLite database at all.
  public var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }
  /// The file is missing or may not be opened.
  public var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }

  private var primaryCode: Int32? { code.map { $0 & 0xff } }
  /// ENOSPC and EDQUOT as Linux numbers them; this module imports nothing but SQLite.
  private static let noSpace: Int32 = 28
  private static let overQuota: Int32 = 122

  /// One line: the file, what happened, what to do.
  public var description: String {
    switch self {
    case .failed(let code, let message, let sql, let path, let systemErrno):
      let number = systemErrno == 0 ? "SQLite \(code)" : "SQLite \(code), errno \(systemErrno)"
      let place = sql.map { " in: " + Self.oneLine($0) } ?? ""
      return "\(path): \(message) (\(number))\(advice)\(place)"
    case .schemaTooNew(let found, let known, let path):
      return "\(path): schema \(found) is newer than this program knows (\(known)); run the newer program"
    case .migrationFailed(let name, let message, let path):
      return "\(path): migration \(name) failed and was rolled back: \(message)"
    case .foreignFile(let found, let expected, let path):
      return "\(path): belongs to another program (application id \(found), not \(expected)); "
        + "nothing was changed, choose another file"
    case .unexpectedValue(let column, let expected, let found, let path):
      return "\(path): column \(column) holds \(found) where \(expected) belongs; restore a backup"
    }
  }

  private var advice: String {
    if isDiskFull { return "; free some space and try again" }
    if isNotADatabase { return "; choose another file or restore a backup" }
    if isCorrupt { return "; restore a backup" }
    if isBusy { return "; another program is writing, try again" }
    return ""
  }

  private static func oneLine(_ sql: String) -> String {
    sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
