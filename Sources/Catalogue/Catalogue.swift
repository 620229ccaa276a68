public import DepotModel
public import SQLite
internal import Synchronization

/// What is published: the one truth, in one SQLite file that several processes may have open.
///
/// May be used from any thread. Reads take microseconds and never wait for a writer; changes wait for each other, are
/// one transaction each, and are on disk when the call returns. Every visible change raises `revision` by one.
public final class Catalogue: Sendable {
  /// Connections for reading; as many reads run at once, others wait for one of these.
  static let readerCount = 4

  /// The catalogue's UUID: revisions of another one mean nothing here.
  public let identity: String
  private let writer: Mutex<Session>
  private let readers: [Reader]
  private let watcher: Reader
  private let nextReader = Atomic<Int>(0)
  private let clock: @Sendable () -> Timestamp

  /// One connection behind its own lock.
  private final class Reader: Sendable {
    let session: Mutex<Session>

    init(path: String) throws(SQLiteError) {
      let database = try Database(path: path, mode: .readOnly, applicationID: Catalogue.applicationID)
      // Enough for the tables of some ten thousand games: a look-up beyond the cache costs three reads.
      try database.execute("PRAGMA cache_size = -8192")
      session = Mutex(Session(database: database))
    }
  }

  /// Opens the file at `path`, makes it when it is missing, and migrates it.
  ///
  /// Throws `storage` when the file is another program's, a newer one's, damaged, or cannot be written.
  public init(
    path: String, clock: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(CatalogueError) {
    do throws(SQLiteError) {
      let database = try Database(
        path: path, mode: .readWrite(create: true), applicationID: Self.applicationID)
      try Migrator(Self.migrations).migrate(database)
      identity =
        try database.first("SELECT catalogue FROM meta") { (row) throws(SQLiteError) in
          try row.text(0)
        } ?? ""
      writer = Mutex(Session(database: database))
      var readers: [Reader] = []
      for _ in 0..<Self.readerCount { readers.append(try Reader(path: path)) }
      self.readers = readers
      watcher = try Reader(path: path)
    } catch {
      throw CatalogueError(error)
    }
    self.clock = clock
  }

  /// What the file at `path` still has to be migrated; changes nothing. Throws `storage` when there is no such file
  /// or a newer program wrote it.
  public static func migrationStatus(path: String) throws(CatalogueError) -> MigrationStatus {
    do throws(SQLiteError) {
      let database = try Database(path: path, mode: .readOnly, applicationID: applicationID)
      return try Migrator(migrations).status(of: database)
    } catch {
      throw CatalogueError(error)
    }
  }

  /// The current revision, changes by other processes included.
  public func revision() throws(CatalogueError) -> Int64 {
    try read { (session) throws(CatalogueError) in try session.revision().newest }
  }

  /// A number that differs from the last one seen whenever anything in the file may have changed, by this process or
  /// another. It costs no system call, may change without reason, and means nothing to another `Catalogue`.
  public func changeToken() throws(CatalogueError) -> Int64 {
    try watcher.session.withLock { (session) throws(CatalogueError) in
      do throws(SQLiteError) { return try session.database.changeCount() } catch {
        throw CatalogueError(error)
      }
    }
  }

  /// What SQLite finds wrong in the file, one line each; empty when it is sound. Reads the whole file.
  public func integrityCheck() throws(CatalogueError) -> [String] {
    try read { (session) throws(CatalogueError) in
      let damage = try session.query("PRAGMA integrity_check") { (row) throws(SQLiteError) in
        try row.text(0)
      }
      let dangling = try session.query("PRAGMA foreign_key_check") { (row) throws(SQLiteError) in
        "a row of \(try row.text(0)) refers to a missing row of \(try row.text(2))"
      }
      return damage.filter { $0 != "ok" } + dangling
    }
  }

  /// The clock's time now.
  var now: Timestamp { clock() }

  /// Runs `body` on a connection for reading, outside a transaction: for one statement.
  func read<Result: Sendable>(
    _ body: @Sendable (Session) throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    let start = nextReader.wrappingAdd(1, ordering: .relaxed).oldValue
    for offset in readers.indices {
      let reader = readers[Int((UInt(bitPattern: start) &+ UInt(offset)) % UInt(readers.count))]
      let outcome = reader.session.withLockIfAvailable { session in Self.outcome(of: body, session) }
      if let outcome { return try outcome.get() }
    }
    let reader = readers[Int(UInt(bitPattern: start) % UInt(readers.count))]
    return try reader.session.withLock { (session) throws(CatalogueError) in try body(session) }
  }

  private static func outcome<Result: Sendable>(
    of body: @Sendable (Session) throws(CatalogueError) -> Result, _ session: Session
  ) -> Swift.Result<Result, CatalogueError> {
    do throws(CatalogueError) { return .success(try body(session)) } catch { return .failure(error) }
  }

  /// Runs `body` in one snapshot: what its statements see belongs together.
  func readSnapshot<Result: Sendable>(
    _ body: @Sendable (Session) throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    try read { (session) throws(CatalogueError) in
      try session.database.transaction(.read, wrapping: { CatalogueError($0) }) {
        () throws(CatalogueError) in try body(session)
      }
    }
  }

  /// Runs `body` in one transaction for writing: all of it or, on a throw, nothing.
  func write<Result: Sendable>(
    _ body: @Sendable (Session) throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    try writer.withLock { (session) throws(CatalogueError) in
      try session.database.transaction(.write, wrapping: { CatalogueError($0) }) {
        () throws(CatalogueError) in try body(session)
      }
    }
  }
}

extension Session {
  func revision() throws(CatalogueError) -> (oldest: Int64, newest: Int64) {
    let row = try first("SELECT oldest_revision, revision FROM meta") { (row) throws(SQLiteError) in
      (oldest: try row.int(0), newest: try row.int(1))
    }
    guard let row else { throw .corrupt("\(database.path): table meta is empty; restore a backup") }
    return row
  }

  /// Raises the revision by one and returns it: once in each transaction that changes what a reader can see.
  func nextRevision() throws(CatalogueError) -> Int64 {
    try run("UPDATE meta SET revision = revision + 1")
    return try revision().newest
  }
}
