import Foundation
import Platform
import TestSupport
import Testing

@testable import ZipArchive

@Suite struct ZipWriterTests {
  private let bench: WriterBench

  init() throws { bench = try WriterBench() }

  @Test func writesWhatOurOwnRulesTakeWithoutAWord() throws {
    let source = try bench.write(prose(20_000), as: "in/long.txt")
    let judged = try bench.archive(rules: []) { zip in
      try zip.add(data: Array("<p>hello</p>".utf8), as: "index.html")
      try zip.add(source, as: "text/long.txt")
      try zip.add(data: noise(400_000), as: "noise")
      try zip.add(data: [], as: "empty")
      try zip.addFolder("saves")
      try zip.openEntry("log.txt")
      for _ in 0..<100 { try zip.write(prose(100)) }
      try zip.closeEntry()
    }
    let files = try judged.unpacked()
    #expect(files["text/long.txt"] == prose(20_000))
    #expect(files["noise"] == noise(400_000))
    #expect(files["empty"] == [])
    #expect(files["saves/"] == [])
    #expect(files["log.txt"]?.count == prose(100).count * 100)
    #expect(judged.plan.entryCount == 6)
  }

  /// APPNOTE 4.3.7, 4.3.12, 4.3.16: every byte of a small archive.
  @Test func writesTheseBytes() throws {
    _ = try bench.archive { try $0.add(data: Array("hi".utf8), as: "ä") }
    let local: [UInt8] = [
      0x50, 0x4B, 3, 4, 20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0, 0xAC, 0x2A, 0x93, 0xD8, 2, 0, 0, 0, 2, 0, 0, 0, 2,
      0, 0, 0,
      0xC3, 0xA4, 0x68, 0x69,
    ]
    let central: [UInt8] = [
      0x50, 0x4B, 1, 2, 30, 3, 20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0, 0xAC, 0x2A, 0x93, 0xD8, 2, 0, 0, 0, 2, 0, 0,
      0, 2, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xA4, 0x81, 0, 0, 0, 0, 0xC3, 0xA4,
    ]
    let end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 48, 0, 0, 0, 34, 0, 0, 0, 0, 0]
    #expect(try bench.bytes("a.zip") == local + central + end)
  }

  @Test func anArchiveWithoutEntriesIsAnEndRecord() throws {
    let writer = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions())
    #expect(try writer.finish() == ZipSummary(entries: 0, size: 22))
    #expect(try bench.judged("a.zip").errors == ["no-files"])
  }

  @Test func setsBit11ForNamesBeyondASCIIAndWritesThemInNFC() throws {
    let judged = try bench.archive { zip in
      try zip.add(data: [1], as: "gro\u{308}ße")
      try zip.add(data: [1], as: "plain")
    }
    #expect(judged.paths.map { Array($0.utf8) } == [Array("größe".utf8), Array("plain".utf8)])
    let bytes = try bench.bytes("a.zip")
    #expect(bytes[6...7] == [0, 8])
    let second = try #require(judged.plan.files.last)
    #expect(bytes[Int(second.headerOffset) + 7] == 0)
  }

  @Test(arguments: 0...9) func takesEveryLevel(level: Int) throws {
    let judged = try bench.archive("a.zip", ZipWriterOptions(level: level)) {
      try $0.add(data: prose(2000), as: "a.txt")
    }
    let file = try #require(judged.plan.files.first)
    #expect(file.method == (level == 0 ? 0 : 8))
    #expect(try judged.unpacked()["a.txt"] == prose(2000))
  }

  @Test(arguments: [-1, 10]) func refusesALevelThatThereIsNot(level: Int) throws {
    let expected = ZipWriteError.badArgument("a level is a number from 0 to 9, not \(level)")
    #expect(throws: expected) {
      try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions(level: level))
    }
    #expect(bench.names.isEmpty)
  }

  @Test func storesWhatDeflateDoesNotMakeSmaller() throws {
    let judged = try bench.archive { zip in
      try zip.add(data: noise(600_000), as: "noise.dat")
      try zip.add(data: Array("abc".utf8), as: "abc")
      try zip.add(data: prose(1000), as: "prose")
    }
    #expect(judged.plan.files.map(\.method) == [0, 0, 8])
    #expect(try judged.unpacked()["noise.dat"] == noise(600_000))
  }

  /// Zeros deflate to 1:1030, which readers take for a bomb above 1 MiB.
  @Test func storesWhatWouldLookLikeABomb() throws {
    let judged = try bench.archive { try $0.add(data: [UInt8](repeating: 0, count: 3 << 20), as: "zeros") }
    #expect(judged.plan.files.map(\.method) == [0])
  }

  @Test(arguments: ["a.png", "A.JPG", "x/music.ogg", "font.woff2", "t.ktx2", "a.b.gz"])
  func storesMediaByItsName(name: String) throws {
    let judged = try bench.archive { try $0.add(data: prose(100), as: name) }
    #expect(judged.plan.files.map(\.method) == [0])
    let deflated = try bench.archive("b.zip", ZipWriterOptions(storesMedia: false)) {
      try $0.add(data: prose(100), as: name)
    }
    #expect(deflated.plan.files.map(\.method) == [8])
  }

  @Test(
    arguments: [
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBP".utf8),
      [0, 0, 0, 0x20] + Array("ftyp".utf8), [0x1F, 0x8B, 8], [0x28, 0xB5, 0x2F, 0xFD], Array("OggS".utf8),
    ] as [[UInt8]])
  func storesMediaByItsFirstBytes(head: [UInt8]) throws {
    let judged = try bench.archive { zip in
      try zip.add(data: head + prose(100), as: "data")
      try zip.add(data: Array(head.dropLast()) + prose(100), as: "other")
    }
    #expect(judged.plan.files.map(\.method) == [0, 8])
  }

  @Test func keepsDatesInUTCWhenAskedTo() throws {
    // 2026-02-03 04:05:07 UTC.
    _ = try bench.archive("a.zip", ZipWriterOptions(dates: .kept)) { zip in
      try zip.add(data: Array("hi".utf8), as: "a", modifiedAt: 1_770_091_507)
    }
    let bytes = try bench.bytes("a.zip")
    #expect(bytes[10..<14] == [0xA3, 0x20, 0x43, 0x5C])
    #expect(bytes[28] == 9)
    #expect(bytes[31..<40] == [0x55, 0x54, 5, 0, 1, 0xF3, 0x73, 0x81, 0x69])
  }

  @Test func datesThatDOSCannotSayBecomeTheNearest() throws {
    #expect(EntryDate(unixSeconds: 0).dosDate == 0x21)
    #expect(EntryDate(unixSeconds: 0).dosTime == 0)
    #expect(EntryDate(unixSeconds: .max).dosDate == 127 << 9 | 12 << 5 | 31)
    #expect(EntryDate(unixSeconds: .max).unixSeconds == nil)
  }

  @Test func tellsProgressInBytesAndEntries() throws {
    let source = try bench.write(noise(600_000), as: "noise")
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions(level: 0))
    var told: [WriteProgress] = []
    try zip.add(data: [1, 2, 3], as: "a") { told.append($0) }
    try zip.add(source, as: "b") { told.append($0) }
    #expect(told.last == WriteProgress(bytes: 600_003, entries: 2))
    #expect(told.contains(WriteProgress(bytes: 3 + 262_144, entries: 1)))
    #expect(told.map(\.bytes) == told.map(\.bytes).sorted())
  }

  @Test func aCancelledEntryLeavesNothing() throws {
    let source = try bench.write(noise(2_000_000), as: "noise")
    let judged = try bench.archive { zip in
      try zip.add(data: [1], as: "a")
      var asked = 0
      #expect(throws: ZipWriteError.cancelled) {
        try zip.add(
          source, as: "b",
          isCancelled: {
            asked += 1
            return asked > 3
          })
      }
      try zip.add(data: [2], as: "B")
    }
    #expect(judged.paths == ["a", "B"])
    #expect(try bench.bytes("a.zip").count < 300)
  }

  @Test func nothingIsThereBeforeTheEnd() throws {
    var zip: ZipWriter? = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions())
    try zip?.add(data: [1], as: "a")
    #expect(!bench.names.contains("a.zip"))
    zip = nil
    #expect(bench.names.isEmpty)
  }

  @Test func callsOutOfOrderAreTold() throws {
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions())
    #expect(throws: ZipWriteError.outOfOrder("no entry is open")) { try zip.write([1]) }
    #expect(throws: ZipWriteError.outOfOrder("no entry is open")) { try zip.closeEntry() }
    try zip.openEntry("a")
    #expect(throws: ZipWriteError.outOfOrder("the entry a is still open")) { try zip.add(data: [], as: "b") }
    #expect(throws: ZipWriteError.outOfOrder("the entry a is still open")) { try zip.finish() }
    try zip.discardEntry()
    try zip.finish()
    #expect(throws: ZipWriteError.outOfOrder("the archive is finished")) { try zip.addFolder("c") }
    #expect(try bench.bytes("a.zip").count == 22)
  }

  @Test func aFileThatChangesMeanwhileIsTold() throws {
    let source = try bench.write(noise(1_000_000), as: "noise")
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions())
    let other = try File(path: source.path, mode: .readWrite)
    #expect(throws: ZipWriteError.sourceChanged(path: source.path)) {
      try zip.add(source, as: "noise") { _ in try? other.truncate(to: 300_000) }
    }
  }

  @Test func whatCannotBeReadOrCreatedIsTold() throws {
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions())
    let folder = try File(path: bench.folder.path, mode: .read)
    #expect(throws: ZipWriteError.cannotRead(SystemError(errno: 21, operation: "read", path: folder.path))) {
      try zip.add(folder, as: "a")
    }
    let missing = SystemError(errno: 2, operation: "open", path: bench.path("no/such"))
    #expect(throws: ZipWriteError.cannotOpen(missing)) {
      try ZipWriter(appendingTo: "no/such", in: bench.directory, options: ZipWriterOptions())
    }
    #expect(
      throws: ZipWriteError.cannotCreate(SystemError(errno: 2, operation: "open", path: bench.path("no")))
    ) {
      try ZipWriter(creating: "no/such", in: bench.directory, options: ZipWriterOptions())
    }
  }

  @Test func aFailedStepEndsTheArchiveAndLeavesTheOldOne() throws {
    for step in 1...100 {
      try bench.write([7], as: "a.zip")
      let volume = FaultyVolume(failing: step, errno: 28)
      var failure: ZipWriteError?
      do throws(ZipWriteError) {
        let zip = try ZipWriter(
          creating: "a.zip", in: bench.directory, options: ZipWriterOptions(), volume: volume)
        do throws(ZipWriteError) {
          try zip.add(data: noise(900_000), as: "a")
          try zip.add(data: noise(100), as: "b")
          try zip.finish()
        } catch {
          #expect(throws: error) { try zip.add(data: [1], as: "c") }
          throw error
        }
      } catch {
        failure = error
      }
      #expect(bench.names == ["a.zip"])
      guard let failed = volume.failed else {
        #expect(failure == nil && step > 6)
        #expect(try bench.judged("a.zip").paths == ["a", "b"])
        return
      }
      guard case .cannotWrite(let error) = failure else {
        Issue.record("\(failed) ended in \(String(describing: failure))")
        continue
      }
      #expect(error.isOutOfSpace)
      // After the rename only the folder's fsync is left: the new archive stands there then, whole.
      let isOld = try bench.bytes("a.zip") == [7]
      #expect(isOld != (failed == "fsync \(bench.directory.path)"), "\(failed)")
    }
    Issue.record("there is no end to the steps")
  }
}
