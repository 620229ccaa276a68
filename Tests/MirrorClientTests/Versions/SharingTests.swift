import DepotModel
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct SharingTests {
  /// Versions 1 and 2, of which `js/a.js` differs and so does the page; `img/…` are the same.
  private func bench(
    _ options: SyncOptions = Bench.options(), volume: MeddlingVolume = MeddlingVolume(sharing: .links),
    beforeUpdate: (Bench) throws -> Void = { _ in }
  ) async throws -> Bench {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "old", extra: 3)
    try await bench.sync(options)
    try beforeUpdate(bench)
    try bench.depot.publish("game", "2", "new", extra: 4)
    let report = try await bench.sync(options, volume: volume)
    #expect(report.exitCode == 0, "\(report.failures)")
    #expect(bench.page("game") == "new")
    return bench
  }

  private func inodes(_ bench: Bench, _ file: String) -> [UInt64] {
    ["1", "2"].map { bench.folder.inode("mirror/games/game/versions/\($0)/\(file)") }
  }

  @Test func aFileThatDidNotChangeGetsASecondName() async throws {
    let volume = MeddlingVolume(sharing: .links)
    let bench = try await bench(volume: volume)
    for number in 0..<3 {
      let inodes = inodes(bench, "img/\(number).txt")
      #expect(inodes[0] == inodes[1] && inodes[0] != 0)
    }
    for file in ["index.html", "js/a.js"] {
      let inodes = inodes(bench, file)
      #expect(inodes[0] != inodes[1])
    }
    #expect(volume.links == 3)
    let installed = try #require(try bench.mirror().installedGames().first)
    #expect(installed.sharedFiles == 3 && installed.sharedBytes == 21)
    #expect(try bench.mirror().status().text.contains("shares 3 files, 21 B"))
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func aFileSystemThatClonesIsAskedToFirst() async throws {
    let volume = MeddlingVolume(sharing: .clones)
    let bench = try await bench(volume: volume)
    #expect(volume.clones == 3 && volume.links == 0)
    let inodes = inodes(bench, "img/0.txt")
    #expect(inodes[0] != inodes[1])
    #expect(try bench.mirror().installedGames().first?.sharedFiles == 3)
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func whereNothingCanBeSharedEverythingIsWritten() async throws {
    let bench = try await bench(volume: MeddlingVolume(sharing: .neither))
    #expect(try bench.mirror().installedGames().first?.sharedFiles == 0)
    #expect(bench.folder.text("mirror/games/game/current/img/2.txt") == "image 2")
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func isTurnedOff() async throws {
    let volume = MeddlingVolume(sharing: .links)
    let bench = try await bench(Bench.options(sharesFiles: false), volume: volume)
    let inodes = inodes(bench, "img/0.txt")
    #expect(inodes[0] != inodes[1] && volume.links == 0)
  }

  @Test func nobodyMayWriteToAFileOfAVersion() async throws {
    let bench = try await bench()
    for file in ["index.html", "img/0.txt", "img/3.txt"] {
      #expect(bench.folder.permissions("mirror/games/game/current/\(file)") & 0o222 == 0)
      #expect(bench.folder.permissions("mirror/games/game/current/\(file)") & 0o444 == 0o444)
    }
  }

  @Test func aFileThatMovedIsFoundByWhatItHolds() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", zip: ZipBuilder.zip(["index.html": "x", "old/a.txt": "the same"]))
    try await bench.sync()
    try bench.depot.publish("game", "2", zip: ZipBuilder.zip(["index.html": "y", "new/b.txt": "the same"]))
    try await bench.sync(volume: MeddlingVolume(sharing: .links))
    #expect(
      bench.folder.inode("mirror/games/game/versions/1/old/a.txt")
        == bench.folder.inode("mirror/games/game/versions/2/new/b.txt"))
  }

  /// Size, time, CRC and digest of the record are right: only the bytes tell.
  @Test func aFileThatRottedIsNotShared() async throws {
    let bench = try await bench { try $0.folder.rot("mirror/games/game/versions/1/img/1.txt") }
    let inodes = inodes(bench, "img/1.txt")
    #expect(inodes[0] != inodes[1])
    #expect(bench.folder.text("mirror/games/game/current/img/1.txt") == "image 1")
    #expect(bench.folder.text("mirror/games/game/versions/1/img/1.txt") != "image 1")
  }

  /// Two contents of one CRC-32 and size, as anybody can make: what a package says of itself proves nothing.
  @Test func contentsOfTheSameCRCAreTwoContents() async throws {
    let (first, second) = ("plumless", "buckeroo")
    let bench = try Bench()
    try bench.depot.publish(
      "game", "1", zip: ZipBuilder.zip(["index.html": "x", "a.txt": .init(Array(first.utf8))]))
    try await bench.sync()
    try bench.depot.publish(
      "game", "2", zip: ZipBuilder.zip(["index.html": "x", "a.txt": .init(Array(second.utf8))]))
    let volume = MeddlingVolume(sharing: .links)
    try await bench.sync(volume: volume)
    #expect(bench.folder.text("mirror/games/game/current/a.txt") == second)
    #expect(volume.links == 1)
  }

  @Test(arguments: ["symlink", "folder", "missing"]) func whatIsNoFileIsNotShared(kind: String) async throws {
    let bench = try await bench { bench in
      let name = "mirror/games/game/versions/1/img/0.txt"
      try bench.folder.remove(name)
      switch kind {
      case "symlink": try bench.folder.link("1.txt", at: name)
      case "folder": try bench.folder.write("x", to: name + "/x")
      default: break
      }
    }
    #expect(bench.folder.text("mirror/games/game/current/img/0.txt") == "image 0")
    #expect(bench.folder.link("mirror/games/game/current/img/0.txt") == nil)
  }

  @Test func removingOneVersionLeavesTheOther() async throws {
    let bench = try await bench()
    let before = bench.folder.tree("mirror/games/game/versions/2")
    try bench.depot.publish("game", "3", "newest", extra: 4)
    try await bench.sync(Bench.options(keep: 2), volume: MeddlingVolume(sharing: .links))
    #expect(bench.versions("game") == ["2", "3"])
    #expect(bench.folder.tree("mirror/games/game/versions/2") == before)
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func mendingASharedFileMendsItInEachVersionByItself() async throws {
    let bench = try await bench()
    try bench.folder.rot("mirror/games/game/versions/1/img/0.txt")
    let found = try await bench.verify(full: true)
    #expect(
      found.damages.map(\.path) == [
        "games/game/versions/2/img/0.txt", "games/game/versions/1/img/0.txt",
      ])
    let report = try await bench.verify(full: true, repairs: true)
    #expect(report.exitCode == 0 && report.repaired.count == 2)
    #expect(bench.folder.text("mirror/games/game/versions/1/img/0.txt") == "image 0")
    #expect(bench.folder.text("mirror/games/game/versions/2/img/0.txt") == "image 0")
    #expect(try await bench.verify(full: true).damages == [])
  }

  /// Files of a mirror of before: writable.
  @Test func takesTheRightToWriteFromAFileBeforeItIsShared() async throws {
    let bench = try await bench {
      try $0.folder.setPermissions(0o644, of: "mirror/games/game/versions/1/img/0.txt")
    }
    let inodes = inodes(bench, "img/0.txt")
    #expect(inodes[0] == inodes[1])
    #expect(bench.folder.permissions("mirror/games/game/current/img/0.txt") == 0o444)
  }
}
