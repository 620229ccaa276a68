import Foundation
import Platform
import TestSupport
import Testing

@testable import ZipArchive

@Suite struct PackageIndexTests {
  /// The package put together from its index and its own payloads; fails the test when a payload is not where it is told.
  private func rebuilt(_ index: PackageIndex, from package: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    for piece in index.pieces {
      switch piece {
      case .bytes(let bytes): output += bytes
      case .payload(let payload):
        #expect(payload.offset == Int64(output.count))
        output += package[Int(payload.offset)...].prefix(Int(payload.compressedSize))
      }
    }
    return output
  }

  /// The index of a package that the rules accept, once the package came out of it again.
  @discardableResult
  private func indexed(_ package: [UInt8]) throws -> (bytes: [UInt8], index: PackageIndex) {
    #expect(try judge(package).isAccepted)
    let bench = try WriterBench()
    let bytes = try PackageIndex.make(of: bench.write(package, as: "a.zip"), limits: .standard)
    let index = try PackageIndex(decoding: bytes, limits: .standard)
    #expect(index.packageSize == Int64(package.count))
    #expect(rebuilt(index, from: package) == package)
    return (bytes, index)
  }

  private static let contentWithSignature: [UInt8] = [0xAC, 0x0A, 0x7A, 0xD5]

  private static let honest = ZipBuilder([
    ZipEntry("index.html", "<html>hello hello hello</html>"), ZipEntry("assets/"), ZipEntry("assets/empty"),
    ZipEntry.stored("assets/a.png", "not much of a picture"),
  ])

  @Test func tellsAllOfAPackageButItsPayloads() throws {
    let (bytes, index) = try indexed(Self.honest.build())
    #expect(index.fileCount == 3)
    #expect(index.unpackedSize == 30 + 21)
    #expect(!index.isEncrypted)
    #expect(bytes.starts(with: [0x47, 0x44, 0x49, 1, 4]))
    let payloads = Array(index.payloads)
    #expect(payloads.map(\.size).contains(30) && payloads.map(\.size).contains(21))
    #expect(payloads.last?.crc32 == CRC32.value(of: Array("not much of a picture".utf8)))
  }

  @Test func isTheSameForTheSamePackage() throws {
    let package = Self.honest.build()
    #expect(try indexed(package).bytes == indexed(package).bytes)
  }

  /// Everything that an accepted package may have between its payloads.
  @Test(arguments: [
    ("a comment", Self.honest.with { $0.comment = Array("made by hand".utf8) }),
    ("zeros behind", Self.honest.with { $0.suffix = padding($0) }),
    ("zip64", Self.honest.with { $0.zip64End = true }),
    (
      "zip64 that keeps the values",
      Self.honest.with {
        $0.zip64End = true
        $0.zip64EndKeepsValues = true
      }
    ),
    ("a gap before the directory", Self.honest.with { $0.beforeDirectory = [1, 2, 3] }),
    ("a gap behind the directory", Self.honest.with { $0.afterDirectory = [0, 0, 0, 0] }),
    ("a marker of a split zip", Self.honest.with { $0.prefix = [0x50, 0x4B, 0x30, 0x30] }),
    (
      "a gap between entries",
      Self.honest.with { $0.entries[2].bytesBefore = [UInt8](repeating: 7, count: 900) }
    ),
    ("zip64 entries", Self.honest.with { for index in 0..<4 { $0.entries[index].isZip64 = true } }),
    (
      "fields that differ",
      Self.honest.with {
        $0.entries[0].localExtra = [0x55, 0x54, 9, 0, 3, 1, 2, 3, 0x64, 5, 6, 7, 0x64]
        $0.entries[0].extra = [0x55, 0x54, 5, 0, 3, 1, 2, 3, 0x64]
        $0.entries[1].extra = [0, 0, 0]
        $0.entries[1].localExtra = [0xFE, 0xCA, 0, 0]
        $0.entries[2].comment = Array("a comment of its own".utf8)
        $0.entries[3].versionMadeBy = 20
        $0.entries[3].externalAttributes = 0
      }
    ),
  ])
  func comesBackByteForByte(_ what: String, _ builder: ZipBuilder) throws {
    try indexed(builder.build())
  }

  @Test(arguments: [
    ZipEntry.Descriptor.withSignature, .withoutSignature, .wideWithSignature, .wideWithoutSignature,
  ])
  func comesBackWithDescriptors(_ descriptor: ZipEntry.Descriptor) throws {
    let entry = ZipEntry("index.html", "hello hello hello").with { $0.descriptor = descriptor }
    try indexed(ZipBuilder([entry, ZipEntry("b", "x")]).build())
  }

