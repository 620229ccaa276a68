import Foundation
import TestSupport
import Testing

/// `game-depot pack` as an operator runs it.
@Suite struct PackTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try write("<p>hello</p>", to: "game/index.html")
    try write(String(repeating: "let courier = 1;\n", count: 900), to: "game/js/main.js")
  }

  private func write(_ text: String, to name: String) throws {
    let url = URL(filePath: "\(folder.path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func bytes(_ name: String) -> Data? {
    FileManager.default.contents(atPath: "\(folder.path)/\(name)")
  }

  private func pack(_ words: String..., after prelude: String? = nil) throws -> Programs.Result {
    guard let prelude else { return try Programs.run("game-depot", ["pack"] + words) }
    let process = Programs.process("game-depot", ["pack"] + words, after: prelude)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Programs.Result(status: process.terminationStatus, output: text, errors: "")
  }

  @Test func printsOneLineAndWritesTheSameBytesEverywhere() throws {
    let (game, out) = ("\(folder.path)/game", "\(folder.path)/out.zip")
    let first = try pack(game, "-o", out)
    #expect(first.status == 0)
    #expect(first.errors == "")
    let size = try #require(bytes("out.zip")).count
    #expect(first.output.hasPrefix("\(out): 2 files, \(size) bytes, sha256 "))
    #expect(first.output.split(separator: "\n").count == 1)
    let second = try pack(
      "\(game)/", "--output", "\(folder.path)/b.zip", after: "umask 077; export TZ=Asia/Tokyo LC_ALL=C")
    #expect(second.status == 0)
    #expect(bytes("b.zip") == bytes("out.zip"))
    #expect(first.output.suffix(65) == second.output.suffix(65))
  }

  @Test func whatItPacksIsPublished() throws {
    let workshop = try Workshop()
    #expect(try pack("\(folder.path)/game", "-o", "\(folder.path)/out.zip").status == 0)
    let published = try Programs.run(
      "game-depot", "publish", "\(folder.path)/out.zip", "--game", "a", "--h5-version", "1", "--data",
      workshop.depot)
    #expect(published.status == 0)
    #expect(published.errors == "")
  }

  @Test func aRefusalTellsAllAndLeavesWhatWasThere() throws {
    try write("old", to: "out.zip")
    try write("x", to: "game/NUL")
    try write("x", to: "game/Js/main.js")
    try write("x", to: "game/.DS_Store")
    let result = try pack("\(folder.path)/game", "-o", "\(folder.path)/out.zip")
    #expect(result.status == 65)
    #expect(result.output == "")
    for rule in ["junk", "reserved-name", "case-collision"] {
      #expect(result.errors.contains("game-depot: \(rule) "))
    }
    #expect(bytes("out.zip") == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["game", "out.zip"])
  }

  @Test func anExistingPackageInsideTheFolderIsReplacedAndNotPacked() throws {
    let out = "\(folder.path)/game/out.zip"
    #expect(try pack("\(folder.path)/game", "-o\(out)").status == 0)
    let first = bytes("game/out.zip")
    #expect(try pack("\(folder.path)/game", "-o", out).output.contains(": 2 files, "))
    #expect(bytes("game/out.zip") == first)
  }

  @Test func warnsWithoutAnIndexAndRefusesWhenAskedTo() throws {
    try FileManager.default.removeItem(atPath: "\(folder.path)/game/index.html")
    let out = "\(folder.path)/out.zip"
    let warned = try pack("\(folder.path)/game", "-o", out)
    #expect(warned.status == 0)
    #expect(warned.errors.contains("no-index"))
    let refused = try pack("\(folder.path)/game", "-o", out, "--require-index")
    #expect(refused.status == 65)
  }

  @Test(arguments: [
    (["game"], 64, "--output is required"), (["-o", "x.zip"], 64, "DIR is required"),
    (["game", "-o", "dir/"], 64, "the name of a file"), (["none", "-o", "x.zip"], 66, "none"),
    (["game/index.html", "-o", "x.zip"], 66, "index.html"), (["game", "-o", "none/x.zip"], 73, "none"),
    (["game", "-o", "game"], 73, "no regular file"), (["game", "-o", "/dev/null"], 73, "no regular file"),
  ])
  func tellsWhatIsWrongWithTheWords(words: [String], status: Int32, evidence: String) throws {
    let place = words.map {
      ["game", "none", "game/index.html", "none/x.zip", "x.zip"].contains($0) ? "\(folder.path)/\($0)" : $0
    }
    let result = try Programs.run("game-depot", ["pack"] + place)
    #expect(result.status == status, "\(result)")
    #expect(result.errors.contains(evidence), "\(result.errors)")
  }

  /// Stopped while it packs, it leaves no trace and the old package.
  @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func aSignalStopsIt(signal: Int32, status: Int32) throws {
    try write("old", to: "out.zip")
    // A hole that takes long enough to be deflated.
    let handle = try #require(FileHandle(forWritingAtPath: "\(folder.path)/game/js/main.js"))
    try handle.truncate(atOffset: 3 << 30)
    let process = Programs.process(
      "game-depot", ["pack", "\(folder.path)/game", "-o", "\(folder.path)/out.zip"])
    try process.run()
    let deadline = Date(timeIntervalSinceNow: 30)
    while try FileManager.default.contentsOfDirectory(atPath: folder.path).count < 3, Date() < deadline {
      usleep(1000)
    }
    // Were there nothing beside the two yet, the signal would prove nothing.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == status)
    #expect(bytes("out.zip") == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["game", "out.zip"])
  }
}
