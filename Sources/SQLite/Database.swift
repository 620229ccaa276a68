internal import CSQLite

/// One connection to one SQLite file.
///
/// Not for two threads at once: guard it with a `Mutex`. Every call may block, for up to `busyTimeout` when another
/// connection holds the lock it needs. WAL, foreign keys on, schema not trusted; a writer commits with
/// `synchronous=FULL`, so what `transaction` returned from survives a power cut.
@safe
public final class Database {
  /// How a file is opened.
  public enum Mode: Sendable, Hashable {
    /// For reading and writing; a missing file is made or is an error.
    case readWrite(create: Bool)
    /// For reading; the file must exist.
    case readOnly
    /// For reading a file that nobody writes as long as it is open, on a disk that cannot be written, say: no lock is
    /// taken, and a write-ahead log beside it is not looked at.
    case immutable
    /// For reading a file that nobody else has open, log and all, where no shared memory can be made for it: on a full disk.
    case alone
  }

  /// When a transaction takes the write lock.
  public enum TransactionKind: Sendable, Hashable {
    /// A snapshot for reading; never waits for a writer.
    case read
    /// The write lock at once, so that what is read inside cannot have changed before it is written back.
    case write
  }

  /// Milliseconds a call waits for another connection's lock.
  public static let busyTimeout: Int32 = 10_000
  /// Statements kept prepared; programs use static texts, so the bound is only met by mistake.
  static let statementLimit = 256

  /// The file as it was named at opening.
  public let path: String
  /// Whether what other connections commit shows up here: not in a file opened as immutable, nor in memory.
  public let seesChanges: Bool
  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  private var walIndex: UnsafeRawPointer?
  private var lastWALHeaders = [UInt32](repeating: 0, count: 24)
  private var changes: Int64 = 0

  /// Opens `path`.
  ///
  /// With an `applicationID`, a new file is marked with it and a file marked otherwise is refused with `foreignFile`
  /// before anything in it changes. Throws `failed` when the file cannot be opened or is no database.
  public init(path: String, mode: Mode, applicationID: Int32? = nil) throws(SQLiteError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
    switch mode {
    case .readWrite(create: true): flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readWrite(create: false), .alone: flags |= SQLITE_OPEN_READWRITE
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
    var opened: OpaquePointer?
    let name = mode == .immutable ? Self.immutableName(path) : path
    let code = unsafe sqlite3_open_v2(name, &opened, flags, nil)
    guard let handle = unsafe opened else {
      throw .failed(code: code, message: "out of memory", sql: nil, path: path)
    }
    unsafe self.handle = handle
    self.path = path
    seesChanges = mode != .immutable
    guard code == SQLITE_OK else { throw unsafe .last(of: handle, code: code, sql: nil, path: path) }
    unsafe sqlite3_busy_timeout(handle, Self.busyTimeout)
    // Before the first look at the file: the index of the log is then kept in this process's memory.
    if mode == .alone { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    // Until the log has been read: SQLite's close removes one that it could not read for want of its index, and with it
    // every commit that is not in the file yet.
    keepLog(true)
    try configure()
    if let applicationID { try claim(applicationID, mode: mode) }
    if case .readWrite = mode {
      try useWriteAheadLog()
    } else {
      // Also finds out now, not at the first query, that the file is no database.
      _ = try dataVersion
    }
    keepLog(false)
  }

  /// Whether closing leaves the log beside the file (SQLITE_FCNTL_PERSIST_WAL).
  private func keepLog(_ isKept: Bool) {
    var flag: Int32 = isKept ? 1 : 0
    unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &flag)
  }

  /// https://www.sqlite.org/uri.html: what is special in a URI is percent-encoded.
  private static func immutableName(_ path: String) -> String {
    let special: [UInt8: String] = [
      UInt8(ascii: "%"): "%25", UInt8(ascii: "?"): "%3f", UInt8(ascii: "#"): "%23",
    ]
    var name: [UInt8] = Array("file:".utf8)
    for byte in path.utf8 { name += special[byte].map { Array($0.utf8) } ?? [byte] }
    return String(decoding: name, as: UTF8.self) + "?immutable=1"
  }

  /// A database in memory that holds what the file behind `source` holds now, or nothing: what is done to it leaves the
  /// file as it is, and no lock outlasts this call.
  public init(inMemoryCopyOf source: Database?) throws(SQLiteError) {
    let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
    path = source?.path ?? ":memory:"
    seesChanges = false
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(":memory:", &opened, flags, nil)
    guard let handle = unsafe opened else {
      throw .failed(code: code, message: "out of memory", sql: nil, path: path)
    }
    unsafe self.handle = handle
    guard code == SQLITE_OK else { throw unsafe .last(of: handle, code: code, sql: nil, path: path) }
    if let source { try unsafe source.copy(to: handle, path: path) }
    try configure()
  }

  // The v2 close waits for statements that are released after this object.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs a script of any number of statements that need no values.
  public func execute(_ script: String) throws(SQLiteError) {
    let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe .last(of: handle, code: code, sql: script, path: path) }
  }

