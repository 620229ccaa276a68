import DepotModel
import Foundation
import SQLite
import Testing

@testable import Catalogue

@Suite struct StorageTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws { fixture = try Fixture() }

  private func opening() -> CatalogueError? {
    #expect(throws: CatalogueError.self) { try fixture.another() }
  }

  @Test func listsEveryMigrationOfTheFolder() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = root.appending(path: "migrations")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".sql") }.sorted()
    #expect(Catalogue.migrations.map { $0.name + ".sql" } == names)
    for migration in Catalogue.migrations {
      let text = try String(contentsOf: folder.appending(path: migration.name + ".sql"), encoding: .utf8)
      #expect(migration.sql == text)
    }
  }

  @Test func opensAgainAsTheSameCatalogue() throws {
    try fixture.publish("a", "1")
    let again = try fixture.another()
    #expect(again.identity == catalogue.identity)
    #expect(try again.revision() == 1)
    #expect(UUID(uuidString: catalogue.identity) != nil)
    #expect(Array(catalogue.identity.utf8)[14] == UInt8(ascii: "4"))
    #expect(try Fixture().catalogue.identity != catalogue.identity)
    #expect(try Catalogue.migrationStatus(path: fixture.path).pending.isEmpty)
  }

  @Test func seesWhatAnotherProcessDoes() throws {
    let other = try fixture.another()
    let before = try other.changeToken()
    #expect(try other.changeToken() == before)
    try fixture.publish("a", "1")
    let after = try other.changeToken()
    #expect(after != before)
    #expect(try other.revision() == 1)
    #expect(try other.release(try game("a"), channel: .stable)?.version == h5("1"))
    // And its own changes count as well.
    let own = try catalogue.changeToken()
    try other.removeGame(try game("a"), actor: nil)
    #expect(try other.changeToken() != after)
    #expect(try catalogue.changeToken() != own)
    #expect(try catalogue.presence(of: try game("a")) == .removed)
  }

  @Test func refusesANewerSchema() throws {
    try Database(path: fixture.path, mode: .readWrite(create: false)).execute("PRAGMA user_version = 99")
    let expected = SQLiteError.schemaTooNew(
      found: 99, known: Catalogue.migrations.count, path: fixture.path)
    #expect(opening() == .storage(expected))
    #expect(throws: CatalogueError.storage(expected)) {
      try Catalogue.migrationStatus(path: fixture.path)
    }
  }

  @Test func tellsWhatAnOldFileLacks() throws {
    let path = fixture.folder.appending(path: "old.sqlite").path
    do {
      let database = try Database(
        path: path, mode: .readWrite(create: true), applicationID: Catalogue.applicationID)
      try Migrator(Array(Catalogue.migrations.prefix(1))).migrate(database)
    }
    let status = try Catalogue.migrationStatus(path: path)
    #expect(status.applied == 1)
    #expect(status.pending == Catalogue.migrations.dropFirst().map(\.name))
    #expect(try Catalogue(path: path).tokens().isEmpty)
    #expect(try Catalogue.migrationStatus(path: path).pending.isEmpty)
  }

  @Test func refusesOtherFiles() throws {
    let path = fixture.folder.appending(path: "other").path
    try Data("not a database, and longer than any header would be\n".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: CatalogueError.self) { try Catalogue(path: path) }
    #expect(
      error?.description
        == "\(path): file is not a database (SQLite 26); choose another file or restore a backup")
    let missing = #expect(throws: CatalogueError.self) {
      try Catalogue.migrationStatus(path: path + "/none")
    }
    #expect(missing?.description.contains("unable to open database file") == true)
    let foreign = fixture.folder.appending(path: "foreign").path
    _ = try Database(path: foreign, mode: .readWrite(create: true), applicationID: 5)
    #expect(
      throws: CatalogueError.storage(
        .foreignFile(found: 5, expected: Catalogue.applicationID, path: foreign))
    ) { try Catalogue(path: foreign) }
  }

  @Test func saysWhatIsDamaged() throws {
    try fixture.publish("a", "1")
    let database = try Database(path: fixture.path, mode: .readWrite(create: false))
    try database.execute("PRAGMA foreign_keys = OFF; DELETE FROM games")
    #expect(try catalogue.integrityCheck().contains("a row of releases refers to a missing row of games"))
    try database.execute("PRAGMA ignore_check_constraints = ON")
    try database.run("INSERT INTO games (id, folded, title) VALUES ('a', 'a', 'A')")
    try database.run("UPDATE releases SET md5 = x'00'")
    let error = #expect(throws: CatalogueError.self) { try fixture.stable("a") }
    #expect(
      error
        == .corrupt(
          "\(fixture.path): column md5 holds blob of 1 bytes where Digest<MD5> belongs; restore a backup"))
    try database.run("DELETE FROM meta")
    #expect(throws: CatalogueError.self) { try catalogue.revision() }
  }

  @Test func keepsTheOldStateOnAFullDiskAtEveryPage() throws {
    try fixture.publish("a", "1", seed: 1)
    let before = (try fixture.stable("a"), try fixture.audit())
    let pages = try catalogue.write { (session) throws(CatalogueError) in
      try session.first("PRAGMA page_count") { (row) throws(SQLiteError) in try row.int(0) } ?? 0
    }
    var failures = 0
    for extra in 0..<500 {
      try catalogue.write { (session) throws(CatalogueError) in
        _ = try session.first("PRAGMA max_page_count = \(pages + Int64(extra))") { _ in 0 }
      }
      do throws(any Error) {
        try fixture.publish("a", "2", seed: 2, package: try facts(files: 400))
        break
      } catch {
        failures += 1
        #expect((error as? CatalogueError)?.isDiskFull == true)
        #expect(try (fixture.stable("a"), fixture.audit()) == before)
        #expect(try catalogue.revision() == 1)
        #expect(try catalogue.changes(since: 1, channel: .stable, after: nil, limit: 1).changed.isEmpty)
      }
    }
    #expect(failures > 5)
    #expect(try fixture.stable("a")?.version == h5("2"))
    #expect(try catalogue.integrityCheck().isEmpty)
  }

  @Test func forgetsWhatAKilledProcessHadBegun() throws {
    try fixture.publish("a", "1")
    let script = """
      import os, signal, sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute("PRAGMA cache_size = 1")
      c.execute("BEGIN IMMEDIATE")
      c.execute("UPDATE meta SET revision = revision + 1")
      c.execute("UPDATE games SET title = 'half'")
      for i in range(2000): c.execute("INSERT INTO audit_log (at, actor, action, subject) VALUES (?, ?, ?, ?)", (i, "x" * 100, "y", "z"))
      os.kill(os.getpid(), signal.SIGKILL)
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, fixture.path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    for view in [catalogue, try fixture.another()] {
      #expect(try view.revision() == 1)
      #expect(try view.release(try game("a"), channel: .stable)?.title == "a")
      #expect(try view.integrityCheck().isEmpty)
    }
    try fixture.publish("a", "2")
    #expect(try fixture.audit().count == 2)
  }

  @Test func abandonsATransactionThatThrows() throws {
    try fixture.publish("a", "1")
    let token = try catalogue.changeToken()
    #expect(throws: CatalogueError.unknownGame(try game("x"))) {
      let id = try game("x")
      try catalogue.write { (session) throws(CatalogueError) in
        _ = try session.nextRevision()
        try session.run("UPDATE games SET title = 'half'")
        throw .unknownGame(id)
      }
    }
    #expect(try catalogue.changeToken() == token)
    #expect(try catalogue.revision() == 1)
    #expect(try fixture.stable("a")?.title == "a")
  }

  @Test func opensWithOtherTools() throws {
    try fixture.publish("a", "1", title: "Ä")
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT g.title, r.version, hex(r.md5) FROM games g JOIN releases r ON r.game = g.id').fetchall())",
      fixture.path,
    ]
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(output == "[('Ä', '1', '\(String(repeating: "31", count: 16))')]\n")
  }

  @Test func explainsEveryRefusal() throws {
    let md5 = try md5(1)
    let id = try game("snake")
    let errors: [CatalogueError] = [
      .versionExists(there: md5), .versionBurnt(there: md5), .idCaseConflict(existing: id),
      .unknownGame(id), .unknownVersion(id, try h5("1")), .unknownChannel(id, .stable),
      .revisionGone(oldest: 1, newest: 2), .unreadableCursor("x"), .tokenNameTaken("ci"), .corrupt("broken"),
      .storage(.schemaTooNew(found: 2, known: 1, path: "p")),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.allSatisfy { !$0.description.contains("\n") && !$0.isDiskFull })
  }
}
