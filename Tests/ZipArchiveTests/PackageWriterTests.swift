import Foundation
import Platform
import Testing

@testable import ZipArchive

@Suite struct PackageWriterTests {
  private let bench: WriterBench

  init() throws { bench = try WriterBench() }

  private func writer(
    of folder: String = "game", options: PackageOptions = .standard, output: String = "out.zip"
  ) throws -> PackageWriter {
    try PackageWriter(
      of: try bench.directory.directory(folder), output: output, in: bench.directory, options: options)
  }

  /// Packs a folder and expects no finding but `rules`.
  @discardableResult
  private func pack(_ folder: String = "game", rules: Set<Rule> = []) throws -> (
    bytes: [UInt8], judged: Judged
  ) {
    let name = "\(folder).zip"
    _ = try bench.directory.removeFile(name)
    let file = try bench.directory.file(name, mode: .createNew)
    let package = try writer(of: folder).write(to: file)
    #expect(Set(package.findings.map(\.rule)) == rules)
    let bytes = try bench.bytes(name)
    #expect(package.size == Int64(bytes.count))
    #expect(package.sha256 == Hash.digest(of: bytes, .sha256))
    let judged = try bench.judged(name)
    #expect(judged.plan.files.count == package.files)
    return (bytes, judged)
  }

  private func writeGame(_ folder: String = "game") throws {
    try bench.write(Array("<script src=\"js/main.js\"></script>".utf8), as: "\(folder)/index.html")
    try bench.write(prose(500), as: "\(folder)/js/main.js")
    try bench.write(prose(50), as: "\(folder)/js.map")
    try bench.write(noise(5000), as: "\(folder)/img/cover.png")
    try bench.write(noise(400_000), as: "\(folder)/data/blob")
    try bench.write([], as: "\(folder)/data/none")
    try bench.write(prose(3), as: "\(folder)/größe/日本.txt")
  }