  /// Runs one statement to its end and returns how many rows it changed.
  @discardableResult
  public func run(_ sql: String, _ values: Value...) throws(SQLiteError) -> Int {
    try run(sql, values)
  }

  /// Runs one statement to its end and returns how many rows it changed.
  @discardableResult
  public func run(_ sql: String, _ values: [Value]) throws(SQLiteError) -> Int {
    try withStatement(sql, values) { (statement) throws(SQLiteError) in
      while try statement.step() {}
    }
    return Int(unsafe sqlite3_changes64(handle))
  }

  /// Lends each row of one statement to `body` in turn.
  public func rows(
    _ sql: String, _ values: [Value] = [], _ body: (borrowing Row) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try withStatement(sql, values) { (statement) throws(SQLiteError) in
      let row = Row(statement: statement)
      while try statement.step() { try body(row) }
    }
  }

  /// Every row of one statement as `body` reads it.
  public func query<Element>(
    _ sql: String, _ values: Value..., as body: (borrowing Row) throws(SQLiteError) -> Element
  ) throws(SQLiteError) -> [Element] {
    try query(sql, values, as: body)
  }

  /// Every row of one statement as `body` reads it.
  public func query<Element>(
    _ sql: String, _ values: [Value], as body: (borrowing Row) throws(SQLiteError) -> Element
  ) throws(SQLiteError) -> [Element] {
    var elements: [Element] = []
    try rows(sql, values) { (row) throws(SQLiteError) in elements.append(try body(row)) }
    return elements
  }

  /// The first row of one statement as `body` reads it; nil when there is none.
  public func first<Element>(
    _ sql: String, _ values: Value..., as body: (borrowing Row) throws(SQLiteError) -> Element
  ) throws(SQLiteError) -> Element? {
    try first(sql, values, as: body)
  }

  /// The first row of one statement as `body` reads it; nil when there is none.
  public func first<Element>(
    _ sql: String, _ values: [Value], as body: (borrowing Row) throws(SQLiteError) -> Element
  ) throws(SQLiteError) -> Element? {
    try withStatement(sql, values) { (statement) throws(SQLiteError) -> Element? in
      guard try statement.step() else { return nil }
      return try body(Row(statement: statement))
    }
  }

  /// Everything `body` did, or on a throw nothing of it. Transactions do not nest.
  @discardableResult
  public func transaction<Result>(
    _ kind: TransactionKind = .write, _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try transaction(kind, wrapping: { $0 }, body)
  }

  /// The same for a body with errors of its own; `wrap` makes one of SQLite's into one of those.
  @discardableResult
  public func transaction<Result, Failure: Error>(
    _ kind: TransactionKind = .write, wrapping wrap: (SQLiteError) -> Failure,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do { try run(kind == .write ? "BEGIN IMMEDIATE" : "BEGIN") } catch { throw wrap(error) }
    let result: Result
    do { result = try body() } catch {
      rollBack()
      throw error
    }
    do { try run("COMMIT") } catch {
      rollBack()
      throw wrap(error)
    }
    return result
  }

