/// One step of a schema, forward only: never edited once released.
public struct Migration: Sendable, Hashable {
  /// What it is called in messages: `m0001-games`.
  public let name: String
  /// A script, without BEGIN or COMMIT.
  public let sql: String

  /// A step named `name`.
  public init(name: String, sql: String) {
    self.name = name
    self.sql = sql
  }
}

/// Where a file's schema stands against what a program knows.
public struct MigrationStatus: Sendable, Hashable {
  /// Migrations the file has had.
  public let applied: Int
  /// Names of those it still needs, in order.
  public let pending: [String]
}

/// Brings a database to a program's schema; `PRAGMA user_version` counts the migrations a file has had.
public struct Migrator: Sendable {
  private let migrations: [Migration]

  /// Migrations in order; later versions of a program only append.
  public init(_ migrations: [Migration]) { self.migrations = migrations }

  /// Applies what is missing, each migration in one transaction.
  ///
  /// Two processes may do this at once: each step is decided under the write lock. Throws `schemaTooNew`, with
  /// nothing changed, for a file that a newer program wrote, and `migrationFailed` when a script fails
  /// for another reason than the disk.
  public func migrate(_ database: Database) throws(SQLiteError) {
    while let next = try status(of: database).pending.first {
      try database.transaction { () throws(SQLiteError) in
        let status = try status(of: database)
        // Another process has applied it while this one waited for the lock.
        guard status.pending.first == next else { return }
        let migration = migrations[status.applied]
        do throws(SQLiteError) { try database.execute(migration.sql) } catch {
          // Not the script's fault, and told as what it is.
          if error.isUnwritable { throw error }
          throw .migrationFailed(name: migration.name, message: "\(error)", path: database.path)
        }
        try database.execute("PRAGMA user_version = \(status.applied + 1)")
      }
    }
  }

  /// What the file has and needs. Throws `schemaTooNew` when it has more than this program knows.
  public func status(of database: Database) throws(SQLiteError) -> MigrationStatus {
    let applied = Int(try database.number("PRAGMA user_version"))
    guard applied >= 0, applied <= migrations.count else {
      throw .schemaTooNew(found: applied, known: migrations.count, path: database.path)
    }
    return MigrationStatus(applied: applied, pending: migrations.dropFirst(applied).map(\.name))
  }
}
