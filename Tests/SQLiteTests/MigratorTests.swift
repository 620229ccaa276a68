import SQLite
import Testing

@Suite struct MigratorTests {
  private let scratch: ScratchFile
  private let first = Migration(
    name: "m1", sql: "CREATE TABLE a (i INTEGER) STRICT; INSERT INTO a VALUES (1);")
  private let second = Migration(name: "m2", sql: "CREATE TABLE b (i INTEGER) STRICT;")

  init() throws { scratch = try ScratchFile() }

  private func count(_ database: Database, _ table: String) throws -> Int64? {
    try database.first("SELECT count(*) FROM \(table)") { (row) throws(SQLiteError) in try row.int(0) }
  }

  @Test func appliesEachMigrationOnceInOrder() throws {
    let database = try scratch.database()
    #expect(try Migrator([first, second]).status(of: database).pending == ["m1", "m2"])
    try Migrator([first]).migrate(database)
    #expect(try Migrator([first, second]).status(of: database).pending == ["m2"])
    try Migrator([first, second]).migrate(database)
    try Migrator([first, second]).migrate(database)
    let status = try Migrator([first, second]).status(of: database)
    #expect(status.applied == 2)
    #expect(status.pending.isEmpty)
    #expect(try count(database, "a") == 1)
    #expect(try count(database, "b") == 0)
  }

  @Test func rollsBackAFailingMigrationAndKeepsTheOnesBefore() throws {
    let database = try scratch.database()
    let bad = Migration(name: "m2", sql: "CREATE TABLE b (i INTEGER) STRICT; INSERT INTO none VALUES (1);")
    let error = #expect(throws: SQLiteError.self) { try Migrator([first, bad]).migrate(database) }
    guard case .migrationFailed("m2", let message, scratch.path) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(message.contains("no such table"))
    #expect(error?.description.contains("m2 failed and was rolled back") == true)
    #expect(try Migrator([first, bad]).status(of: database).applied == 1)
    try Migrator([first, second]).migrate(database)
    #expect(try count(database, "b") == 0)
  }

  @Test func refusesANewerSchema() throws {
    try Migrator([first, second]).migrate(try scratch.database())
    let database = try scratch.database()
    let expected = SQLiteError.schemaTooNew(found: 2, known: 1, path: scratch.path)
    #expect(throws: expected) { try Migrator([first]).migrate(database) }
    #expect(throws: expected) { try Migrator([first]).status(of: database) }
    #expect(expected.description.contains("run the newer program"))
    try database.execute("PRAGMA user_version = -1")
    #expect(throws: SQLiteError.self) { try Migrator([first]).migrate(database) }
  }

  @Test func tellsAFileThatMayNotBeWrittenFromAScriptThatFails() throws {
    let database = try scratch.database()
    try database.execute("PRAGMA query_only = 1")
    let error = #expect(throws: SQLiteError.self) { try Migrator([first]).migrate(database) }
    #expect(error?.isNotPermitted == true)
    try database.execute("PRAGMA query_only = 0")
    try Migrator([first]).migrate(database)
  }

  @Test func survivesAFullDiskAndContinues() throws {
    let database = try scratch.database()
    let large = Migration(
      name: "m2", sql: "CREATE TABLE b (i BLOB) STRICT; INSERT INTO b VALUES (zeroblob(200000));")
    try Migrator([first]).migrate(database)
    try database.execute("PRAGMA max_page_count = 10")
    let error = #expect(throws: SQLiteError.self) { try Migrator([first, large]).migrate(database) }
    #expect(error?.isDiskFull == true)
    #expect(try Migrator([first, large]).status(of: database).applied == 1)
    try database.execute("PRAGMA max_page_count = 10000")
    try Migrator([first, large]).migrate(database)
    #expect(try count(database, "b") == 1)
  }
}
