import Foundation
import TestSupport
import Testing

/// The publish gate: what `inspect`, `publish` and a mirror say to the same package.
@Suite struct InspectTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  /// 背景.js in GBK, junk beside it.
  private func foreign() throws -> String {
    let name: [UInt8] = [0xB1, 0xB3, 0xBE, 0xB0, 0x2E, 0x6A, 0x73]
    let path = "\(workshop.folder.path)/foreign.zip"
    let entries = [ZipEntry("index.html", "x"), ZipEntry(name, "y"), ZipEntry(".DS_Store", "z")]
    try Data(ZipBuilder(entries).build()).write(to: URL(filePath: path))
    return path
  }

  @Test func exitCodesTellAcceptedRefusedAndMissing() throws {
    let sound = try workshop.zip("sound", ["index.html": "x"])
    let accepted = try Programs.run("game-depot", "inspect", sound)
    #expect(accepted.status == 0 && accepted.errors == "")
    #expect(accepted.output.contains("sound.zip: accepted, 1 entries, 1 bytes unpacked, names in utf-8\n"))
    let unsound = try workshop.zip("unsound", ["../index.html": "x", "/a": "y"])
    let refused = try Programs.run("game-depot", "inspect", unsound)
    #expect(refused.status == 65)
    #expect(refused.output.contains("parent-path") && refused.output.contains("absolute-path"))
    let missing = try Programs.run("game-depot", "inspect", "\(workshop.folder.path)/none.zip")
    #expect(missing.status == 66 && missing.output == "")
    #expect(try Programs.run("game-depot", "inspect", workshop.folder.path).status == 66)
    try Data("no zip".utf8).write(to: URL(filePath: "\(workshop.folder.path)/text.zip"))
    #expect(try Programs.run("game-depot", "inspect", "\(workshop.folder.path)/text.zip").status == 65)
    #expect(try Programs.run("game-depot", "inspect", sound, "--names-encoding", "latin1").status == 64)
  }

  @Test func jsonIsOneObjectOfTheContract() throws {
    let result = try Programs.run("game-depot", "inspect", try foreign(), "--json")
    #expect(result.status == 0)
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(Set(report.keys) == ["accepted", "findings", "encoding", "entries", "unpackedSize"])
    #expect(report["accepted"] as? Bool == true && report["encoding"] as? String == "gb18030")
    #expect(report["entries"] as? Int == 3 && report["unpackedSize"] as? Int == 2)
    let rules = (report["findings"] as? [[String: Any]])?.compactMap { $0["rule"] as? String }
    #expect(rules == ["names-encoding", "junk"])
  }

  @Test(arguments: [
    ["--max-entries", "2"], ["--max-directory", "40"], ["--max-unpacked", "2"], ["--max-entry-size", "0"],
    ["--ratio-floor", "0", "--max-entry-ratio", "1"], ["--ratio-floor", "0", "--max-package-ratio", "1"],
  ])
  func theLimitsAreOptions(words: [String]) throws {
    let path = "\(workshop.folder.path)/big.zip"
    let entries = ["index.html", "a", "b"].map { ZipEntry($0, .repeating(0x61, count: 5000)) }
    try Data(ZipBuilder(entries).build()).write(to: URL(filePath: path))
    #expect(try Programs.run("game-depot", ["inspect", path]).status == 0)
    #expect(try Programs.run("game-depot", ["inspect", path] + words).status == 65)
    let publish = [
      "publish", path, "--game", "a", "--h5-version", "1", "--data", workshop.depot, "--disk-floor", "0",
    ]
    #expect(try Programs.run("game-depot", publish + words).status == 65)
    #expect(try Programs.run("game-depot", publish).status == 0)
  }

  @Test func aServerAndAMirrorHaveLimitsOfTheirOwn() throws {
    let zip = try workshop.zip("game", ["index.html": "x", "a.js": "y"])
    let strict = try workshop.serve("--max-entries", "1")
    let refused = try workshop.publish(zip, "a", "1", to: strict.url)
    #expect(refused.status == 65 && refused.errors.contains("too-many-entries"))
    strict.stop()
    let server = try workshop.serve()
    #expect(try workshop.publish(zip, "a", "1", to: server.url).status == 0)
    let sync = try workshop.sync(server.url, "--max-entries", "1")
    #expect(sync.status == 1 && sync.errors.contains("too-many-entries"), "\(sync)")
    #expect(try workshop.sync(server.url).status == 0)
    #expect(workshop.installed("a/current/a.js") == "y")
  }

  @Test func foreignNamesAndWarningsAreToldOnTheWay() throws {
    let server = try workshop.serve()
    let published = try workshop.publish(try foreign(), "a", "1", to: server.url)
    #expect(published.status == 0)
    #expect(published.errors.contains("names-encoding: ") && published.errors.contains("背景.js"))
    #expect(published.errors.contains("junk \".DS_Store\""))
    let local = try Programs.run(
      "game-depot", "publish", try foreign(), "--game", "b", "--h5-version", "1", "--data", workshop.depot,
      "--disk-floor", "0", "--names-encoding", "CP437")
    #expect(local.status == 0)
    #expect(!local.errors.contains("names-encoding") && local.errors.contains("junk"))
    #expect(try workshop.sync(server.url).status == 0)
    #expect(workshop.installed("a/current/背景.js") == "y")
    #expect(workshop.installed("b/current/▒│╛░.js") == "y")
  }
}
