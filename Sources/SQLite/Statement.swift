internal import CSQLite

/// One prepared statement of one connection, finalized when released. Same thread rule as its `Database`.
@safe
final class Statement {
  let sql: String
  /// True between `Database` handing it out and taking it back: a nested use of the same text needs another one.
  var isInUse = false
  private let path: String
  private let handle: OpaquePointer

  /// Throws when `sql` does not compile or is not exactly one statement: what stood after the first one would
  /// silently never run.
  init(_ sql: String, connection: OpaquePointer, path: String) throws(SQLiteError) {
    var text = sql
    let (code, prepared, rest) = text.withUTF8 { bytes in
      var prepared: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
        unsafe sqlite3_prepare_v3(
          connection, characters.baseAddress, Int32(clamping: characters.count),
          UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &tail)
      }
      var rest: [UInt8] = []
      if let start = unsafe UnsafeRawPointer(bytes.baseAddress), let tail = unsafe tail {
        unsafe rest.append(contentsOf: bytes.dropFirst(UnsafeRawPointer(tail) - start))
      }
      return unsafe (code, prepared, rest)
    }
    guard code == SQLITE_OK else { throw unsafe .last(of: connection, code: code, sql: sql, path: path) }
    guard let prepared = unsafe prepared else {
      throw .failed(code: SQLITE_MISUSE, message: "no statement", sql: sql, path: path)
    }
    guard rest.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: ";") })
    else {
      unsafe sqlite3_finalize(prepared)
      throw .failed(code: SQLITE_MISUSE, message: "more than one statement", sql: sql, path: path)
    }
    unsafe self.handle = prepared
    self.sql = sql
    self.path = path
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Throws when there are more or fewer values than `?`.
  func bind(_ values: [Value]) throws(SQLiteError) {
    let expected = unsafe sqlite3_bind_parameter_count(handle)
    guard values.count == Int(expected) else {
      let message = "\(values.count) values for \(expected) parameters"
      throw .failed(code: SQLITE_RANGE, message: message, sql: sql, path: path)
    }
    var index: Int32 = 1
    for value in values {
      let code = bind(value, at: index)
      guard code == SQLITE_OK else { throw failure(code) }
      index += 1
    }
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null:
      return unsafe sqlite3_bind_null(handle, index)
    case .integer(let number):
      return unsafe sqlite3_bind_int64(handle, index, number)
    case .text(let text):
      guard let count = Int32(exactly: text.utf8.count) else { return SQLITE_TOOBIG }
      return unsafe csqlite_bind_text(handle, index, text, count)
    case .blob(let bytes):
      guard let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
      // An empty array has no address, and a blob without an address would be bound as NULL.
      guard count > 0 else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe csqlite_bind_blob(handle, index, bytes, count)
    }
  }

  /// True when a row is ready, false when the statement is done.
  func step() throws(SQLiteError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure(code)
    }
  }

  /// Ends the statement's part in a transaction and forgets its values.
  func reset() {
    // The result repeats what `step` already threw.
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  func type(at column: Int32) -> Int32 { unsafe sqlite3_column_type(handle, column) }
  func integer(at column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func text(at column: Int32) -> String {
    // The text first: asking for it may convert, and the count is of the converted bytes.
    guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func blob(at column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  func name(of column: Int32) -> String {
    guard let name = unsafe sqlite3_column_name(handle, column) else { return "\(column)" }
    return unsafe String(cString: name)
  }

  func unexpected(at column: Int32, expected: String) -> SQLiteError {
    let found =
      switch type(at: column) {
      case SQLITE_NULL: "null"
      case SQLITE_INTEGER: "integer \(integer(at: column))"
      case SQLITE_TEXT: "text \(text(at: column).debugDescription)"
      case SQLITE_BLOB: "blob of \(blob(at: column).count) bytes"
      default: "another type"
      }
    return .unexpectedValue(column: name(of: column), expected: expected, found: found, path: path)
  }

  private func failure(_ code: Int32) -> SQLiteError {
    guard let connection = unsafe sqlite3_db_handle(handle) else {
      return .failed(code: code, message: "no connection", sql: sql, path: path)
    }
    return unsafe .last(of: connection, code: code, sql: sql, path: path)
  }
}

extension SQLiteError {
  /// What the connection says of the call that just returned `code`.
  static func last(of connection: OpaquePointer, code: Int32, sql: String?, path: String) -> SQLiteError {
    let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "unknown error"
    let systemErrno = code & 0xff == SQLITE_IOERR ? unsafe sqlite3_system_errno(connection) : 0
    return .failed(code: code, message: message, sql: sql, path: path, systemErrno: systemErrno)
  }
}
