import TestSupport
import Testing
import ZipArchive

/// A zip made wrong in one way, and the rule that must name it.
struct Case: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let rule: Rule
  let bytes: [UInt8]

  init(_ name: String, _ rule: Rule, _ bytes: [UInt8]) {
    (testDescription, self.rule, self.bytes) = (name, rule, bytes)
  }

  init(_ name: String, _ rule: Rule, _ entries: [ZipEntry], _ change: (inout ZipBuilder) -> Void = { _ in }) {
    var builder = ZipBuilder(entries)
    change(&builder)
    self.init(name, rule, builder.build())
  }
}

private let index = ZipEntry("index.html", "<h1>hello hello hello</h1>")
private let other = ZipEntry.stored("a.txt", "stored")
private let honest = ZipBuilder([index, other]).build()

@Suite struct StructureRuleTests {
  static let ends: [Case] = [
    Case("nothing", .notAZip, []),
    Case("a gzip", .notAZip, [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 0, count: 60)),
    Case("text", .notAZip, Array("<html>no zip at all, but longer than an end record</html>".utf8)),
    Case("the first half", .truncated, Array(honest.prefix(honest.count / 2))),
    Case("all but a byte", .truncated, Array(honest.dropLast())),
    Case("a comment that is cut", .truncated, [index]) {
      $0.comment = [1]; $0.commentLength = 2
    },
    Case("a later disk", .multiDisk, [index]) { $0.diskNumber = 1 },
    Case("an entry on another disk", .multiDisk, [index.with { $0.diskStart = 2 }]),
    Case("a stub in front", .prefixData, [index]) { $0.prefix = Array("#!/bin/sh".utf8) },
    Case("a stub in front, not counted", .prefixData, [index]) {
      $0.prefix = Array("#!/bin/sh".utf8)
      $0.offsetsCountPrefix = false
    },
    Case("a byte behind", .trailingData, [index]) { $0.suffix = [0] },
    Case("a comment longer than told", .trailingData, [index]) {
      $0.comment = [1, 2, 3]; $0.commentLength = 1
    },
    Case("a zip as comment", .severalEnds, [index]) { $0.comment = ZipBuilder([other]).build() },
    Case("an end record that does not fit in the comment", .severalEnds, [index]) {
      $0.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 9, count: 18)
    },
    Case("one entry too many announced", .countMismatch, [index]) { $0.count = 2 },
    Case("one too few", .countMismatch, [index, other]) { $0.count = 1 },
    Case("another count on this disk", .countMismatch, [index, other]) {
      $0.countOnThisDisk = 1; $0.count = 2
    },
    Case("an offset past the end", .directoryOffset, [index]) { $0.directoryOffset = 100_000 },
    Case("an offset to something else", .directoryOffset, [index]) { $0.directoryOffset = 3 },
    Case("a size past the end", .directoryOffset, [index]) { $0.directorySize = 100_000 },
    Case("a size that cuts an entry", .directoryOffset, [index, other]) { $0.directorySize = 110 },
    Case("an entry that is elsewhere", .directoryOffset, [index.with { $0.headerOffset = 7 }, other]),
    Case("an entry past the end", .directoryOffset, [index, other.with { $0.headerOffset = 1 << 20 }]),
    Case("zip64 announced and absent", .zip64Conflict, [index]) { $0.directorySize = 0xFFFF_FFFF },
    Case("zip64 with another count", .zip64Conflict, [index]) {
      ($0.zip64End, $0.zip64EndKeepsValues, $0.zip64Count) = (true, true, 3)
    },
    Case("zip64 with another offset", .zip64Conflict, [index]) {
      ($0.zip64End, $0.zip64EndKeepsValues, $0.zip64DirectoryOffset) = (true, true, 3)
    },
    Case("zip64 elsewhere", .zip64Conflict, [index]) { ($0.zip64End, $0.zip64EndOffset) = (true, 5) },
    Case("zip64 far away", .zip64Conflict, [index]) { ($0.zip64End, $0.zip64EndOffset) = (true, .max) },
  ]

  static let entries: [Case] = [
    Case(
      "an entry twice in the directory", .overlap,
      [
        index,
        ZipEntry("b", "<h1>hello hello hello</h1>").with {
          ($0.hasLocalRecord, $0.headerOffset) = (false, 0)
        },
      ]),
    Case(
      "data that reach into the directory", .overlap,
      [
        other.with { ($0.compressedSize, $0.size) = (40, 40) }
      ]),
    Case("data quoted by the entry before", .overlap, Bomb.quoted(entries: 3)),
    Case(
      "an entry the directory does not know", .hiddenEntry,
      [index, other.with { $0.hasCentralRecord = false }]),
    Case("a directory header behind the directory", .hiddenEntry, [index]) {
      $0.afterDirectory = [0x50, 0x4B, 1, 2] + [UInt8](repeating: 0, count: 42)
    },
    Case("another method", .localCentralMismatch, [index, other.with { $0.localMethod = 8 }]),
    Case("another name", .localCentralMismatch, [index, other.with { $0.localName = Array("b.txt".utf8) }]),
    Case("another size", .localCentralMismatch, [index, other.with { $0.localSize = 5 }]),
    Case("another compressed size", .localCentralMismatch, [index.with { $0.localCompressedSize = 5 }]),
    Case("another CRC", .localCentralMismatch, [index.with { $0.localCRC32 = 5 }]),
    Case("encrypted there only", .localCentralMismatch, [index, other.with { $0.localFlags = 1 }]),
    Case(
      "a size beside a descriptor", .localCentralMismatch,
      [
        index.with {
          $0.descriptor = .withSignature; $0.localSize = 1
        }
      ]),
    Case(
      "a folder by its attributes only", .localCentralMismatch,
      [
        index, other.with { $0.externalAttributes = 0o040755 << 16 | 0x10 },
      ]),
    Case(
      "a folder by its DOS attribute only", .localCentralMismatch,
      [
        index,
        other.with {
          $0.versionMadeBy = 20; $0.externalAttributes = 0x10
        },
      ]),
    Case(
      "another Unicode path", .localCentralMismatch,
      [
        index, other.with { $0.localExtra = ExtraField.unicodePath("evil.js", for: $0.name) },
      ]),
    Case(
      "another CRC in the descriptor", .descriptorMismatch,
      [
        index.with {
          $0.descriptor = .withSignature; $0.descriptorCRC32 = 1
        }
      ]),
    Case(
      "another size in the descriptor", .descriptorMismatch,
      [
        index.with {
          $0.descriptor = .wideWithoutSignature; $0.descriptorSize = 1
        }, other,
      ]),
    Case("no descriptor", .descriptorMismatch, [index.with { $0.localFlags = 8 }, other]),
    Case("bzip2", .unsupportedMethod, [index, other.with { $0.method = 12 }]),
    Case("deflate64", .unsupportedMethod, [index, other.with { $0.method = 9 }]),
    Case("a method nobody knows", .unsupportedMethod, [index, other.with { $0.method = 4711 }]),
    Case(
      "AES without its field", .unsupportedMethod,
      [
        index,
        other.with {
          $0.method = 99; $0.flags = 1
        },
      ]),
    Case("AES of strength 9", .unsupportedMethod, [index, Encrypted.aes("b", strength: 9)]),
    Case("AES around LZMA", .unsupportedMethod, [index, Encrypted.aes("b", method: 14)]),
    Case("strong encryption", .unsupportedMethod, [index, other.with { $0.flags = 1 | 1 << 6 }]),
    Case("a wrong CRC", .crcMismatch, [index.with { $0.crc32 ^= 1 }]),
    Case("a wrong CRC of junk", .crcMismatch, [index, ZipEntry(".DS_Store", "x").with { $0.crc32 ^= 1 }]),
    Case("a wrong CRC of a folder", .crcMismatch, [index, ZipEntry("a/").with { $0.crc32 = 1 }]),
    Case("more than declared", .sizeMismatch, [index.with { $0.size -= 1 }]),
    Case("less than declared", .sizeMismatch, [index.with { $0.size += 1 }]),
    Case("stored, of two sizes", .sizeMismatch, [index, other.with { $0.size += 1 }]),
    Case(
      "bytes behind the deflate stream", .sizeMismatch,
      [
        index.with {
          $0.payload += [0, 0]; $0.compressedSize += 2
        }
      ]),
    Case("ZipCrypto without its header", .sizeMismatch, [index, other.with { $0.flags = 1 }]),
    Case(
      "AES too short for salt and code", .sizeMismatch,
      [
        index,
        Encrypted.aes("b", method: 8).with {
          $0.payload = [1]; $0.compressedSize = 1
        },
      ]),
    Case("a folder with data", .directoryData, [index, ZipEntry("a/", "data")]),
    Case(
      "a folder with deflated data", .directoryData,
      [index, ZipEntry("x", "data").with { $0.name = [0x61, 0x2F] }]),
    Case("a broken deflate stream", .inflateError, [index.with { $0.payload[0] = 0xFF }]),
    Case(
      "a deflate stream that is cut", .inflateError,
      [
        index.with {
          $0.payload.removeLast(3); $0.compressedSize -= 3
        }
      ]),
    Case(
      "deflated, of no bytes", .inflateError,
      [
        index.with {
          $0.payload = []; $0.compressedSize = 0
        }
      ]),
    Case(
      "a zip64 field that lacks a size", .zip64Conflict,
      [
        index.with {
          $0.size = 0xFFFF_FFFF;
          $0.extra = LittleEndian.bytes(1, 2) + LittleEndian.bytes(4, 2) + [0, 0, 0, 0]
        }
      ]),
    Case(
      "two zip64 fields", .zip64Conflict,
      [
        index.with {
          $0.isZip64 = true
          $0.extra = LittleEndian.bytes(1, 2) + LittleEndian.bytes(8, 2) + LittleEndian.bytes(1, 8)
        }
      ]),
    Case(
      "a zip64 field that says otherwise", .zip64Conflict,
      [
        index.with {
          $0.extra = LittleEndian.bytes(1, 2) + LittleEndian.bytes(16, 2) + LittleEndian.bytes(1, 8)
          $0.extra += LittleEndian.bytes(1, 8)
        }
      ]),
    Case("a size beyond 63 bits", .zip64Conflict, [index.with { ($0.isZip64, $0.size) = (true, -1) }]),
  ]

  @Test(arguments: ends + entries) func refusesAndNamesTheRule(example: Case) throws {
    let judged = try judge(example.bytes)
    #expect(!judged.isAccepted)
    #expect(judged.errors.contains(example.rule.rawValue), "\(judged.findings)")
  }

  @Test func acceptsAGapThatHidesNothing() throws {
    for change in [
      { (builder: inout ZipBuilder) in builder.beforeDirectory = [UInt8](repeating: 0, count: 300_000) },
      { $0.afterDirectory = [1] }, { $0.entries[1].bytesBefore = Array("padding".utf8) },
    ] {
      var builder = ZipBuilder([index, other])
      change(&builder)
      let judged = try judge(builder.build())
      #expect(judged.isAccepted && judged.rules == ["gap"], "\(judged.findings)")
    }
  }

  @Test func findsAHeaderAcrossTwoChunksOfAGap() throws {
    for offset in (128 << 10) - 5...(128 << 10) + 1 {
      var gap = [UInt8](repeating: 0, count: 200_000)
      gap.replaceSubrange(offset..<offset + 4, with: [0x50, 0x4B, 3, 4])
      var builder = ZipBuilder([index])
      builder.beforeDirectory = gap
      #expect(try judge(builder.build()).errors == ["hidden-entry"])
    }
  }

  @Test(arguments: [
    ZipEntry.Descriptor.withSignature, .withoutSignature, .wideWithSignature, .wideWithoutSignature,
  ])
  func readsDescriptorsOfEveryForm(form: ZipEntry.Descriptor) throws {
    let judged = try judge([index, other, ZipEntry("empty", "")].map { $0.with { $0.descriptor = form } })
    #expect(judged.findings == [])
    #expect(try judged.unpacked().count == 3)
  }

  @Test func readsZip64Fields() throws {
    var builder = ZipBuilder([index, other].map { $0.with { $0.isZip64 = true } })
    builder.zip64End = true
    #expect(try judge(builder.build()).findings == [])
    builder.entries = builder.entries.map { $0.with { $0.descriptor = .wideWithSignature } }
    #expect(try judge(builder.build()).findings == [])
    builder.zip64EndKeepsValues = true
    #expect(try judge(builder.build()).findings == [])
  }

  @Test func acceptsWhatHonestWritersDo() throws {
    let javaFolder = ZipEntry("META-INF/").with {
      $0.method = 8
      $0.payload = [3, 0]
      $0.compressedSize = 2
      $0.descriptor = .withSignature
    }
    let emptyDeflated = ZipEntry("empty", "").with {
      $0.payload = []; $0.compressedSize = 0
    }
    let aligned = other.with { $0.localExtra = [0, 0, 0] }
    let infoZipStream = ZipEntry("s", "x").with {
      ($0.descriptor, $0.localSize, $0.localCompressedSize) = (.withSignature, 0xFFFF_FFFF, 0xFFFF_FFFF)
    }
    var builder = ZipBuilder([index, javaFolder, emptyDeflated, aligned, infoZipStream])
    builder.comment = Array("made by a friend".utf8)
    #expect(try judge(builder.build()).findings == [])
  }

  @Test func givesEvidence() throws {
    let judged = try judge([index.with { $0.crc32 = 0xDEAD_BEEF }])
    #expect(judged.detail(of: .crcMismatch)?.contains("deadbeef is declared") == true)
    #expect(judged.findings.first { $0.rule == .crcMismatch }?.path == "index.html")
    #expect(
      try judge([other.with { $0.headerOffset = 7 }]).detail(of: .directoryOffset)?.contains("offset 7")
        == true)
  }
}

enum ExtraField {
  /// APPNOTE 4.6.9.
  static func unicodePath(_ path: String, for name: [UInt8]) -> [UInt8] {
    LittleEndian.bytes(0x7075, 2) + LittleEndian.bytes(5 + path.utf8.count, 2) + [1]
      + LittleEndian.bytes(Int(CRC32.value(of: name)), 4) + Array(path.utf8)
  }
}
