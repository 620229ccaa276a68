internal import CSQLite

extension Database {
  /// Writes one state of this database to a new file, which is on the disk when this returns; others read and write on
  /// meanwhile. Throws `failed` when there is a file already, or it cannot be written.
  public func backUp(to target: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    let flags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      | SQLITE_OPEN_EXCLUSIVE
    let code = unsafe sqlite3_open_v2(target, &opened, flags, nil)
    guard let copy = unsafe opened else {
      throw .failed(code: code, message: "out of memory", sql: nil, path: target)
    }
    defer { unsafe sqlite3_close_v2(copy) }
    guard code == SQLITE_OK else { throw unsafe .last(of: copy, code: code, sql: nil, path: target) }
    try unsafe self.copy(to: copy, path: target)
  }

  /// Copies one state of this database into another connection's.
  func copy(to target: OpaquePointer, path: String) throws(SQLiteError) {
    guard let backup = unsafe sqlite3_backup_init(target, "main", handle, "main") else {
      throw unsafe .last(of: target, code: sqlite3_errcode(target), sql: nil, path: path)
    }
    // -1: every page in one step, so that it is one state of the file.
    var code = unsafe sqlite3_backup_step(backup, -1)
    var waited: Int32 = 0
    while code == SQLITE_BUSY || code == SQLITE_LOCKED, waited < Self.busyTimeout {
      waited += sqlite3_sleep(10)
      code = unsafe sqlite3_backup_step(backup, -1)
    }
    let end = unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw unsafe .last(of: target, code: code == SQLITE_DONE ? end : code, sql: nil, path: path)
    }
  }
}
