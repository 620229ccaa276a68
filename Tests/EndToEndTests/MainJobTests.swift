import Foundation
import TestSupport
import Testing

/// Both programs, as they are run.
@Suite struct MainJobTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  @Test func aPublishedGameIsMirroredAndUpdated() throws {
    let server = try workshop.serve()
    let first = try workshop.zip(
      "first", ["index.html": "<h1>one</h1>", "js/app.js": "one()", "old.txt": "x"])
    let published = try workshop.publish(first, "courier", "1.0", to: server.url)
    #expect(published.status == 0, "\(published)")
    #expect(published.output == "courier 1.0 published\n")

    let sync = try workshop.sync(server.url)
    #expect(sync.status == 0, "\(sync)")
    #expect(sync.output + sync.errors == "", "cron hears nothing of success")
    #expect(workshop.installed("courier/current/js/app.js") == "one()")
    #expect(
      try Data(contentsOf: URL(filePath: "\(workshop.mirror)/packages/courier/1.0.zip"))
        == Data(contentsOf: URL(filePath: first)))

    let second = try workshop.zip("second", ["index.html": "<h1>two</h1>", "js/app.js": "two()"])
    #expect(try workshop.publish(second, "courier", "1.1", to: server.url).status == 0)
    #expect(try workshop.sync(server.url).status == 0)
    #expect(workshop.installed("courier/current/js/app.js") == "two()")
    #expect(
      workshop.installed("courier/current/old.txt") == nil, "nothing of the old version is left in the new")
    #expect(
      workshop.installed("courier/versions/1.0/js/app.js") == "one()", "the old version is kept beside it")
    let link = try FileManager.default.destinationOfSymbolicLink(
      atPath: "\(workshop.mirror)/games/courier/current")
    #expect(link == "versions/1.1")
    #expect(server.stop() == 0)
  }

  @Test func aRollbackIsFollowed() throws {
    let server = try workshop.serve()
    for version in ["1.0", "1.1"] {
      let zip = try workshop.zip(version, ["index.html": "<h1>\(version)</h1>"])
      #expect(try workshop.publish(zip, "courier", version, to: server.url).status == 0)
    }
    #expect(try workshop.sync(server.url).status == 0)
    let client = try RawClient(port: server.port)
    let body = #"{"h5Version":"1.0"}"#
    try client.send(
      "PUT /games/courier/channels/stable HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(workshop.token)\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(try client.response().status == 200)
    #expect(try workshop.sync(server.url).status == 0)
    #expect(workshop.installed("courier/current/index.html") == "<h1>1.0</h1>")
  }

  @Test func aPublishBesideTheServerIsSeenByItsNextAnswer() throws {
    let server = try workshop.serve()
    let client = try RawClient(port: server.port)
    for version in ["1.0", "1.1", "1.2"] {
      let zip = try workshop.zip(version, ["index.html": version])
      let result = try Programs.run(
        "game-depot", "publish", zip, "--game", "courier", "--h5-version", version, "--data", workshop.depot,
        "--disk-floor", "0")
      #expect(result.status == 0, "\(result)")
      try client.send("GET /games/courier/check HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().text.contains(#""h5Version":"\#(version)""#))
    }
  }

  @Test func oneBadGameStopsNoOther() throws {
    let server = try workshop.serve()
    for id in ["alpha", "beta", "gamma"] {
      let zip = try workshop.zip(id, ["index.html": id])
      #expect(try workshop.publish(zip, id, "1.0", to: server.url).status == 0)
    }
    let blobs = "\(workshop.depot)/blobs/sha256"
    let beta = try Data(contentsOf: URL(filePath: "\(workshop.folder.path)/beta.zip"))
    for case let name as String in try #require(FileManager.default.enumerator(atPath: blobs)) {
      let path = "\(blobs)/\(name)"
      guard FileManager.default.contents(atPath: path) == beta else { continue }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      var damaged = beta
      damaged[40] ^= 0xff
      let handle = try #require(FileHandle(forWritingAtPath: path))
      try handle.write(contentsOf: damaged)
      try handle.close()
    }
    let sync = try workshop.sync(server.url, "--retries", "0")
    #expect(sync.status == 1)
    #expect(sync.errors.split(separator: "\n").count == 1, "\(sync.errors)")
    #expect(sync.errors.contains("beta"))
    #expect(workshop.installed("alpha/current/index.html") == "alpha")
    #expect(workshop.installed("gamma/current/index.html") == "gamma")
    #expect(workshop.installed("beta/current/index.html") == nil)
    let verify = try Programs.run("game-depot", "verify", "--data", workshop.depot)
    #expect(verify.status == 65)
    #expect(verify.errors.contains("beta 1.0"))
  }

  /// The one that is asked first is away, or has lost the package.
  @Test func anotherServerHelpsOut() throws {
    let other = try workshop.serve()
    for id in ["alpha", "beta"] {
      let zip = try workshop.zip(id, ["index.html": id])
      #expect(try workshop.publish(zip, id, "1.0", to: other.url).status == 0)
    }
    let copy = "\(workshop.folder.path)/copy"
    try FileManager.default.copyItem(atPath: workshop.depot, toPath: copy)
    let blobs = "\(copy)/blobs/sha256"
    for case let name as String in try #require(FileManager.default.enumerator(atPath: blobs))
    where name.contains("/") {
      try Data("rotten".utf8).write(to: URL(filePath: "\(blobs)/\(name)"))
    }
    let first = try RunningServer(
      "game-depot", ["serve", "--data", copy, "--listen", "127.0.0.1:0", "--disk-floor", "0"],
      in: workshop.folder.path)
    let rotten = try workshop.sync(first.url, "--server", other.url, "--retries", "0")
    #expect(rotten.status == 0, "\(rotten)")
    #expect(workshop.installed("beta/current/index.html") == "beta")

    let zip = try workshop.zip("new", ["index.html": "new"])
    #expect(try workshop.publish(zip, "alpha", "1.1", to: other.url).status == 0)
    first.stop()
    #expect(try workshop.sync(first.url, "--server", other.url, "--retries", "0").status == 0)
    #expect(workshop.installed("alpha/current/index.html") == "new")
    other.stop()
    let none = try workshop.sync(first.url, "--server", other.url, "--retries", "0")
    #expect(none.status == 69 && none.errors.contains(first.url), "\(none)")
  }

  @Test func statusTellsWhatIsInstalled() throws {
    let server = try workshop.serve()
    let zip = try workshop.zip("game", ["index.html": "x"])
    #expect(try workshop.publish(zip, "courier", "2.0", to: server.url).status == 0)
    #expect(try workshop.sync(server.url).status == 0)
    let status = try Programs.run("mirror-sync", "status", "--dest", workshop.mirror)
    #expect(status.status == 0, "\(status)")
    #expect(status.output.contains("courier") && status.output.contains("2.0"))
    let json = try Programs.run("mirror-sync", "status", "--dest", workshop.mirror, "--json")
    #expect(json.status == 0)
    #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [String: Any])
  }

  @Test func theMirrorServesItsGames() throws {
    let server = try workshop.serve()
    let zip = try workshop.zip("game", ["index.html": "<h1>play</h1>"])
    #expect(try workshop.publish(zip, "courier", "2.0", to: server.url).status == 0)
    #expect(try workshop.sync(server.url).status == 0)
    let play = try RunningServer(
      "mirror-sync", ["serve", "--dest", workshop.mirror, "--listen", "127.0.0.1:0"], in: workshop.folder.path
    )
    let client = try RawClient(port: play.port)
    try client.send("GET /play/courier/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try client.response().text == "<h1>play</h1>")
    #expect(play.stop() == 0)
  }

  @Test func anImportPublishesAFolderInTheOrderOfItsVersions() throws {
    let folder = "\(workshop.folder.path)/in"
    try FileManager.default.createDirectory(atPath: "\(folder)/beta", withIntermediateDirectories: true)
    for (name, path) in [
      ("a9", "alpha-game-1.9.zip"), ("a10", "alpha-game-1.10.zip"), ("b", "beta/2.0.zip"),
      ("bad", "nameless.zip"),
    ] {
      let zip = try workshop.zip(name, ["index.html": name])
      try FileManager.default.moveItem(atPath: zip, toPath: "\(folder)/\(path)")
    }
    let dry = try Programs.run("game-depot", "import", folder, "--data", workshop.depot, "--dry-run")
    #expect(dry.status == 65)
    #expect(dry.output.contains("alpha-game-1.10.zip: alpha-game 1.10"))
    #expect(dry.errors.contains("nameless.zip"))
    let result = try Programs.run(
      "game-depot", "import", folder, "--data", workshop.depot, "--disk-floor", "0")
    #expect(result.status == 65, "the file without a version is told")
    let server = try workshop.serve()
    let client = try RawClient(port: server.port)
    try client.send("GET /games/alpha-game HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.response().text.contains(#""h5Version":"1.10""#))
    try client.send("GET /games/beta HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.response().text.contains(#""h5Version":"2.0""#))
  }
}