  /// A number that differs from the last one read here if and only if another connection, of this process or any
  /// other, may have committed in between. Says nothing of this connection's own commits.
  public var dataVersion: Int64 {
    get throws(SQLiteError) { try number("PRAGMA data_version") }
  }

  /// A number that grows when any connection, this one included, of this process or any other, may have committed
  /// since the last call here. Costs no system call: every commit changes the header of the shared WAL index.
  public func changeCount() throws(SQLiteError) -> Int64 {
    guard let walIndex = unsafe walIndex else {
      // Maps the index, or where there is none to map says what SQLite knows.
      let version = try dataVersion
      unsafe self.walIndex = csqlite_wal_index(handle)
      guard unsafe self.walIndex == nil else { return try changeCount() }
      return version
    }
    if unsafe csqlite_wal_index_changed(walIndex, &lastWALHeaders) != 0 { changes += 1 }
    return changes
  }

  /// The one integer that `sql` yields; 0 when it yields no row.
  func number(_ sql: String) throws(SQLiteError) -> Int64 {
    try first(sql) { (row) throws(SQLiteError) in try row.int(0) } ?? 0
  }

  private func rollBack() {
    // SQLite has already rolled back by itself after some failures (a full disk, say): nothing to undo then.
    guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
    try? execute("ROLLBACK")
  }

  private func withStatement<Result>(
    _ sql: String, _ values: [Value], _ body: (Statement) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    let statement = try statement(for: sql)
    statement.isInUse = true
    defer {
      statement.reset()
      statement.isInUse = false
    }
    try statement.bind(values)
    return try body(statement)
  }

  private func statement(for sql: String) throws(SQLiteError) -> Statement {
    let kept = statements[sql]
    if let kept, !kept.isInUse { return kept }
    let fresh = unsafe try Statement(sql, connection: handle, path: path)
    if kept == nil, statements.count < Self.statementLimit { statements[sql] = fresh }
    return fresh
  }

  private func claim(_ applicationID: Int32, mode: Mode) throws(SQLiteError) {
    if try number("PRAGMA application_id") == Int64(applicationID) { return }
    guard case .readWrite = mode else {
      let found = try number("PRAGMA application_id")
      throw .foreignFile(found: Int32(truncatingIfNeeded: found), expected: applicationID, path: path)
    }
    try transaction { () throws(SQLiteError) in
      // Read again under the write lock: another process may have claimed the new file a moment ago.
      let found = try number("PRAGMA application_id")
      if found == Int64(applicationID) { return }
      guard found == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 else {
        throw .foreignFile(found: Int32(truncatingIfNeeded: found), expected: applicationID, path: path)
      }
      try execute("PRAGMA application_id = \(applicationID)")
    }
  }

  private func configure() throws(SQLiteError) {
    let script = "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL"
    let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
    // The first read of the file: a failure here says something of the file, not of this script.
    guard code == SQLITE_OK else { throw unsafe .last(of: handle, code: code, sql: nil, path: path) }
  }

  private func useWriteAheadLog() throws(SQLiteError) {
    var mode: String?
    var waited: Int32 = 0
    repeat {
      do throws(SQLiteError) {
        mode = try first("PRAGMA journal_mode = WAL") { (row) throws(SQLiteError) in try row.text(0) }
      } catch {
        // SQLite does not wait here when several connections change a new file's mode at once.
        guard error.isBusy, waited < Self.busyTimeout else { throw error }
        waited += 10
        sqlite3_sleep(10)
      }
    } while mode == nil
    guard mode == "wal" else {
      let message = "cannot use a write-ahead log here (journal mode \(mode ?? "unknown"))"
      throw .failed(code: SQLITE_CANTOPEN, message: message, sql: nil, path: path)
    }
    // A burst of large transactions must not leave a large log for ever.
    try execute("PRAGMA journal_size_limit = 67108864")
  }
}
