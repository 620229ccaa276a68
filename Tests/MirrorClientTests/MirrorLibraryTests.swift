import DepotModel
import HTTPClient
import SQLite
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct MirrorLibraryTests {
  private let bench: Bench
  private var library: MirrorLibrary { MirrorLibrary(destination: bench.destination) }

  init() throws { bench = try Bench() }

  private func install(_ version: String, _ text: String) async throws {
    try bench.depot.publish("game", version, text)
    try await bench.sync()
  }

  @Test func tellsTheVersionInUseWithItsTitleAndFiles() async throws {
    try await install("1", "old")
    let told = try #require(try library.games().first)
    #expect(told.installed.title == "Game game" && told.installed.version.text == "1")
    #expect(told.newer == nil)
    let version = try #require(try library.version(game("game"), version("1")))
    #expect(version.files.map(\.path) == ["index.html", "js/a.js"])
    #expect(!version.needsIsolation)
  }

  @Test func aVersionThatIsOfferedAndNotHereIsNewer() async throws {
    try await install("1", "old")
    try bench.depot.publish("game", "2", "new")
    bench.fetcher.fail("game", with: MirrorError.download(reason: "cut off"))
    _ = try await bench.sync()
    #expect(try library.game(game("game"))?.newer?.text == "2")
    bench.fetcher.fail("game", with: nil)
    try await bench.sync()
    let told = try #require(try library.game(game("game")))
    #expect(told.installed.version.text == "2" && told.newer == nil)
    #expect(try library.version(game("game"), version("1")) != nil, "what is kept is still told of")
  }

  @Test func aGameOfThreadsIsKnownByItsScripts() async throws {
    try await install("1", "<script>new SharedArrayBuffer(8)</script>")
    #expect(try library.game(game("game"))?.installed.needsIsolation == true)
    #expect(try library.version(game("game"), version("1"))?.needsIsolation == true)
    #expect(try bench.mirror().status().text.contains("in-step, isolated"))
    #expect(try bench.mirror().status().json.contains(#""needsIsolation":true"#))
  }

  @Test func whatWasInstalledBeforeAnybodyLookedIsLookedAtNow() async throws {
    try await install("1", "<script>new SharedArrayBuffer(8)</script>")
    let store = try Store(root: bench.destination)
    _ = try store.withDatabase { (database) throws(SQLiteError) in
      try database.run("UPDATE installed_files SET needs_isolation = NULL")
    }
    #expect(try library.game(game("game"))?.installed.needsIsolation == nil)
    #expect(try library.version(game("game"), version("1"))?.needsIsolation == true)
  }

  @Test func aMirrorWithoutARecordTellsNothing() throws {
    #expect(try library.games().isEmpty)
    #expect(try library.game(game("game")) == nil)
    #expect(try library.version(game("game"), version("1")) == nil)
  }
}
