import DepotModel
import Platform
import SQLite
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct InstalledFilesTests {
  @Test func knowsEveryFileOfAVersionWithItsDigest() async throws {
    let bench = try Bench()
    let zip = ZipBuilder.zip(["index.html": "hello", "js/lib/a.js": "a", "empty/": ""])
    try bench.depot.publish("game", "1", zip: zip)
    try await bench.sync()
    let files = try #require(try bench.mirror().installedFiles(of: game("game")))
    #expect(files.map(\.path) == ["index.html", "js/lib/a.js"])
    #expect(files.map(\.size) == [5, 1] && files.totalSize == 6)
    #expect(files.emptyFolders == ["empty"])
    #expect(files[0].sha256.bytes == Hash.digest(of: Array("hello".utf8), .sha256))
    #expect(files[0].crc32 == 0x3610_A686)
  }

  @Test func knowsThoseOfKeptVersionsUntilTheyGo() async throws {
    let bench = try Bench()
    for number in 1...3 {
      try bench.depot.publish("game", "\(number)", "text \(number)")
      try await bench.sync(Bench.options(keep: 2))
    }
    let mirror = bench.mirror()
    #expect(try mirror.installedFiles(of: game("game"), version("1")) == nil)
    #expect(try mirror.installedFiles(of: game("game"), version("2"))?.count == 2)
    #expect(try mirror.installedFiles(of: game("other")) == nil)
    try await mirror.remove(game("game"), lockWait: .zero)
    #expect(try mirror.installedFiles(of: game("game"), version("3")) == nil)
  }

  @Test func otherBytesOfTheSameVersionHaveAListOfTheirOwn() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "old")
    try await bench.sync()
    try bench.depot.publish("game", "1", "newer")
    try await bench.sync()
    #expect(try bench.mirror().installedFiles(of: game("game"))?.file(at: "index.html")?.size == 5)
  }

  /// A play server may be run by somebody who may only read.
  @Test func askingChangesNothingAndWaitsForNobody() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "text")
    try await bench.sync()
    let store = try Store(root: bench.destination)
    // As if an older version of this program had written it.
    try store.withDatabase { (database) throws(SQLiteError) in
      try database.execute("PRAGMA user_version = 1; BEGIN IMMEDIATE")
    }
    #expect(try bench.mirror().installedFiles(of: game("game"))?.count == 2)
    let after = try store.withDatabase { (database) throws(SQLiteError) in
      try database.execute("COMMIT")
      return try database.first("PRAGMA user_version") { (row) throws(SQLiteError) in try row.int(0) }
    }
    #expect(after == 1)
  }

  /// As by a version of this program that kept no lists.
  @Test func aVersionWithoutAListGetsOneFromItsPackage() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "old")
    try await bench.sync()
    let store = try Store(root: bench.destination)
    _ = try store.withDatabase { (database) throws(SQLiteError) in
      try database.run("DELETE FROM installed_files")
    }
    #expect(try await bench.verify().unlisted == ["game 1"])
    #expect(try await bench.verify().exitCode == 0)
    bench.depot.forgetHistory()
    bench.fetcher.forget()
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.fetcher.fetched == [])
    #expect(try bench.mirror().installedFiles(of: game("game"))?.count == 2)
  }
}
