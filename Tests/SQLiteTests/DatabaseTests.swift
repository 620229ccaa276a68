import Foundation
import SQLite
import Testing

@Suite struct DatabaseTests {
  private let scratch: ScratchFile
  private let database: Database

  init() throws {
    scratch = try ScratchFile()
    database = try scratch.database()
    try database.execute("CREATE TABLE t (i INTEGER, s TEXT, b BLOB) STRICT; CREATE INDEX t_i ON t (i)")
  }

  private struct Line: Equatable {
    var number: Int64?
    var text: String?
    var bytes: [UInt8]?
  }

  private func lines(_ sql: String = "SELECT i, s, b FROM t", _ values: Value...) throws -> [Line] {
    try database.query(sql, values) { (row) throws(SQLiteError) in
      Line(
        number: try row.optionalInt(0), text: try row.optionalText(1), bytes: try row.optionalBlob(2))
    }
  }

  @Test(
    arguments: [
      (Int64.max, "", []), (.min, "a\u{0}b", [0, 255, 0]), (0, "😀é'\"?", Array(repeating: 7, count: 70_000)),
    ] as [(Int64, String, [UInt8])])
  func keepsEveryValue(_ number: Int64, _ text: String, _ bytes: [UInt8]) throws {
    #expect(
      try database.run("INSERT INTO t VALUES (?, ?, ?)", .integer(number), .text(text), .blob(bytes)) == 1)
    #expect(try lines() == [Line(number: number, text: text, bytes: bytes)])
    let kept = try database.first("SELECT i, s, b FROM t") { (row) throws(SQLiteError) in
      Line(number: try row.int(0), text: try row.text(1), bytes: try row.blob(2))
    }
    #expect(kept == Line(number: number, text: text, bytes: bytes))
  }

  @Test func aCopyInMemoryIsItsOwn() throws {
    try database.run("INSERT INTO t VALUES (?, ?, ?)", .integer(1), .text("one"), .null)
    let copy = try Database(inMemoryCopyOf: scratch.database(.readOnly))
    try copy.run("INSERT INTO t VALUES (?, ?, ?)", .integer(2), .text("two"), .null)
    #expect(try copy.first("SELECT count(*) FROM t") { (row) throws(SQLiteError) in try row.int(0) } == 2)
    #expect(try lines() == [Line(number: 1, text: "one")])
    let empty = try Database(inMemoryCopyOf: nil)
    #expect(
      try empty.first("SELECT count(*) FROM sqlite_schema") { (row) throws(SQLiteError) in try row.int(0) }
        == 0)
  }

  @Test func tellsNullFromEmpty() throws {
    try database.run("INSERT INTO t VALUES (?, ?, ?)", nil, "", .blob([]))
    try database.run(
      "INSERT INTO t VALUES (?, ?, ?)", Value(nil as Int64?), Value(nil as String?), Value(nil as [UInt8]?))
    #expect(try lines() == [Line(number: nil, text: "", bytes: []), Line()])
    #expect(try lines("SELECT i, s, b FROM t WHERE b IS NULL") == [Line()])
    #expect(Value("x" as String?) == "x")
    #expect(Value(7 as Int64?) == 7)
    #expect(Value([1] as [UInt8]?) == .blob([1]))
    #expect([Value(true), Value(false)] == [1, 0])
  }

  @Test func refusesTheWrongType() throws {
    try database.run("INSERT INTO t VALUES (2, 'x', NULL)")
    func message<T>(_ body: (borrowing Row) throws(SQLiteError) -> T) -> String {
      do throws(SQLiteError) {
        _ = try database.first("SELECT i, s, b, 1.5 FROM t", as: body)
        return "read"
      } catch { return error.description }
    }
    #expect(
      message { (row) throws(SQLiteError) in try row.text(0) }.hasSuffix(
        "column i holds integer 2 where text belongs; restore a backup"))
    #expect(
      message { (row) throws(SQLiteError) in try row.int(1) }.contains("holds text \"x\" where an integer"))
    #expect(
      message { (row) throws(SQLiteError) in try row.blob(2) }.contains("column b holds null where a blob"))
    #expect(message { (row) throws(SQLiteError) in try row.bool(0) }.contains("where 0 or 1 belongs"))
    #expect(message { (row) throws(SQLiteError) in try row.int(3) }.contains("holds another type"))
    #expect(message { (row) throws(SQLiteError) in try row.int(9) }.contains("holds null"))
    #expect(
      message { (row) throws(SQLiteError) in try row.parsed(1, Int.init) }.contains("where Int belongs"))
    let never: (borrowing Row) throws(SQLiteError) -> Int = { (row) throws(SQLiteError) in
      try row.parsedBlob(2) { (_: [UInt8]) -> Int? in nil }
    }
    #expect(message(never).contains("null"))
    try database.run("UPDATE t SET b = x'0102'")
    #expect(message(never).contains("holds blob of 2 bytes where Int belongs"))
    #expect(message { (row) throws(SQLiteError) in try row.parsed(1) { $0 } } == "read")
    #expect(message { (row) throws(SQLiteError) in try row.bool(0) } != "read")
  }

  @Test func countsChangesAndLendsRows() throws {
    for number in 1...5 { try database.run("INSERT INTO t (i) VALUES (?)", .integer(Int64(number))) }
    #expect(try database.run("UPDATE t SET s = 'x' WHERE i > ?", 2) == 3)
    var seen: [Int64] = []
    try database.rows("SELECT i FROM t WHERE i < ? ORDER BY i", [4]) { (row) throws(SQLiteError) in
      seen.append(try row.int(0))
    }
    #expect(seen == [1, 2, 3])
    #expect(
      try database.first("SELECT i FROM t WHERE i = 9") { (row) throws(SQLiteError) in try row.int(0) } == nil
    )
  }

  @Test func allowsTheSameStatementInsideItself() throws {
    for number in 1...3 { try database.run("INSERT INTO t (i) VALUES (?)", .integer(Int64(number))) }
    let sql = "SELECT i FROM t ORDER BY i"
    var pairs = 0
    try database.rows(sql) { (_) throws(SQLiteError) in
      try database.rows(sql) { (_) throws(SQLiteError) in pairs += 1 }
    }
    #expect(pairs == 9)
  }

  @Test(
    arguments: [
      ("SELEC 1", [], "syntax error"), ("SELECT ?", [], "0 values for 1 parameters"),
      ("SELECT 1", [1], "1 values for 0 parameters"), ("SELECT 1; SELECT 2", [], "more than one statement"),
      ("", [], "no statement"), ("-- nothing", [], "no statement"),
      ("SELECT * FROM none", [], "no such table"),
    ] as [(String, [Value], String)])
  func refusesBadStatements(_ sql: String, _ values: [Value], _ message: String) {
    let error = #expect(throws: SQLiteError.self) { try database.run(sql, values) }
    #expect(error?.description.contains(message) == true)
    #expect(error?.description.hasPrefix(scratch.path) == true)
  }

  @Test func readsAStatementWithASemicolon() throws {
    #expect(try database.run("INSERT INTO t (i) VALUES (1);\n ") == 1)
  }

  @Test func namesConstraints() throws {
    try database.execute(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE c (p INTEGER REFERENCES p (id)) STRICT
      """)
    let error = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO c VALUES (1)") }
    #expect(error?.isConstraint == true)
    #expect(error?.isBusy == false)
    // SQLITE_CONSTRAINT_FOREIGNKEY
    #expect(error?.code == 787)
    let strict = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO t (i) VALUES ('x')") }
    #expect(strict?.isConstraint == true)
  }

  @Test func rollsBackWhatThrows() throws {
    struct Stop: Error, Equatable {}
    #expect(throws: Stop.self) {
      try database.transaction(wrapping: { $0 as any Error }) { () throws in
        try database.run("INSERT INTO t (i) VALUES (1)")
        throw Stop()
      }
    }
    #expect(try lines().isEmpty)
    let count = try database.transaction { () throws(SQLiteError) in
      try database.run("INSERT INTO t (i) VALUES (1)")
    }
    #expect(count == 1)
    #expect(try lines().count == 1)
    // And after a failing statement inside.
    #expect(throws: SQLiteError.self) {
      try database.transaction { () throws(SQLiteError) in
        try database.run("DELETE FROM t")
        try database.run("INSERT INTO none VALUES (1)")
      }
    }
    #expect(try lines().count == 1)
  }

  @Test func refusesATransactionInATransactionAndKeepsTheOuter() throws {
    try database.transaction { () throws(SQLiteError) in
      try database.run("INSERT INTO t (i) VALUES (1)")
      do throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in }
        Issue.record("nested")
      } catch { #expect(error.description.contains("within a transaction")) }
    }
    #expect(try lines().count == 1)
  }

  @Test func rollsBackWhenTheCommitFails() throws {
    try database.execute(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE c (p INTEGER REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED) STRICT
      """)
    let error = #expect(throws: SQLiteError.self) {
      try database.transaction { () throws(SQLiteError) in try database.run("INSERT INTO c VALUES (1)") }
    }
    #expect(error?.isConstraint == true)
    try database.transaction { () throws(SQLiteError) in try database.run("INSERT INTO p VALUES (1)") }
  }

  @Test func showsOneSnapshotInAReadTransaction() throws {
    let reader = try scratch.database(.readOnly)
    let count = { () throws(SQLiteError) -> Int64? in
      try reader.first("SELECT count(*) FROM t") { (row) throws(SQLiteError) in try row.int(0) }
    }
    try reader.transaction(.read) { () throws(SQLiteError) in
      #expect(try count() == 0)
      try database.run("INSERT INTO t (i) VALUES (1)")
      #expect(try count() == 0)
    }
    #expect(try count() == 1)
  }

  @Test func seesCommitsOfOthersInDataVersion() throws {
    let watcher = try scratch.database(.readOnly)
    let first = try watcher.dataVersion
    #expect(try watcher.dataVersion == first)
    try database.run("INSERT INTO t (i) VALUES (1)")
    let second = try watcher.dataVersion
    #expect(second != first)
    try? database.transaction { () throws(SQLiteError) in
      try database.run("INSERT INTO t (i) VALUES (2)")
      try database.run("abandon")
    }
    #expect(try watcher.dataVersion == second)
  }

  @Test func countsCommitsOfEveryConnection() throws {
    let watcher = try scratch.database(.readOnly)
    var last = try watcher.changeCount()
    #expect(try watcher.changeCount() == last)
    for round in 0..<20 {
      try database.run("INSERT INTO t (i) VALUES (?)", .integer(Int64(round)))
      let next = try watcher.changeCount()
      #expect(next > last)
      #expect(try watcher.changeCount() == next)
      last = next
      if round % 5 == 0 { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      last = try watcher.changeCount()
    }
    // Its own commits count too, abandoned ones do not.
    let own = try database.changeCount()
    try database.run("INSERT INTO t (i) VALUES (1)")
    #expect(try database.changeCount() > own)
    last = try watcher.changeCount()
    try? database.transaction { () throws(SQLiteError) in
      try database.run("INSERT INTO t (i) VALUES (2)")
      try database.run("abandon")
    }
    #expect(try watcher.changeCount() == last)
  }

  @Test func countsCommitsWithoutAnIndexToo() throws {
    let memory = try Database(path: scratch.path, mode: .readOnly)
    try memory.execute("PRAGMA locking_mode = EXCLUSIVE")
    let last = try memory.changeCount()
    #expect(try memory.changeCount() == last)
  }

  @Test func refusesToWriteWhenOpenForReading() throws {
    let reader = try scratch.database(.readOnly)
    let error = #expect(throws: SQLiteError.self) { try reader.run("INSERT INTO t (i) VALUES (1)") }
    #expect(error?.description.contains("readonly") == true)
  }

  @Test func usesAWriteAheadLogAndFullSync() throws {
    func setting(_ name: String) throws -> String? {
      try database.first("SELECT CAST(\(name) AS TEXT) FROM pragma_\(name)") { (row) throws(SQLiteError) in
        try row.text(0)
      }
    }
    #expect(try setting("journal_mode") == "wal")
    #expect(try setting("synchronous") == "2")
    #expect(try setting("foreign_keys") == "1")
    #expect(try setting("trusted_schema") == "0")
  }

  @Test func saysThatADiskIsFull() throws {
    try database.execute("PRAGMA max_page_count = 8")
    let error = #expect(throws: SQLiteError.self) {
      try database.transaction { () throws(SQLiteError) in
        for _ in 0..<100 { try database.run("INSERT INTO t (b) VALUES (zeroblob(4096))") }
      }
    }
    #expect(error?.isDiskFull == true)
    #expect(error?.description.contains("free some space") == true)
    #expect(try lines().isEmpty)
    try database.execute("PRAGMA max_page_count = 10000")
    try database.run("INSERT INTO t (i) VALUES (1)")
    #expect(try lines().count == 1)
  }
}
