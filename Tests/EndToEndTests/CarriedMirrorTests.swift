import Foundation
import TestSupport
import Testing

/// Mirrors without a network: carried on a disk, or as one file.
@Suite struct CarriedMirrorTests {
  private let workshop: Workshop
  private var file: String { "\(workshop.folder.path)/games export" }
  private var second: String { "\(workshop.folder.path)/second" }

  /// A mirror of two games, whose depot is gone.
  init() throws {
    workshop = try Workshop()
    let server = try workshop.serve()
    for (id, version) in [("alpha", "1.0"), ("beta", "2.0")] {
      let zip = try workshop.zip(id, ["game/index.html": "\(id) \(version)", "game/js/a.js": "a()"])
      #expect(try workshop.publish(zip, id, version, to: server.url).status == 0)
    }
    #expect(try workshop.sync(server.url).status == 0)
    server.stop()
  }

  private func export(_ more: String...) throws -> Programs.Result {
    try Programs.run("mirror-sync", ["export", file, "--dest", workshop.mirror] + more)
  }

  private func importFile(_ path: String) throws -> Programs.Result {
    try Programs.run("mirror-sync", "import", path, "--dest", second)
  }

  private func page(_ id: String) -> String? {
    try? String(contentsOfFile: "\(second)/games/\(id)/current/index.html", encoding: .utf8)
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  private func change(_ path: String, at place: (Data) -> Int?) throws {
    var data = try bytes(path)
    let index = try #require(place(data))
    data[index] ^= 1
    try FileManager.default.removeItem(atPath: path)
    try data.write(to: URL(filePath: path))
  }

  @Test func anExportedMirrorIsImportedAsItWas() throws {
    let exported = try export()
    #expect(exported.status == 0 && exported.output.hasPrefix("\(file): 2 games, "), "\(exported)")
    let imported = try importFile(file)
    #expect(imported.status == 0 && imported.output + imported.errors == "", "\(imported)")
    #expect(page("alpha") == "alpha 1.0" && page("beta") == "beta 2.0")
    for name in ["alpha/1.0.zip", "beta/2.0.zip"] {
      #expect(try bytes("\(second)/packages/\(name)") == bytes("\(workshop.mirror)/packages/\(name)"))
    }
    let again = try Programs.run("mirror-sync", "import", file, "--dest", second, "--progress", "json")
    #expect(again.status == 0 && !again.output.contains("installed"), "\(again)")
    // Other tools read it, too.
    let listing = Process()
    listing.executableURL = URL(filePath: "/usr/bin/env")
    listing.arguments = ["unzip", "-tqq", file]
    try listing.run()
    listing.waitUntilExit()
    #expect(listing.terminationStatus == 0)
  }

  @Test(arguments: ["file://", "file://localhost", "file:"])
  func theFolderOfAMirrorServesAnother(_ scheme: String) throws {
    let path = workshop.mirror.replacing("/mirror", with: "/mir%72or")
    let result = try Programs.run("mirror-sync", "--server", scheme + path, "--dest", second)
    #expect(result.status == 0 && result.errors == "", "\(result)")
    #expect(page("alpha") == "alpha 1.0" && page("beta") == "beta 2.0")
  }

  /// What a publisher said of a package's paths goes with it.
  @Test func pathsAreThoseThatThePublisherAskedFor() throws {
    let server = try workshop.serve()
    let zip = try workshop.zip("gamma", ["game/index.html": "gamma", "game/a.js": "a()"])
    let published = try Programs.run(
      "game-depot", "publish", zip, "--game", "gamma", "--h5-version", "1.0", "--server", server.url,
      "--token-file", workshop.tokenFile, "--keep-wrapper")
    #expect(published.status == 0, "\(published)")
    #expect(try workshop.sync(server.url).status == 0)
    let file = "games/gamma/current/game/a.js"
    #expect(FileManager.default.fileExists(atPath: "\(workshop.mirror)/\(file)"))
    #expect(try export().status == 0)
    #expect(try importFile(self.file).status == 0)
    #expect(FileManager.default.fileExists(atPath: "\(second)/\(file)"))
    let third = "\(workshop.folder.path)/third"
    let folder = try Programs.run("mirror-sync", "--server", "file://\(second)", "--dest", third)
    #expect(folder.status == 0, "\(folder)")
    #expect(FileManager.default.fileExists(atPath: "\(third)/\(file)"))
  }

  /// The next sync over the network lists everything: what was carried says nothing of the depot's revisions.
  @Test func aNetworkIsUsedAgainWhereThereIsOne() throws {
    #expect(try export("--game", "alpha").status == 0)
    #expect(try importFile(file).status == 0)
    #expect(page("alpha") == "alpha 1.0" && page("beta") == nil)
    let server = try workshop.serve()
    let zip = try workshop.zip("new", ["index.html": "alpha 1.1"])
    #expect(try workshop.publish(zip, "alpha", "1.1", to: server.url).status == 0)
    let result = try Programs.run("mirror-sync", "--server", server.url, "--dest", second)
    #expect(result.status == 0, "\(result)")
    #expect(page("alpha") == "alpha 1.1" && page("beta") == "beta 2.0")
  }

  @Test func aDamagedPackageFailsItsGameAlone() throws {
    let package = try bytes("\(workshop.mirror)/packages/beta/2.0.zip")
    #expect(try export().status == 0)
    try change(file) { data in data.range(of: package)?.lowerBound.advanced(by: 40) }
    let result = try importFile(file)
    #expect(
      result.status == 1 && result.errors.contains("beta: its package in \(file) is damaged"), "\(result)")
    #expect(page("alpha") == "alpha 1.0" && page("beta") == nil)
  }

  @Test func whatIsNoExportIsRefused() throws {
    let zip = try workshop.zip("some", ["index.html": "x"])
    #expect(try export().status == 0)
    let whole = try bytes(file)
    let cut = "\(workshop.folder.path)/cut"
    try whole.prefix(whole.count - 30).write(to: URL(filePath: cut))
    for path in [zip, cut, workshop.tokenFile, workshop.depot, "\(workshop.folder.path)/none"] {
      let result = try importFile(path)
      #expect(result.status == 69 && result.errors.contains(path), "\(result)")
    }
    #expect(page("alpha") == nil)
  }

  @Test func anExportIsWholeOrNotThere() throws {
    let package = "\(workshop.mirror)/packages/beta/2.0.zip"
    try change(package) { $0.count / 2 }
    let damaged = try export()
    #expect(damaged.status == 1 && damaged.errors.contains("beta 2.0 cannot be exported"), "\(damaged)")
    try FileManager.default.removeItem(atPath: package)
    #expect(try export().status == 1)
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path).allSatisfy {
        !$0.hasPrefix(".pending")
      })
    #expect(try export("--exclude", "beta").status == 0, "the others can be")
  }

  @Test func whatCannotBeDoneIsToldByTheCode() throws {
    let nowhere = try Programs.run(
      "mirror-sync", "export", "\(workshop.folder.path)/none/x", "--dest", workshop.mirror)
    #expect(nowhere.status == 73, "\(nowhere)")
    let empty = try Programs.run("mirror-sync", "export", file, "--dest", "\(workshop.folder.path)/none")
    #expect(empty.status == 64, "\(empty)")
    for servers in [
      ["--server", "file:///a", "--server", "http://a"], ["--server", "file://host/a"],
      ["--server", "file:a"],
      ["--server", "file:///a%0"], ["--server", "file:///a%00"],
    ] {
      let mixed = try Programs.run("mirror-sync", servers + ["--dest", second])
      #expect(mixed.status == 64, "\(mixed)")
    }
  }
}