  /// A descriptor whose first four bytes could be a checksum as well as a signature.
  @Test func comesBackWhereTheChecksumLooksLikeASignature() throws {
    // CRC-32 of these bytes: 0x08074B50.
    let content = Self.contentWithSignature
    #expect(CRC32.value(of: content) == Signature.descriptor)
    for descriptor in [ZipEntry.Descriptor.withSignature, .withoutSignature] {
      let entry = ZipEntry.stored("a", FileContent(content)).with { $0.descriptor = descriptor }
      try indexed(ZipBuilder([entry, ZipEntry("b", "c")]).build())
    }
  }

  @Test(arguments: TestCipher.all)
  func tellsEncryptedPayloadsByTheirOwnChecksum(_ cipher: TestCipher) throws {
    let package = ZipBuilder([ZipEntry("index.html", "secret").encrypted(cipher, password: "p")]).build()
    let (_, index) = try indexed(package)
    #expect(index.isEncrypted)
    let payload = try #require(Array(index.payloads).first)
    let bytes = package[Int(payload.offset)...].prefix(Int(payload.compressedSize))
    #expect(payload.encryptedCRC32 == CRC32.value(of: Array(bytes)))
  }

  @Test func comesBackWhenTheDirectoryHasAnotherOrder() throws {
    var builder = Self.honest
    let offsets = (0..<4).map { count in
      builder.entries[..<count].reduce(0) { $0 + $1.localLength }
    }
    for index in 0..<4 { builder.entries[index].headerOffset = offsets[index] }
    let local = builder.entries.map { entry in entry.with { $0.hasCentralRecord = false } }
    let central = builder.entries.reversed().map { entry in entry.with { $0.hasLocalRecord = false } }
    builder.entries = local + central
    let (_, index) = try indexed(builder.build())
    #expect(index.fileCount == 3)
  }

  @Test func comesBackAsOtherToolsMadeIt() throws {
    let bench = try WriterBench()
    let script = """
      import zipfile, io, os, sys
      os.makedirs('g/a/b')
      for n, c in [('g/index.html', b'x' * 5000), ('g/a/b/\\u00e9.js', b'let a = 1;' * 99), ('g/a/empty', b'')]: open(n, 'wb').write(c)
      """
    try run(["python3", "-c", script], in: bench.folder.path)
    try run(["zip", "-q", "-r", "-9", "info.zip", "g"], in: bench.folder.path)
    try run(["7z", "a", "-bso0", "-bsp0", "seven.zip", "g"], in: bench.folder.path)
    try run(["bsdtar", "-c", "--format", "zip", "-f", "bsd.zip", "g"], in: bench.folder.path)
    try run(["python3", "-m", "zipfile", "-c", "python.zip", "g"], in: bench.folder.path)
    try run(["bash", "-c", "zip -q -r - g | cat > pipe.zip"], in: bench.folder.path)
    for name in ["info.zip", "seven.zip", "bsd.zip", "python.zip", "pipe.zip"] {
      try indexed(bench.bytes(name))
    }
  }

  @Test func takesFewBytesForAnEntry() throws {
    let entries = (0..<500).map {
      ZipEntry("assets/picture-\($0 * 7919 % 9973).png", FileContent(noise(50 + $0)))
    }
    let (bytes, index) = try indexed(ZipBuilder([ZipEntry("index.html", "x")] + entries).build())
    // 4 of each are its checksum.
    #expect(bytes.count < 500 * 12, "\(bytes.count)")
    #expect(index.skeletonSize > 500 * 120)
  }

  @Test func sharesTheChecksumsOfEqualFiles() throws {
    let content = (0..<200).map { FileContent(noise(100 + $0)) }
    let once = (0..<200).map { ZipEntry("a/\($0)", content[$0]) }
    let twice = once + (0..<200).map { ZipEntry("b/\($0)", content[$0]) }
    let (one, two) = (
      try indexed(ZipBuilder(once).build()).bytes, try indexed(ZipBuilder(twice).build()).bytes
    )
    #expect(two.count < one.count + 200 * 3, "\(one.count) and \(two.count)")
  }

