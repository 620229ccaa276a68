internal import CSQLite

/// One row of a result, lent to the closure that reads it. Columns count from 0.
///
/// Every accessor throws `unexpectedValue` when the column holds another type: the tables are STRICT, so that means a
/// damaged file or a wrong statement, never a value to guess at.
public struct Row: ~Copyable {
  let statement: Statement

  /// True when the column is NULL.
  public func isNull(_ column: Int) -> Bool { statement.type(at: Int32(clamping: column)) == SQLITE_NULL }

  /// An integer that is not NULL.
  public func int(_ column: Int) throws(SQLiteError) -> Int64 {
    let column = try checked(column, SQLITE_INTEGER, "an integer")
    return statement.integer(at: column)
  }

  /// 0 or 1.
  public func bool(_ column: Int) throws(SQLiteError) -> Bool {
    switch try int(column) {
    case 0: false
    case 1: true
    default: throw statement.unexpected(at: Int32(clamping: column), expected: "0 or 1")
    }
  }

  /// Text that is not NULL.
  public func text(_ column: Int) throws(SQLiteError) -> String {
    let column = try checked(column, SQLITE_TEXT, "text")
    return statement.text(at: column)
  }

  /// A blob that is not NULL.
  public func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
    let column = try checked(column, SQLITE_BLOB, "a blob")
    return statement.blob(at: column)
  }

  /// An integer or NULL.
  public func optionalInt(_ column: Int) throws(SQLiteError) -> Int64? {
    isNull(column) ? nil : try int(column)
  }

  /// Text or NULL.
  public func optionalText(_ column: Int) throws(SQLiteError) -> String? {
    isNull(column) ? nil : try text(column)
  }

  /// A blob or NULL.
  public func optionalBlob(_ column: Int) throws(SQLiteError) -> [UInt8]? {
    isNull(column) ? nil : try blob(column)
  }

  /// Text that `parse` understands; throws `unexpectedValue` when it returns nil.
  public func parsed<Parsed>(
    _ column: Int, _ parse: (String) -> Parsed?
  ) throws(SQLiteError) -> Parsed {
    guard let value = parse(try text(column)) else {
      throw statement.unexpected(at: Int32(clamping: column), expected: "\(Parsed.self)")
    }
    return value
  }

  /// A blob that `parse` understands; throws `unexpectedValue` when it returns nil.
  public func parsedBlob<Parsed>(
    _ column: Int, _ parse: ([UInt8]) -> Parsed?
  ) throws(SQLiteError) -> Parsed {
    guard let value = parse(try blob(column)) else {
      throw statement.unexpected(at: Int32(clamping: column), expected: "\(Parsed.self)")
    }
    return value
  }

  private func checked(_ column: Int, _ type: Int32, _ expected: String) throws(SQLiteError) -> Int32 {
    let column = Int32(clamping: column)
    guard statement.type(at: column) == type else {
      throw statement.unexpected(at: column, expected: expected)
    }
    return column
  }
}
