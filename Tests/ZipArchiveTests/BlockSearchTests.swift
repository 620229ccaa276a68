import Platform
import TestSupport
import Testing

@testable import ZipArchive

@Suite struct BlockSearchTests {
  private let bench: WriterBench

  init() throws { bench = try WriterBench() }

  /// A package and what a mirror knows of it.
  private struct Package {
    let bytes: [UInt8]
    let file: File
    let index: PackageIndex
    let sums: [UInt8]
  }

  private func package(_ entries: [ZipEntry], as name: String) throws -> Package {
    let bytes = ZipBuilder(entries).build()
    let file = try bench.write(bytes, as: name)
    let index = try PackageIndex(decoding: PackageIndex.make(of: file, limits: .standard), limits: .standard)
    return Package(bytes: bytes, file: file, index: index, sums: try BlockSums(of: index).make(from: file))
  }

  /// What of `new` is found in `old`, once each byte of it proved to stand there.
  private func matches(of new: Package, in old: Package) throws -> [BlockSearch.Match] {
    var search = BlockSearch()
    let sums = BlockSums(of: new.index)
    for (payload, offset) in zip(sums.payloads, sums.offsets) {
      let range = Int(offset)..<Int(offset + BlockSums.length(of: payload))
      search.add(payload, sums: new.sums[range])
    }
    let stretches = try PayloadTable(old.file, limits: .standard).stretches(missingFrom: new.index)
    let matches = try search.matches(in: stretches, of: old.file)
    for match in matches {
      let here = new.bytes[Int(match.offset)...].prefix(Int(match.length))
      #expect(Array(here) == Array(old.bytes[Int(match.place)...].prefix(Int(match.length))))
    }
    for (match, next) in zip(matches, matches.dropFirst()) {
      #expect(match.offset + match.length <= next.offset)
    }
    return matches
  }

  @Test func findsWhatStandsBeforeAndBehindAChange() throws {
    let content = noise(200_000)
    let changed = content[..<70_001] + [1, 2, 3] + content[70_001...]
    let old = try package([.stored("a", FileContent(content))], as: "old.zip")
    let new = try package([.stored("b", FileContent(Array(changed)))], as: "new.zip")
    let matches = try matches(of: new, in: old)
    #expect(matches.count == 2)
    // Two blocks at the change, and one that is not whole at the end.
    #expect(matches.reduce(0) { $0 + $1.length } >= 200_000 - 3 * 4096)
  }

  @Test func findsThemAcrossThePiecesItReads() throws {
    let content = noise(2_000_000)
    let old = try package([.stored("a", FileContent([7] + content))], as: "old.zip")
    let new = try package([.stored("a", FileContent(content))], as: "new.zip")
    #expect(try matches(of: new, in: old).reduce(0) { $0 + $1.length } >= 2_000_000 - 4 * 4096)
  }

  @Test func findsNothingInWhatIsOtherwise() throws {
    let old = try package([.stored("a", FileContent(noise(100_000)))], as: "old.zip")
    let other = noise(100_000).map { $0 ^ 0x5A }
    let new = try package([.stored("a", FileContent(other))], as: "new.zip")
    #expect(try matches(of: new, in: old).isEmpty)
  }

  /// Equal blocks are everywhere; each is found once.
  @Test func copesWithMonotony() throws {
    let old = try package([.stored("a", .repeating(0, count: 300_000))], as: "old.zip")
    let new = try package([.stored("a", .repeating(0, count: 400_000))], as: "new.zip")
    #expect(try matches(of: new, in: old).reduce(0) { $0 + $1.length } <= 400_000)
  }

  @Test func looksOnlyAtLargePayloadsThatAreMissing() throws {
    let kept = ZipEntry.stored("kept", FileContent(noise(50_000)))
    let gone = ZipEntry.stored("gone", FileContent(noise(60_000)))
    let old = try package([kept, gone, .stored("small", FileContent(noise(16_383)))], as: "old.zip")
    let new = try package([kept], as: "new.zip")
    let stretches = try PayloadTable(old.file, limits: .standard).stretches(missingFrom: new.index)
    #expect(stretches == [50_068..<110_068])
  }

  @Test func hasAsManySumsAsAnIndexTells() throws {
    let package = try package(
      [
        .stored("a", FileContent(noise(16_384))), .stored("b", FileContent(noise(16_383))),
        .stored("c", FileContent(noise(20_479))),
      ], as: "a.zip")
    let sums = BlockSums(of: package.index)
    #expect(sums.size == 32)
    #expect(sums.offsets == [0, 16])
    #expect(package.sums.count == 32)
    #expect(package.sums.uint32(at: 4) == CRC32.value(of: Array(noise(8192)[4096...])))
  }

  @Test func passesOverSumsOfAnotherNumber() {
    var search = BlockSearch()
    search.add(PackagePayload(crc32: 1, compressedSize: 16_384, size: 16_384, offset: 0), sums: [1, 2, 3, 4])
    #expect(search.isEmpty)
  }

  @Test func rollsLikeTheChecksumOfEachWindow() {
    let bytes = noise(300)
    var rolling = RollingCRC32(window: 16)
    rolling.begin(crc32: CRC32.value(of: Array(bytes[..<16])))
    for place in 1..<280 {
      rolling.move(out: bytes[place - 1], in: bytes[place + 15])
      #expect(rolling.register ^ rolling.difference == CRC32.value(of: Array(bytes[place..<place + 16])))
    }
  }
}