  @Test func refusesAZipThatIsNoPackage() throws {
    let bench = try WriterBench()
    let file = try bench.write(Array("PK nothing of the kind".utf8), as: "a.zip")
    let error = #expect(throws: IndexError.self) { try PackageIndex.make(of: file, limits: .standard) }
    guard case .irregular = error else { return #expect(Bool(false), "\(error as Any)") }
  }

  @Test func refusesMoreThanItsLimits() throws {
    let package = Self.honest.build()
    let bench = try WriterBench()
    let file = try bench.write(package, as: "a.zip")
    for limits in [
      IndexLimits(entries: 3, skeletonSize: 1 << 20), IndexLimits(entries: 9, skeletonSize: 300),
    ] {
      let making = #expect(throws: IndexError.self) { try PackageIndex.make(of: file, limits: limits) }
      guard case .overLimit = making else { return #expect(Bool(false), "\(making as Any)") }
      let bytes = try PackageIndex.make(of: file, limits: .standard)
      let reading = #expect(throws: IndexError.self) { try PackageIndex(decoding: bytes, limits: limits) }
      guard case .overLimit = reading else { return #expect(Bool(false), "\(reading as Any)") }
    }
  }

  @Test func refusesWhatIsNoIndex() throws {
    let (bytes, _) = try indexed(Self.honest.build())
    #expect(throws: IndexError.notAnIndex) { try PackageIndex(decoding: [], limits: .standard) }
    #expect(throws: IndexError.notAnIndex) { try PackageIndex(decoding: [1] + bytes, limits: .standard) }
    var later = bytes
    later[3] = 2
    #expect(throws: IndexError.unknownVersion(2)) { try PackageIndex(decoding: later, limits: .standard) }
    #expect(throws: IndexError.damaged("9 bytes behind its end")) {
      try PackageIndex(decoding: bytes + [UInt8](repeating: 1, count: 16), limits: .standard)
    }
  }

  /// No damage makes it trap, or gives more than was announced.
  @Test func survivesAnyDamage() throws {
    let (bytes, index) = try indexed(Self.honest.with { $0.zip64End = true }.build())
    for count in 0..<bytes.count {
      _ = try? PackageIndex(decoding: Array(bytes[..<count]), limits: .standard)
    }
    for place in bytes.indices {
      for bit in [0, 7] {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        guard let read = try? PackageIndex(decoding: damaged, limits: .standard) else { continue }
        #expect(read.skeletonSize == index.skeletonSize || place < 8)
      }
    }
  }

  /// An index of a few bytes that announces the largest package that may be.
  @Test func doesNotTakeMemoryForWhatIsOnlyAnnounced() throws {
    let bomb: [UInt8] = [0x47, 0x44, 0x49, 1, 0xA0, 0x8D, 6, 0x80, 0x80, 0x80, 0x14]
    #expect(throws: IndexError.self) { try PackageIndex(decoding: bomb, limits: .standard) }
    let larger: [UInt8] = [0x47, 0x44, 0x49, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x14]
    #expect(
      throws: IndexError.overLimit(what: "bytes of headers", asked: 5 << 30, allowed: 40 << 20)
    ) { try PackageIndex(decoding: larger, limits: .standard) }
  }

  @Test func spendsNoTimeOnWhatIsOnlyAnnounced() throws {
    var coder = IndexCoder(EndedInput(), bytes: 40 << 20)
    #expect(coder.text([], count: 1 << 20) == [UInt8](repeating: 0, count: 1 << 20))
    #expect(coder.coder.asked == 0)
  }
}

/// An input of which all was read.
private struct EndedInput: BinaryCoder {
  static let isEncoder = false
  let isExhausted = true
  /// Decisions that were asked for.
  var asked = 0

  mutating func code(_ bit: Int, likelihood: UInt32) -> Int {
    asked += 1
    return 0
  }
}

extension ZipBuilder {
  fileprivate func with(_ change: (inout ZipBuilder) -> Void) -> ZipBuilder {
    var copy = self
    change(&copy)
    return copy
  }
}

extension ZipEntry {
  /// Of header, name and payload, where nothing else was set.
  fileprivate var localLength: Int { 30 + name.count + payload.count }
}

/// What bsdtar fills up to.
private func padding(_ builder: ZipBuilder) -> [UInt8] {
  [UInt8](repeating: 0, count: 512 - builder.build().count % 512)
}

private func run(_ command: [String], in folder: String) throws {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = command
  process.currentDirectoryURL = URL(fileURLWithPath: folder)
  process.standardOutput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  #expect(process.terminationStatus == 0, "\(command)")
}
