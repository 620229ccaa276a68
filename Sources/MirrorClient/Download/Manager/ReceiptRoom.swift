internal import Platform
internal import SQLite
internal import Synchronization

/// The database that receipts are kept in.
protocol ReceiptRoom: Sendable {
  /// Runs `body` when nobody else uses the connection; blocks until then.
  func withReceipts<Result: Sendable>(
    _ body: @Sendable (Database) throws(SQLiteError) -> Result
  ) throws(DownloadError) -> Result

  /// Nobody will write receipts any more.
  func close()
}

/// A file of receipts that belongs to one manager, `receipts.sqlite` in its folder; locked against a second one.
final class ReceiptFile: ReceiptRoom {
  /// What the names of the file and those beside it begin with.
  static let stem = "receipts."
  static let name = "\(stem)sqlite"
  static let lockName = "\(stem)lock"
  /// Marks the file: "GDrc".
  private static let applicationID: Int32 = 0x4744_7263
  private static let migrator = Migrator([
    Migration(name: "m0001-receipts", sql: ReceiptTable.migration)
  ])

  private let path: String
  private let lock: File
  /// Nil when it is closed.
  private let database: Mutex<Database?>

  /// Throws `inUse` when another manager, of this process or another, has it open.
  init(in folder: Directory) throws(DownloadError) {
    path = "\(folder.path)/\(Self.name)"
    do throws(SystemError) {
      lock = try folder.file(Self.lockName, mode: .readWrite)
      guard try lock.tryLock(.exclusive) else { throw SystemError(errno: 11, operation: "lock") }
    } catch {
      throw error.operation == "lock" ? .inUse(path: path) : .disk(error)
    }
    do throws(SQLiteError) {
      let opened = try Database(
        path: path, mode: .readWrite(create: true), applicationID: Self.applicationID)
      try Self.migrator.migrate(opened)
      database = Mutex(opened)
    } catch {
      throw .receipts(path: path, reason: error.description, isUnwritable: error.isUnwritable)
    }
  }

  func withReceipts<Result: Sendable>(
    _ body: @Sendable (Database) throws(SQLiteError) -> Result
  ) throws(DownloadError) -> Result {
    let result = database.withLock { database -> Swift.Result<Result, SQLiteError>? in
      database.map { database in
        do throws(SQLiteError) { return .success(try body(database)) } catch { return .failure(error) }
      }
    }
    guard let result else { throw .receipts(path: path, reason: "closed", isUnwritable: false) }
    do throws(SQLiteError) { return try result.get() } catch {
      throw .receipts(path: path, reason: error.description, isUnwritable: error.isUnwritable)
    }
  }

  func close() {
    database.withLock { $0 = nil }
    // Else it goes with the last of those who hold this.
    try? lock.unlock()
  }
}

extension Store: ReceiptRoom {
  func withReceipts<Result: Sendable>(
    _ body: @Sendable (Database) throws(SQLiteError) -> Result
  ) throws(DownloadError) -> Result {
    do throws(MirrorError) { return try withDatabase(body) } catch {
      guard case .store(let path, let reason, let isUnwritable) = error else {
        throw .receipts(path: path, reason: error.description, isUnwritable: false)
      }
      throw .receipts(path: path, reason: reason, isUnwritable: isUnwritable)
    }
  }

  /// The store is the mirror's, and stays.
  func close() {}
}
