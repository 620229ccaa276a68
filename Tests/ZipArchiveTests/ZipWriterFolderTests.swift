import Foundation
import Platform
import Testing

@testable import ZipArchive

@Suite struct ZipWriterFolderTests {
  private let bench: WriterBench

  init() throws {
    bench = try WriterBench()
    try bench.write(Array("<p>".utf8), as: "game/index.html")
    try bench.write(prose(100), as: "game/b/x")
    try bench.write([1], as: "game/b.txt")
    try bench.write([2], as: "game/.DS_Store")
    try bench.write([3], as: "game/.git/config")
    _ = try bench.directory.createDirectories("game/empty/deep")
  }

  private var game: Directory { get throws { try bench.directory.directory("game") } }

  @Test func addsWhatIsInAFolderSortedAndWithoutJunk() throws {
    var leftOut: [IgnoredEntry] = []
    let judged = try bench.archive(rules: []) { leftOut = try $0.add(contentsOf: try game) }
    #expect(judged.paths == ["b.txt", "b/x", "index.html"])
    #expect(
      try judged.unpacked().keys.sorted() == ["b.txt", "b/", "b/x", "empty/", "empty/deep/", "index.html"])
    #expect(judged.plan.entryCount == 4)
    #expect(leftOut.map(\.path) == [".DS_Store", ".git/"])
    #expect(leftOut.map(\.reason) == ["junk", "junk"])
  }

  @Test func keepsTheParentWhenAskedTo() throws {
    let judged = try bench.archive(rules: ["wrapper-folder"]) {
      try $0.add(contentsOf: try game, under: "game")
    }
    #expect(judged.plan.root == "game/")
  }

  @Test func twoFoldersGoIntoOneArchiveWhenTheirNamesDo() throws {
    try bench.write([1], as: "more/B/y")
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions())
    try zip.add(contentsOf: try game)
    let failure = #expect(throws: ZipWriteError.self) {
      try zip.add(contentsOf: try bench.directory.directory("more"))
    }
    guard case .refused(let findings) = failure else {
      return #expect(Bool(false), "\(String(describing: failure))")
    }
    #expect(findings.map(\.rule) == [.caseCollision])
    try zip.add(contentsOf: try bench.directory.directory("more"), under: "more")
    try zip.finish()
    #expect(try bench.judged("a.zip").paths.contains("more/B/y"))
  }

  @Test func tellsAllThatStandsAgainstAFolderBeforeItAddsAnything() throws {
    try bench.write([1], as: "game/aux")
    try bench.write([1], as: "game/B.TXT")
    try FileManager.default.createSymbolicLink(atPath: bench.path("game/link"), withDestinationPath: "b.txt")
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions())
    let failure = #expect(throws: ZipWriteError.self) { try zip.add(contentsOf: try game) }
    guard case .refused(let findings) = failure else {
      return #expect(Bool(false), "\(String(describing: failure))")
    }
    #expect(Set(findings.map(\.rule)) == [.symlink, .reservedName, .caseCollision])
    #expect(try zip.finish().entries == 0)
  }

  @Test func keepsSymlinksWhenAskedTo() throws {
    try FileManager.default.createSymbolicLink(atPath: bench.path("game/link"), withDestinationPath: "b/x")
    let zip = try ZipWriter(
      creating: "a.zip", in: bench.directory, options: ZipWriterOptions(symlinks: .kept))
    try zip.add(contentsOf: try game)
    try zip.finish()
    // No package: but that is its only fault.
    #expect(try bench.judged("a.zip").errors == ["symlink"])
    let unpacked = try run("unzip", ["-q", "a.zip", "-d", "out"], in: bench.folder.path)
    #expect(unpacked?.status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: bench.path("out/link")) == "b/x")
  }

  @Test func keepsTheDatesOfFilesAndFoldersWhenAskedTo() throws {
    let date = Date(timeIntervalSince1970: 1_770_091_507)
    for name in ["game/b.txt", "game/empty/deep"] {
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: bench.path(name))
    }
    _ = try bench.archive("a.zip", ZipWriterOptions(dates: .kept), rules: []) {
      try $0.add(contentsOf: try game)
    }
    #expect(try run("unzip", ["-q", "a.zip", "-d", "out"], in: bench.folder.path)?.status == 0)
    for name in ["out/b.txt", "out/empty/deep"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: bench.path(name))
      #expect(attributes[.modificationDate] as? Date == date, "\(name)")
    }
  }
}
