import Foundation
import Platform
import TestSupport
import Testing

/// Exit codes and words of both programs.
@Suite struct CommandTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  @Test(arguments: ["game-depot", "mirror-sync"])
  func tellsItsVersionAndHelp(program: String) throws {
    #expect(try Programs.run(program, "--version").output.hasPrefix(program))
    let help = try Programs.run(program, "--help")
    #expect(help.status == 0)
    #expect(help.output.contains("usage: \(program)"))
  }

  @Test(arguments: [
    ("game-depot", ["serve", "--dta", "x"], "did you mean --data?"),
    ("game-depot", ["srve"], "did you mean serve?"),
    ("game-depot", ["serve", "--max-upload", "many"], "is not a size"),
    ("game-depot", ["serve", "--listen", "nowhere"], "nowhere"),
    ("game-depot", ["serve", "--listen", "unix:"], "unix:/path"),
    ("game-depot", ["serve", "--trusted-proxy", "10.0.0.1/8"], "10.0.0.1/8"),
    ("game-depot", ["serve", "--max-connections-per-ip", "0"], "from 1 to"),
    ("game-depot", ["serve", "--threads", "0"], "from 1 to 256"),
    ("game-depot", ["serve", "--public-url", "games.example"], "--public-url"),
    ("game-depot", ["publish", "x.zip"], "x.zip"),
    ("game-depot", ["token", "create", "--name", "a b", "--scope", "read"], "--name"),
    ("game-depot", ["token", "create", "--name", "a", "--scope", "root"], "read, publish or admin"),
    ("game-depot", ["healthcheck", "ftp://x"], "http"),
    ("game-depot", ["healthcheck", "unix:"], "unix:/path"),
    ("mirror-sync", ["sync", "--server", "http://127.0.0.1:1"], "--dest"),
    ("mirror-sync", ["sync", "--dest", "/tmp/x"], "--server"),
    ("mirror-sync", ["sync", "--server", "http://127.0.0.1:1", "--dest", ""], "--dest"),
    ("mirror-sync", ["status", "--dest="], "--dest"),
    ("mirror-sync", ["sync", "--server", "ftp://x", "--dest", "/tmp/x"], "ftp://x"),
    ("mirror-sync", ["--srever", "x"], "did you mean --server?"),
    (
      "mirror-sync", ["sync", "--server", "http://127.0.0.1:1", "--dest", "/tmp/x", "--concurrency", "0"],
      "--concurrency"
    ),
  ])
  func refusesACommandLineItDoesNotUnderstand(program: String, words: [String], evidence: String) throws {
    let result = try Programs.run(program, words)
    #expect(result.status == 64 || result.status == 66, "\(result)")
    #expect(result.errors.contains(evidence), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.output == "")
  }

  @Test func aSecondServerOnOneDepotExits75() throws {
    let server = try workshop.serve()
    let second = try Programs.run(
      "game-depot", "serve", "--data", workshop.depot, "--listen", "127.0.0.1:0")
    #expect(second.status == 75)
    #expect(second.errors.contains("another server"))
    #expect(server.stop() == 0)
  }

  @Test func anAddressInUseIsAnError() throws {
    let server = try workshop.serve()
    let other = try TemporaryFolder()
    let second = try Programs.run(
      "game-depot", "serve", "--data", other.path, "--listen", "127.0.0.1:\(server.port)")
    #expect(second.status == 69)
    #expect(second.errors.contains("in use"), "\(second.errors)")
  }

  @Test func tokensAreListedAndRevoked() throws {
    let list = try Programs.run("game-depot", "token", "list", "--data", workshop.depot)
    #expect(list.output.contains("tests") && list.output.contains("admin") && list.output.contains("active"))
    #expect(!list.output.contains(workshop.token))
    let server = try workshop.serve()
    let zip = try workshop.zip("game", ["index.html": "x"])
    #expect(try workshop.publish(zip, "courier", "1", to: server.url).status == 0)
    #expect(try Programs.run("game-depot", "token", "revoke", "tests", "--data", workshop.depot).status == 0)
    let refused = try workshop.publish(zip, "courier", "2", to: server.url)
    #expect(refused.status == 77, "the running server knows at once: \(refused)")
    #expect(try Programs.run("game-depot", "token", "revoke", "tests", "--data", workshop.depot).status == 65)
  }

  @Test func aTokenFileThatIsMissingIsTold() throws {
    let zip = try workshop.zip("game", ["index.html": "x"])
    let words = ["publish", zip, "--game", "a", "--h5-version", "1", "--server", "http://127.0.0.1:1"]
    #expect(try Programs.run("game-depot", words).status == 64)
    #expect(try Programs.run("game-depot", words + ["--token-file", "/nonexistent"]).status == 66)
    let unreachable = try Programs.run("game-depot", words, environment: ["GAME_DEPOT_TOKEN": "t"])
    #expect(unreachable.status == 69)
    #expect(!unreachable.errors.contains("GAME_DEPOT_TOKEN"))
  }

  @Test func whereToPublishIsWhatWasTyped() throws {
    let zip = try workshop.zip("game", ["index.html": "x"])
    let words = ["publish", zip, "--game", "a", "--h5-version", "1", "--disk-floor", "0"]
    let both = ["GAME_DEPOT_DATA": workshop.depot, "GAME_DEPOT_SERVER": "http://127.0.0.1:1"]
    #expect(try Programs.run("game-depot", words, environment: both).status == 64)
    let local = try Programs.run("game-depot", words + ["--data", workshop.depot], environment: both)
    #expect(local.status == 0, "\(local.errors)")
    let environment = both.merging(["GAME_DEPOT_TOKEN": "t"]) { $1 }
    let remote = try Programs.run(
      "game-depot", words + ["--server", "http://127.0.0.1:1"], environment: environment)
    #expect(remote.status == 69, "\(remote.errors)")
  }

  @Test func aRefusedPackageExits65WithEveryFinding() throws {
    let path = "\(workshop.folder.path)/bad.zip"
    try Data(ZipBuilder([ZipEntry("../up.txt", "x"), ZipEntry("/abs.txt", "y")]).build()).write(
      to: URL(filePath: path))
    let local = try Programs.run(
      "game-depot", "publish", path, "--game", "a", "--h5-version", "1", "--data", workshop.depot,
      "--disk-floor", "0")
    #expect(local.status == 65)
    #expect(local.errors.contains("parent-path") && local.errors.contains("absolute-path"))
    let server = try workshop.serve()
    let remote = try workshop.publish(path, "a", "1", to: server.url)
    #expect(remote.status == 65)
    #expect(remote.errors.contains("parent-path") && remote.errors.contains("absolute-path"))
  }

  @Test func healthcheckTellsTheLivingFromTheDead() throws {
    let server = try workshop.serve()
    #expect(try Programs.run("game-depot", "healthcheck", server.url).status == 0)
    #expect(try Programs.run("game-depot", "healthcheck", "\(server.url)/readyz").status == 0)
    #expect(try Programs.run("game-depot", "healthcheck", "\(server.url)/games/none").status == 1)
    server.stop()
    let dead = try Programs.run("game-depot", "healthcheck", server.url)
    #expect(dead.status == 1)
    #expect(dead.errors.hasPrefix("game-depot: \(server.url)"))
  }

  @Test func migrateTellsAndDoes() throws {
    let status = try Programs.run("game-depot", "migrate", "--status", "--data", workshop.depot)
    #expect(status.status == 0)
    #expect(status.output.contains("nothing to do"))
    let fresh = "\(workshop.folder.path)/fresh"
    #expect(try Programs.run("game-depot", "migrate", "--data", fresh).status == 0)
    #expect(FileManager.default.fileExists(atPath: "\(fresh)/catalogue.sqlite"))
    let missing = try Programs.run("game-depot", "verify", "--data", "\(workshop.folder.path)/none")
    #expect(missing.status == 66)
    #expect(missing.errors.contains("none holds no depot"), "\(missing.errors)")
  }

  @Test func aMirrorWithoutAServerExits69() throws {
    let sync = try workshop.sync("http://127.0.0.1:1", "--retries", "0")
    #expect(sync.status == 69)
    #expect(sync.errors.split(separator: "\n").count == 1)
  }

  @Test func aSecondSyncOfOneMirrorExits75() throws {
    let server = try workshop.serve()
    #expect(try workshop.sync(server.url).status == 0)
    let lock = try File(path: "\(workshop.mirror)/mirror.lock", mode: .readWrite)
    #expect(try lock.tryLock(.exclusive))
    #expect(try workshop.sync(server.url).status == 75)
  }

  @Test func progressAsJSONIsALineAnEvent() throws {
    let server = try workshop.serve()
    let zip = try workshop.zip("game", ["index.html": "x"])
    #expect(try workshop.publish(zip, "courier", "1", to: server.url).status == 0)
    let sync = try workshop.sync(server.url, "--progress", "json")
    #expect(sync.status == 0)
    let lines = (sync.output + sync.errors).split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines { #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any]) }
  }
}
