import Foundation
import TestSupport
import Testing

/// A depot, a mirror of it, a mirror of that mirror, and one of that: all programs as they are run.
@Suite struct MirrorOfMirrorTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func path(_ mirror: String) -> String { "\(workshop.folder.path)/\(mirror)" }

  @discardableResult
  private func sync(_ mirror: String, from url: String, _ more: String...) throws -> Programs.Result {
    try Programs.run("mirror-sync", ["sync", "--server", url, "--dest", path(mirror)] + more)
  }

  private func serve(_ mirror: String, _ more: String...) throws -> RunningServer {
    try RunningServer(
      "mirror-sync", ["serve", "--dest", path(mirror), "--listen", "127.0.0.1:0"] + more,
      in: workshop.folder.path)
  }

  /// Three mirrors in a row, synced in that order; the first two serve.
  private struct Row {
    let urls: [String]
    let sync: (_ mirror: String, _ url: String) throws -> Programs.Result

    func follow() throws {
      for (mirror, url) in zip(["a", "b", "c"], urls) {
        let result = try sync(mirror, url)
        #expect(result.status == 0 && result.errors == "", "\(mirror): \(result)")
      }
    }
  }

  private func package(_ mirror: String, _ game: String, _ version: String) throws -> Data {
    try Data(contentsOf: URL(filePath: "\(path(mirror))/packages/\(game)/\(version).zip"))
  }

  private func page(_ mirror: String, _ game: String) -> String? {
    try? String(contentsOfFile: "\(path(mirror))/games/\(game)/current/index.html", encoding: .utf8)
  }

  private func random(_ count: Int, _ seed: UInt64) -> [UInt8] {
    var random = seed
    return (0..<count).map { _ in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: random >> 56)
    }
  }

  /// Publishes a version with large files of these seeds, and gives its package.
  private func publish(_ game: String, _ version: String, _ seeds: [UInt64], to url: String) throws -> Data {
    let entries =
      [ZipEntry("game/index.html", "<h1>\(game) \(version)</h1>")]
      + seeds.map { ZipEntry("game/\($0).bin", FileContent(random(50_000, $0))) }
    let zip = Data(ZipBuilder(entries).build())
    let file = path("\(game)-\(version).zip")
    try zip.write(to: URL(filePath: file))
    let published = try workshop.publish(file, game, version, to: url)
    #expect(published.status == 0, "\(published)")
    return zip
  }

  private func data(_ url: String) throws -> Data {
    let parts = try #require(URLComponents(string: url))
    let client = try RawClient(port: UInt16(try #require(parts.port)))
    try client.send(
      "GET \(parts.percentEncodedPath) HTTP/1.1\r\nHost: 127.0.0.1:\(parts.port ?? 0)\r\nConnection: close\r\n\r\n"
    )
    return Data(try client.response().body)
  }

  private func json(_ url: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: data(url)) as? [String: Any])
  }

  @Test func followsThreeDeepFromTheFirstSyncToTheRemoval() throws {
    let depot = try workshop.serve()
    var packages = [
      "courier": try publish("courier", "1.0", [1, 2, 3], to: depot.url),
      "puzzle": try publish("puzzle", "1.0", [7], to: depot.url),
    ]
    #expect(try sync("a", from: depot.url).status == 0)
    let first = try serve("a")
    #expect(try sync("b", from: first.url).status == 0)
    let second = try serve("b")
    let row = Row(urls: [depot.url, first.url, second.url]) { mirror, url in
      try sync(mirror, from: url, "--delete", "--max-delete", "100%")
    }
    try row.follow()
    for mirror in ["a", "b", "c"] {
      #expect(page(mirror, "courier") == "<h1>courier 1.0</h1>")
      for (game, zip) in packages { #expect(try package(mirror, game, "1.0") == zip) }
    }

    packages["courier"] = try publish("courier", "1.1", [1, 2, 9], to: depot.url)
    for (mirror, url) in zip(["a", "b", "c"], row.urls) {
      let metrics = path("metrics.prom")
      #expect(try sync(mirror, from: url, "--metrics-file", metrics).status == 0)
      let line = try String(contentsOfFile: metrics, encoding: .utf8).split(separator: "\n").first {
        $0.hasPrefix("mirror_sync_last_run_fetched_bytes{")
      }
      let fetched = Int(line?.split(separator: " ").last ?? "") ?? 0
      #expect((50_000..<52_000).contains(fetched), "\(mirror) fetched only the file that is new: \(fetched)")
      #expect(try package(mirror, "courier", "1.1") == packages["courier"])
      #expect(page(mirror, "courier") == "<h1>courier 1.1</h1>")
    }

    let rollback = try Programs.run("mirror-sync", "rollback", "courier", "--dest", path("a"))
    #expect(rollback.status == 0, "\(rollback)")
    try row.follow()
    for mirror in ["a", "b", "c"] { #expect(page(mirror, "courier") == "<h1>courier 1.0</h1>") }

    let removal = try Programs.run(
      "game-depot", "channel", "remove", "puzzle", "--data", workshop.depot)
    #expect(removal.status == 0, "\(removal)")
    try row.follow()
    for mirror in ["a", "b", "c"] {
      #expect(!FileManager.default.fileExists(atPath: "\(path(mirror))/games/puzzle"))
      #expect(!FileManager.default.fileExists(atPath: "\(path(mirror))/packages/puzzle"))
    }
    for server in [depot, first, second] { #expect(server.stop() == 0) }
  }

  @Test func saysOfAPackageWhatTheDepotSays() throws {
    let depot = try workshop.serve()
    _ = try publish("courier", "1.0", [1], to: depot.url)
    #expect(try sync("a", from: depot.url).status == 0)
    let mirror = try serve("a", "--public-url", "https://mirror.example/games-of-ours/")
    for route in ["", "/versions", "/check", "/manifest", "/versions/1.0/delta.json"] {
      var told = String(decoding: try data("\(mirror.url)/games/courier\(route)"), as: UTF8.self)
      var expected = String(decoding: try data("\(depot.url)/games/courier\(route)"), as: UTF8.self)
      told.replace("https://mirror.example/games-of-ours", with: "URL")
      expected.replace(depot.url, with: "URL")
      // When the channel moved here is this mirror's own.
      let moved = /"movedAt":"[^"]*"/
      #expect(told.replacing(moved, with: "") == expected.replacing(moved, with: ""), "\(route)")
    }
    for part in ["index", "blocks", "package.zip"] {
      let url = "/games/courier/versions/1.0/\(part)"
      #expect(try data(mirror.url + url) == data(depot.url + url))
    }
  }

  @Test func aWatchedMirrorHearsOfWhatChangedInTheMirrorBeforeIt() throws {
    let depot = try workshop.serve()
    _ = try publish("courier", "1.0", [1], to: depot.url)
    #expect(try sync("a", from: depot.url).status == 0)
    let mirror = try serve("a")
    let watch = Programs.process(
      "mirror-sync",
      ["sync", "--server", mirror.url, "--dest", path("b"), "--watch", "--watch-interval", "1h"])
    try watch.run()
    #expect(eventually { page("b", "courier") == "<h1>courier 1.0</h1>" })
    _ = try publish("courier", "1.1", [2], to: depot.url)
    #expect(try sync("a", from: depot.url).status == 0)
    #expect(eventually { page("b", "courier") == "<h1>courier 1.1</h1>" })
    watch.terminate()
    watch.waitUntilExit()
    #expect(watch.terminationStatus == 143)
  }

  @Test func gamesWithoutTheirPackagesAreNotHandedOn() throws {
    let depot = try workshop.serve()
    for game in ["courier", "puzzle"] { _ = try publish(game, "1.0", [1], to: depot.url) }
    #expect(try sync("a", from: depot.url, "--game", "courier").status == 0)
    #expect(try sync("a", from: depot.url, "--no-keep-zip").status == 0)
    let mirror = try serve("a")
    #expect(try sync("b", from: mirror.url).status == 0)
    #expect(page("a", "puzzle") != nil && page("b", "puzzle") == nil)
    #expect(page("b", "courier") == "<h1>courier 1.0</h1>")
    #expect(
      String(decoding: try data("\(mirror.url)/play/puzzle/index.html"), as: UTF8.self).contains("puzzle"))
  }

  @Test func servesWhileItIsSynced() throws {
    let depot = try workshop.serve()
    for number in 0..<20 { _ = try publish("game\(number)", "1.0", [UInt64(number)], to: depot.url) }
    #expect(try sync("a", from: depot.url, "--game", "game0").status == 0)
    let mirror = try serve("a")
    let run = Programs.process("mirror-sync", ["sync", "--server", depot.url, "--dest", path("a")])
    try run.run()
    var revision = 0
    repeat {
      let listing = try json("\(mirror.url)/games")
      let now = try #require(listing["revision"] as? Int)
      #expect(now >= revision)
      revision = now
      for game in try #require(listing["games"] as? [[String: Any]]) {
        let url = try #require(game["h5Down"] as? String)
        #expect(try data(url).count == game["h5Size"] as? Int)
      }
    } while run.isRunning
    run.waitUntilExit()
    #expect(run.terminationStatus == 0)
    #expect((try json("\(mirror.url)/games")["games"] as? [Any])?.count == 20)
  }

  @Test func aMirrorThatWasNeverSyncedHasNoGamesAndAnotherCatalogueLater() throws {
    try FileManager.default.createDirectory(
      atPath: path("a/games"), withIntermediateDirectories: true)
    let mirror = try serve("a")
    let listing = try json("\(mirror.url)/games")
    #expect((listing["games"] as? [Any])?.isEmpty == true && listing["revision"] as? Int == 0)
    #expect(try sync("b", from: mirror.url).status == 0)
    let depot = try workshop.serve()
    _ = try publish("courier", "1.0", [1], to: depot.url)
    #expect(try sync("a", from: depot.url).status == 0)
    #expect(try json("\(mirror.url)/games")["catalogue"] as? String != listing["catalogue"] as? String)
    #expect(try sync("b", from: mirror.url).status == 0)
    #expect(page("b", "courier") == "<h1>courier 1.0</h1>")
  }
}
