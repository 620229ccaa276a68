internal import DepotModel
internal import Platform
internal import SQLite
internal import Synchronization

/// `mirror.sqlite`: what the server offers, what stands on disk, and which installs are under way.
///
/// Safe to use from several tasks; every call blocks on SQLite. A call that returned survives a power cut, save where
/// said otherwise.
final class Store: Sendable {
  static let name = "mirror.sqlite"
  let path: String
  private let database: Mutex<Database>
  /// Whether what others write shows up in what is read here.
  let seesChanges: Bool

  /// How the store is opened.
  enum Access: Sendable {
    /// By a sync; it is made or brought up to date.
    case write
    /// It must exist.
    case read
    /// As `read`, also where nothing can be written, not even a lock. Nobody may write it meanwhile.
    case readCarried
    /// As `readCarried`, but a store that would have to be brought up to date is read as it is, or not at all.
    case look
  }

  /// Opens the store of the mirror in the folder `root`.
  init(root: String, _ access: Access = .write) throws(MirrorError) {
    path = "\(root)/\(Self.name)"
    do throws(SQLiteError) {
      let opened = try Self.open(path, access)
      seesChanges = opened.seesChanges
      database = Mutex(opened)
    } catch {
      throw .store(path: path, reason: Self.reason(error), isUnwritable: error.isUnwritable)
    }
  }

  /// The store of the mirror in `destination` for a look; nil when there is none.
  convenience init?(standingIn destination: String) throws(MirrorError) {
    let isThere = try onDisk { () throws(SystemError) in
      do throws(SystemError) {
        return try Directory(path: destination).status(of: Self.name) != nil
      } catch {
        guard error.isNotFound else { throw error }
        return false
      }
    }
    guard isThere else { return nil }
    try self.init(root: destination, .look)
  }

  private static func open(_ path: String, _ access: Access) throws(SQLiteError) -> Database {
    let application = StoreSchema.applicationID
    let opened: Database
    switch access {
    case .write:
      opened = try Database(path: path, mode: .readWrite(create: true), applicationID: application)
      try StoreSchema.migrator.migrate(opened)
      return opened
    case .read: opened = try Database(path: path, mode: .readOnly, applicationID: application)
    case .readCarried, .look:
      do throws(SQLiteError) {
        opened = try Database(path: path, mode: .readOnly, applicationID: application)
      } catch {
        // What a log beside it holds would be missed.
        let hasLog = ((try? File(path: path + "-wal", mode: .read).size) ?? 0) > 0
        guard error.isNotPermitted, !hasLog else { throw error }
        opened = try Database(path: path, mode: .immutable, applicationID: application)
      }
    }
    guard access != .look else { return opened }
    guard try !StoreSchema.migrator.status(of: opened).pending.isEmpty else { return opened }
    // Of an earlier version of this program: it is brought up to date by whoever reads it first.
    return try Self.open(path, .write)
  }

  func withDatabase<Result: Sendable>(
    _ body: @Sendable (Database) throws(SQLiteError) -> Result
  ) throws(MirrorError) -> Result {
    let result: Swift.Result<Result, SQLiteError> = database.withLock { database in
      do throws(SQLiteError) { return .success(try body(database)) } catch { return .failure(error) }
    }
    switch result {
    case .success(let value): return value
    case .failure(let error):
      throw .store(path: path, reason: Self.reason(error), isUnwritable: error.isUnwritable)
    }
  }

  /// A number that grows whenever anything in the store may have changed since the last call here.
  func changeCount() throws(MirrorError) -> Int64 {
    try withDatabase { (database) throws(SQLiteError) in try database.changeCount() }
  }

  private static func reason(_ error: SQLiteError) -> String {
    if case .failed(let code, let message, _, _, let systemErrno) = error {
      return systemErrno == 0
        ? "\(message) (SQLite \(code))" : "\(message) (SQLite \(code), errno \(systemErrno))"
    }
    return error.description
  }

