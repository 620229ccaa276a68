import Foundation
import SQLite
import Testing

@Suite struct OpeningTests {
  private let scratch: ScratchFile

  init() throws { scratch = try ScratchFile() }

  private func error(_ mode: Database.Mode, applicationID: Int32? = nil) -> SQLiteError? {
    #expect(throws: SQLiteError.self) {
      try Database(path: scratch.path, mode: mode, applicationID: applicationID)
    }
  }

  @Test func refusesAMissingFileUnlessToldToMakeIt() throws {
    #expect(error(.readOnly)?.isCannotOpen == true)
    #expect(error(.readWrite(create: false))?.isCannotOpen == true)
    #expect(!FileManager.default.fileExists(atPath: scratch.path))
    _ = try scratch.database()
    _ = try scratch.database(.readWrite(create: false))
  }

  @Test func aloneReadsTheLogTooWithoutSharedMemory() throws {
    let writer = try scratch.database()
    try writer.execute("CREATE TABLE t (n INTEGER) STRICT; INSERT INTO t VALUES (42)")
    // As a crash leaves it: the log has what the file has not.
    let copy = scratch.path + ".copy"
    for name in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: scratch.path + name, toPath: copy + name)
    }
    defer { for name in ["", "-wal"] { try? FileManager.default.removeItem(atPath: copy + name) } }
    do {
      let alone = try Database(path: copy, mode: .alone)
      #expect(try alone.first("SELECT n FROM t") { (row) throws(SQLiteError) in try row.int(0) } == 42)
      #expect(!FileManager.default.fileExists(atPath: copy + "-shm"))
    }
  }

  @Test func readsAnImmutableFileWithoutTouchingItsFolder() throws {
    let folder = "\(scratch.path) 100% #1?"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/a.sqlite"
    do {
      let database = try Database(path: path, mode: .readWrite(create: true), applicationID: 7)
      try database.execute("CREATE TABLE t (n INTEGER) STRICT; INSERT INTO t VALUES (42)")
    }
    let database = try Database(path: path, mode: .immutable, applicationID: 7)
    let number = try database.first("SELECT n FROM t") { (row) throws(SQLiteError) in try row.int(0) }
    #expect(number == 42)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.sqlite"])
    #expect(throws: SQLiteError.self) { try database.execute("DELETE FROM t") }
    #expect(throws: SQLiteError.self) { try Database(path: path, mode: .immutable, applicationID: 8) }
    #expect(throws: SQLiteError.self) { try Database(path: path + "?x", mode: .immutable) }
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test(arguments: [Database.Mode.readOnly, .readWrite(create: false), .readWrite(create: true)])
  func refusesWhatIsNoDatabase(_ mode: Database.Mode) throws {
    let text = Data(String(repeating: "these are notes, not a database\n", count: 200).utf8)
    try text.write(to: URL(filePath: scratch.path))
    let found = error(mode)
    #expect(found?.isNotADatabase == true)
    #expect(found?.isCorrupt == false)
    #expect(
      found?.description
        == "\(scratch.path): file is not a database (SQLite 26); choose another file or restore a backup")
    #expect(try Data(contentsOf: URL(filePath: scratch.path)) == text)
  }

  @Test func saysThatAFileIsDamaged() throws {
    do {
      let database = try scratch.database()
      try database.execute("CREATE TABLE t (b BLOB) STRICT")
      for _ in 0..<50 { try database.run("INSERT INTO t VALUES (zeroblob(2000))") }
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let file = try FileHandle(forUpdating: URL(filePath: scratch.path))
    let size = try file.seekToEnd()
    try file.seek(toOffset: 4096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
    try file.close()
    let found = #expect(throws: SQLiteError.self) {
      try scratch.database().query("SELECT b FROM t") { (row) throws(SQLiteError) in try row.blob(0) }
    }
    #expect(found?.isCorrupt == true)
    #expect(found?.description.contains("restore a backup") == true)
  }

  @Test func marksANewFileAndKnowsItAgain() throws {
    for _ in 0..<2 {
      _ = try Database(path: scratch.path, mode: .readWrite(create: true), applicationID: 77)
    }
    _ = try Database(path: scratch.path, mode: .readOnly, applicationID: 77)
    #expect(error(.readOnly, applicationID: 78) == .foreignFile(found: 77, expected: 78, path: scratch.path))
    let found = error(.readWrite(create: true), applicationID: 78)
    #expect(found == .foreignFile(found: 77, expected: 78, path: scratch.path))
    #expect(found?.description.contains("belongs to another program") == true)
    #expect(found?.code == nil)
    #expect(found?.isDiskFull == false)
  }

  @Test func leavesAnotherProgramsFileAsItWas() throws {
    let tool = Process()
    tool.executableURL = URL(filePath: "/usr/bin/env")
    tool.arguments = [
      "python3", "-c",
      "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE x (y)'); c.commit()",
      scratch.path,
    ]
    try tool.run()
    tool.waitUntilExit()
    try #require(tool.terminationStatus == 0)
    let before = try Data(contentsOf: URL(filePath: scratch.path))
    #expect(
      error(.readWrite(create: true), applicationID: 77)
        == .foreignFile(found: 0, expected: 77, path: scratch.path))
    #expect(try Data(contentsOf: URL(filePath: scratch.path)) == before)
  }

  @Test func tellsErrorsOfTheDiskApart() {
    func failed(_ code: Int32, _ errno: Int32 = 0) -> SQLiteError {
      .failed(code: code, message: "m", sql: "SELECT\n  1", path: "p", systemErrno: errno)
    }
    #expect(failed(13).isDiskFull)
    // SQLITE_IOERR_WRITE with ENOSPC, with EDQUOT, with EIO.
    #expect(failed(778, 28).isDiskFull)
    #expect(failed(778, 122).isDiskFull)
    #expect(!failed(778, 5).isDiskFull)
    // SQLITE_IOERR_FSYNC has no errno.
    #expect(failed(778, 5).isDiskFailure && failed(1034).isDiskFailure)
    #expect(!failed(13).isDiskFailure && !failed(11).isDiskFailure)
    for code: Int32 in [5, 8, 13, 14, 778] { #expect(failed(code).isUnwritable) }
    for code: Int32 in [1, 11, 19, 26] { #expect(!failed(code).isUnwritable) }
    #expect(failed(778, 5).description == "p: m (SQLite 778, errno 5) in: SELECT 1")
    #expect(failed(5).isBusy && failed(261).isBusy && failed(6).isBusy)
    #expect(failed(5).description.contains("try again"))
    #expect(failed(11).isCorrupt && failed(267).isCorrupt)
  }

  @Test func opensOneNewFileFromManyThreads() async throws {
    let path = scratch.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let database = try Database(path: path, mode: .readWrite(create: true), applicationID: 77)
          try Migrator([Migration(name: "m1", sql: "CREATE TABLE t (i INTEGER) STRICT")]).migrate(database)
          try database.transaction { () throws(SQLiteError) in
            try database.run("INSERT INTO t VALUES (1)")
          }
        }
      }
      try await group.waitForAll()
    }
    let count = try scratch.database().first("SELECT count(*) FROM t") { (row) throws(SQLiteError) in
      try row.int(0)
    }
    #expect(count == 8)
  }
}