  @Test func packsSortedWithFixedDatesAndModesAndNoExtraFields() throws {
    try writeGame()
    _ = try bench.directory.createDirectories("game/saves")
    let (bytes, judged) = try pack()
    #expect(
      judged.paths == [
        "data/blob", "data/none", "größe/日本.txt", "img/cover.png", "index.html", "js.map", "js/main.js",
      ])
    #expect(judged.plan.files.map(\.method) == [0, 0, 8, 0, 8, 8, 8])
    #expect(judged.plan.entryCount == 8)
    for file in judged.plan.files {
      let header = Int(file.headerOffset)
      // Time, date; sizes are here and not behind the data.
      #expect(bytes[header + 10..<header + 14] == [0, 0, 0x21, 0])
      #expect(bytes.uint32(at: header + 18) == UInt32(file.compressedSize))
      #expect(bytes.uint16(at: header + 6) & 8 == 0)
      #expect(bytes.uint16(at: header + 28) == 0)
      #expect(file.dataOffset == file.headerOffset + 30 + Int64(bytes.uint16(at: header + 26)))
    }
  }

  @Test func theSameTreeMakesTheSameBytes() throws {
    try writeGame("one")
    for name in [
      "größe/日本.txt", "js.map", "js/main.js", "img/cover.png", "index.html", "data/none", "data/blob",
    ] {
      try bench.write(try bench.bytes("one/\(name)"), as: "two/\(name)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o4755, .modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
        ofItemAtPath: bench.path("two/\(name)"))
    }
    try bench.write([1], as: "two/js/.DS_Store")
    try bench.write([1], as: "two/.git/HEAD")
    #expect(try pack("one").bytes == pack("two").bytes)
  }

  @Test func anUnchangedFileHasTheSameBytesInTheNextVersion() throws {
    try writeGame("one")
    try writeGame("two")
    try bench.write(prose(700), as: "two/js/main.js")
    try bench.write(prose(20), as: "two/added.txt")
    try FileManager.default.removeItem(atPath: bench.path("two/data/blob"))
    let (first, second) = (try pack("one"), try pack("two"))
    func payloads(_ package: (bytes: [UInt8], judged: Judged)) -> [String: [UInt8]] {
      Dictionary(
        uniqueKeysWithValues: package.judged.plan.files.map { file in
          (
            file.path,
            Array(package.bytes[Int(file.headerOffset)..<Int(file.dataOffset + file.compressedSize)])
          )
        })
    }
    let (old, new) = (payloads(first), payloads(second))
    let unchanged = Set(old.keys).intersection(new.keys).subtracting(["js/main.js"])
    #expect(unchanged.count == 5)
    for name in unchanged { #expect(old[name] == new[name], "\(name)") }
  }

  @Test func leavesJunkOutAndTellsIt() throws {
    try writeGame()
    for name in [".DS_Store", "js/._main.js", "img/Thumbs.db", "__MACOSX/a", "img/desktop.ini"] {
      try bench.write([1], as: "game/\(name)")
    }
    let writer = try writer()
    #expect(writer.isAccepted)
    #expect(Set(writer.findings.map(\.rule)) == [.junk])
    #expect(
      Set(writer.leftOut.map(\.path)) == [
        ".DS_Store", "js/._main.js", "img/Thumbs.db", "__MACOSX/", "img/desktop.ini",
      ])
    #expect(try pack().judged.plan.files.count == 7)
  }

  @Test func doesNotPackThePackageIntoItself() throws {
    try writeGame()
    let game = try bench.directory.directory("game")
    let left = ".pending-\(String(repeating: "0a", count: 16)).part"
    for name in ["out.zip", "js/out.zip", left, "js/\(left)"] { try bench.write([1], as: "game/\(name)") }
    let writer = try PackageWriter(of: game, output: "out.zip", in: game, options: .standard)
    let pending = try PendingFile(replacing: "out.zip", in: game)
    _ = try writer.write(to: pending.file)
    try pending.commit(through: SystemVolume())
    let paths = try bench.judged("game/out.zip").paths
    #expect(
      paths.filter { $0.contains("out.zip") || $0.contains("pending") } == ["js/\(left)", "js/out.zip"])
    #expect(paths.count == 9)
  }

  @Test func tellsEveryBreachAtOnceAndWritesNothing() throws {
    try writeGame()
    for name in ["aux.js", "B", "b", "x\\y", "e\u{301}", "é", "dir?/x"] {
      try bench.write([1], as: "game/\(name)")
    }
    try bench.write([], as: "game/index.html")
    try FileManager.default.createSymbolicLink(atPath: bench.path("game/link"), withDestinationPath: "b")
    #expect(try run("mkfifo", [bench.path("game/pipe")])?.status == 0)
    #expect(try run("sh", ["-c", "touch \"$(printf '\(bench.path("game/"))\\377')\""])?.status == 0)
    let writer = try writer()
    #expect(
      Set(writer.findings.map(\.rule)) == [
        .reservedName, .caseCollision, .backslash, .duplicate, .emptyFile, .symlink, .specialFile,
        .nameEncoding,
      ])
    #expect(writer.findings.allSatisfy { $0.severity == .error })
    let file = try bench.directory.file("out.zip", mode: .createNew)
    let failure = #expect(throws: ZipWriteError.self) { try writer.write(to: file) }
    guard case .refused(let findings) = failure else {
      return #expect(Bool(false), "\(String(describing: failure))")
    }
    #expect(findings == writer.findings)
    #expect(try file.size == 0)
  }

  @Test func limitsAreThoseOfAServer() throws {
    try writeGame()
    var limits = ZipLimits.standard
    limits.entrySize = 399_999
    limits.unpackedSize = 400_000
    limits.entries = 6
    let findings = try writer(options: PackageOptions(limits: limits)).findings
    #expect(Set(findings.map(\.rule)) == [.entryTooLarge, .unpackedTooLarge, .tooManyEntries])
    limits = .standard
    limits.entries = 7
    limits.entrySize = 400_000
    #expect(try writer(options: PackageOptions(limits: limits)).findings.isEmpty)
  }

  @Test func aMissingIndexIsAWarningAndAnErrorWhenAskedFor() throws {
    try bench.write([1], as: "game/a")
    try pack(rules: [.noIndex])
    var options = PackageOptions.standard
    options.requireIndex = true
    #expect(try !writer(options: options).isAccepted)
    _ = try bench.directory.createDirectory("nothing")
    #expect(try writer(of: "nothing").findings.map(\.rule) == [.noFiles])
  }

  @Test func namesBecomeNFC() throws {
    try bench.write([1], as: "game/gro\u{308}ße")
    let judged = try pack(rules: [.noIndex]).judged
    #expect(judged.paths.map { Array($0.utf8) } == [Array("größe".utf8)])
  }

  @Test func aTreeDeeperThanAnyPackageIsRefused() throws {
    var folder = try bench.directory.createDirectories("game")
    for _ in 0..<600 { folder = try folder.createDirectories("d") }
    let writer = try writer()
    #expect(Set(writer.findings.map(\.rule)) == [.nameTooLong, .noFiles])
  }

  @Test func whatCannotBeReadIsNamed() throws {
    try writeGame()
    let writer = try writer()
    try FileManager.default.removeItem(atPath: bench.path("game/js.map"))
    let file = try bench.directory.file("out.zip", mode: .createNew)
    let expected = SystemError(errno: 2, operation: "open", path: bench.path("game/js.map"))
    #expect(throws: ZipWriteError.cannotRead(expected)) { try writer.write(to: file) }
    #expect(throws: ZipWriteError.cancelled) { try writer.write(to: file, isCancelled: { true }) }
  }

  @Test func highlyRepetitiveFoldersAreRefusedLikeABomb() throws {
    // Each file is below the ratio of one entry, all together are above that of a package.
    for index in 0..<4 {
      try bench.write(
        [UInt8](repeating: UInt8(index), count: 900_000), as: "game/\(index)")
    }
    let file = try bench.directory.file("out.zip", mode: .createNew)
    let failure = #expect(throws: ZipWriteError.self) { try writer().write(to: file) }
    guard case .refused(let findings) = failure else {
      return #expect(Bool(false), "\(String(describing: failure))")
    }
    #expect(findings.map(\.rule) == [.ratio])
  }
}
