import Foundation
import Platform
import TestSupport
import Testing
import ZipArchive

@Suite struct PackageReaderTests {
  private let game: [UInt8] = ZipBuilder.zip([
    "index.html": "<script src=\"js/a.js\"></script>", "js/": "", "js/a.js": "alert(1)",
    "img/ä.png": [1, 2, 3],
  ])

  @Test func readsAnHonestZip() throws {
    let judged = try judge(game)
    #expect(judged.findings == [])
    #expect(judged.paths == ["index.html", "js/a.js", "img/ä.png"])
    #expect(judged.plan.root == "")
    #expect(judged.plan.namesEncoding == .utf8)
    #expect(judged.plan.unpackedSize == 31 + 8 + 3)
    #expect(judged.plan.entryCount == 4)
  }

  @Test func tellsWhereEachEntrysBytesLie() throws {
    let file = try #require(try judge(game).plan.files.first { $0.path == "js/a.js" })
    let payload = ZipEntry("x", "alert(1)").payload
    #expect(file.size == 8 && file.compressedSize == Int64(payload.count))
    #expect(Array(game[Int(file.dataOffset)...].prefix(payload.count)) == payload)
    #expect(Array(game[Int(file.headerOffset)...].prefix(4)) == [0x50, 0x4B, 3, 4])
    #expect(file.method == 8 && !file.isEncrypted)
  }

  @Test func digestsEveryFileInThePlansOrder() throws {
    let judged = try judge(
      ZipBuilder([ZipEntry("index.html", "abc"), .stored("b", "abc")]).build(), digests: true)
    let digests = judged.contents.files
    #expect(digests.count == 2)
    #expect(digests.map(\.sha256) == [Hash.digest(of: Array("abc".utf8), .sha256), digests[0].sha256])
    #expect(digests.map(\.md5) == [Hash.digest(of: Array("abc".utf8), .md5), digests[0].md5])
    #expect(digests[0].compressedSHA256 == Hash.digest(of: ZipEntry("x", "abc").payload, .sha256))
    #expect(digests[1].compressedSHA256 == digests[1].sha256)
  }

  @Test func digestsOnlyTheBytesInTheZipOfAnEncryptedFile() throws {
    let sealed = Encrypted.zipCrypto("secret")
    let judged = try judge(ZipBuilder([ZipEntry("index.html", "x"), sealed]).build(), digests: true)
    #expect(judged.isAccepted)
    #expect(judged.contents.files[1].sha256 == nil && judged.contents.files[1].md5 == nil)
    #expect(judged.contents.files[1].compressedSHA256 == Hash.digest(of: sealed.payload, .sha256))
  }

  @Test func unpacksFilesAndFoldersAsTheyWere() throws {
    let files = try judge(game).unpacked()
    #expect(
      files == [
        "index.html": Array("<script src=\"js/a.js\"></script>".utf8), "js/": [],
        "js/a.js": Array("alert(1)".utf8),
        "img/": [], "img/ä.png": [1, 2, 3],
      ])
  }

  @Test(arguments: [0, 1, 255, 256, 128 << 10, 256 << 10, (256 << 10) + 1, 1_000_003])
  func keepsEveryByteOfAFileOfAnySize(size: Int) throws {
    let content = FileContent((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
    let judged = try judge([
      ZipEntry("deflated", content), .stored("stored", content), ZipEntry("index.html", "x"),
    ])
    #expect(judged.isAccepted)
    let files = try judged.unpacked()
    #expect(files["deflated"] == content.bytes)
    #expect(files["stored"] == content.bytes)
  }

  @Test func tellsAllFindingsAtOnce() throws {
    let judged = try judge([
      ZipEntry("../a", "x"), ZipEntry("CON", "x"), ZipEntry("b", "x").with { $0.method = 12 },
      ZipEntry("c", "abc").with { $0.crc32 = 1 },
    ])
    #expect(judged.errors == ["parent-path", "reserved-name", "unsupported-method", "crc-mismatch"])
  }

  @Test func tellsAtMostAHundredFindingsOfOneRuleAndHowManyMore() throws {
    let judged = try judge((0..<250).map { ZipEntry("a\($0)?", "x") })
    let found = judged.findings.filter { $0.rule == .reservedName }
    #expect(found.count == 101)
    #expect(found.last?.detail == "and 150 more")
  }

  @Test func tellsTheFirstHundredOfThousandsOfBrokenEntries() throws {
    let judged = try judge((0..<6000).map { ZipEntry.stored("\($0)", "").with { $0.crc32 = 1 } })
    let found = judged.findings.filter { $0.rule == .crcMismatch }
    #expect(found.prefix(100).map(\.path) == (0..<100).map { "\($0)" })
    #expect(found.count == 101 && found.last?.detail == "and 5900 more")
  }

  @Test func looksAtNoContentsWhenTheStructureIsInDoubt() throws {
    var builder = ZipBuilder([ZipEntry("index.html", "x")])
    builder.count = 2
    let judged = try judge(builder.build(), digests: true)
    #expect(!judged.contents.isComplete && !judged.contents.isAccepted && judged.contents.files.isEmpty)
  }

  @Test func stopsWhenAsked() throws {
    let folder = try TemporaryFolder()
    let reader = try PackageReader(
      file: try File(path: try folder.write(game, as: "a.zip"), mode: .read), options: .standard)
    #expect(throws: ZipError.cancelled) { try reader.verifyContents(digests: false, isCancelled: { true }) }
  }
}

/// Entries that claim to be encrypted; their bytes are never deciphered here.
enum Encrypted {
  static func zipCrypto(_ name: String) -> ZipEntry {
    ZipEntry.stored(name, [1, 2, 3]).with {
      $0.flags |= 1
      $0.payload = [UInt8](repeating: 7, count: 12 + 3)
      $0.compressedSize = 15
    }
  }

  static func aes(_ name: String, strength: UInt8 = 3, method: Int = 0, version: Int = 2) -> ZipEntry {
    let overhead = Int(strength) * 4 + 4 + 12
    return ZipEntry.stored(name, [1, 2, 3]).with {
      $0.flags |= 1
      $0.method = 99
      $0.crc32 = version == 2 ? 0 : $0.crc32
      $0.extra =
        LittleEndian.bytes(0x9901, 2) + LittleEndian.bytes(7, 2) + LittleEndian.bytes(version, 2)
        + Array("AE".utf8)
        + [strength] + LittleEndian.bytes(method, 2)
      $0.localExtra = $0.extra
      $0.payload = [UInt8](repeating: 7, count: overhead + 3)
      $0.compressedSize = overhead + 3
    }
  }
}