  /// What is in the store of the mirror in the folder `root`, or nothing where it has none, in memory: a plan may do to
  /// it what a sync would.
  init(copyOf root: String, isThere: Bool) throws(MirrorError) {
    path = "\(root)/\(Self.name)"
    do throws(SQLiteError) {
      let file =
        isThere ? try Database(path: path, mode: .readOnly, applicationID: StoreSchema.applicationID) : nil
      let copy = try Database(inMemoryCopyOf: file)
      try StoreSchema.migrator.migrate(copy)
      seesChanges = false
      database = Mutex(copy)
    } catch {
      throw .store(path: path, reason: Self.reason(error), isUnwritable: error.isUnwritable)
    }
  }

  /// Where the last sync left off.
  struct State: Sendable, Hashable {
    var point: CataloguePoint?
    var channel: String?
    /// Which games were looked at, and how: when it differs, every game is looked at again.
    var scope: String?
    /// `MirrorDisk.stamp` at the end of the last sync.
    var stamp: String?
    /// A sync began to change the disk and did not tidy up.
    var isUnfinished: Bool
    /// The catalogue as it was seen last, whether or not everything in it could be read.
    var seen: CataloguePoint?
    /// Why what is missing in it is not to be believed to be gone.
    var doubt: String?
    var lastSync: LastSync?
  }

  private static func point(
    _ row: borrowing Row, _ catalogue: Int, _ revision: Int
  ) throws(SQLiteError) -> CataloguePoint? {
    guard let catalogue = try row.optionalText(catalogue), let revision = try row.optionalInt(revision) else {
      return nil
    }
    return CataloguePoint(catalogue: catalogue, revision: revision)
  }

  func state() throws(MirrorError) -> State {
    let state = try withDatabase { (database) throws(SQLiteError) in
      try database.first(
        """
        SELECT catalogue, revision, channel, scope, stamp, is_unfinished, synced_at, exit_code, summary, seen_catalogue,
          seen_revision, doubt
        FROM mirror WHERE id = 1
        """
      ) { (row) throws(SQLiteError) in
        let known = try Self.point(row, 0, 1)
        // A mirror of before this was kept knows it by where it left off.
        var seen = try Self.point(row, 9, 10)
        if seen == nil { seen = known }
        var lastSync: LastSync?
        if !row.isNull(6) {
          lastSync = LastSync(
            at: try row.parsed(6, Timestamp.init), exitCode: Int32(truncatingIfNeeded: try row.int(7)),
            summary: try row.text(8))
        }
        return State(
          point: known, channel: try row.optionalText(2), scope: try row.optionalText(3),
          stamp: try row.optionalText(4), isUnfinished: try row.bool(5),
          seen: seen, doubt: try row.optionalText(11), lastSync: lastSync)
      }
    }
    guard let state else {
      throw .store(path: path, reason: "it has lost its first row", isUnwritable: false)
    }
    return state
  }

  /// Says that the disk is about to change, so that the next start looks for what a crash left.
  func markUnfinished() throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run("UPDATE mirror SET is_unfinished = 1 WHERE id = 1")
    }
  }

  /// The disk is tidy and its folders look like `stamp`.
  func markFinished(stamp: String) throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run("UPDATE mirror SET is_unfinished = 0, stamp = ? WHERE id = 1", .text(stamp))
    }
  }

  /// How the sync ended. It may be lost in a power cut: a sync with nothing to do must not wait for the disk.
  func note(_ lastSync: LastSync) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.execute("PRAGMA synchronous = NORMAL")
      let result = Result { () throws(SQLiteError) in
        try database.run(
          "UPDATE mirror SET synced_at = ?, exit_code = ?, summary = ? WHERE id = 1",
          .text(lastSync.at.description), .integer(Int64(lastSync.exitCode)), .text(lastSync.summary))
      }
      try database.execute("PRAGMA synchronous = FULL")
      _ = try result.get()
    }
  }
}
