import HTTPClient
import MirrorClient
import Platform
import TestSupport
import Testing
import ZipArchive

@testable import MirrorClient

@Suite struct RebuildTests {
  @Test func fetchesOnlyWhatIsNew() async throws {
    let bench = try ReuseBench(
      old: [game(["index.html": 1, "a.png": 2, "b.png": 3])],
      new: game(["index.html": 9, "a.png": 2, "b.png": 3]))
    let package = try await bench.fetch()
    #expect(package.notes.isEmpty)
    #expect(bench.ranges.count == 1 && bench.indexRequests == 1)
    #expect(package.bytesFetched == Int64(bench.index.count + bench.rangeBytes))
    #expect(bench.download.downloader.bytesFetched == package.bytesFetched)
    // One entry of 20,000 bytes that do not compress, of 60,000.
    #expect(bench.rangeBytes < 20_100)
    let request = try #require(bench.server.requests.last)
    #expect(request["If-Match"] == bench.new.tag && request["If-Range"] == nil)
    #expect(request["Accept-Encoding"] == nil)
  }

  @Test func whatMovedOrWasRenamedIsNotFetched() async throws {
    let bench = try ReuseBench(
      old: [game(["index.html": 1, "img/a.png": 2, "img/b.png": 3, "img/c.png": 4])],
      new: game(["assets/x/c.png": 4, "index.html": 1, "b": 3, "img/a (2).png": 2]))
    let package = try await bench.fetch()
    #expect(bench.ranges == [])
    #expect(package.bytesFetched == Int64(bench.index.count))
  }

  @Test func everyPackageThatStandsHereMayGive() async throws {
    let bench = try ReuseBench(
      old: [game(["index.html": 1, "a": 2]), game(["index.html": 5, "b": 3])],
      new: game(["index.html": 1, "a": 2, "b": 3]))
    try await bench.fetch()
    #expect(bench.ranges == [])
  }

  @Test func whatComesTwiceIsFetchedOnce() async throws {
    let bench = try ReuseBench(
      old: [game(["index.html": 1, "k": 7])],
      new: game(["a": 2, "index.html": 1, "k": 7, "copy/a": 2]))
    try await bench.fetch()
    #expect(bench.ranges.count == 1 && bench.rangeBytes < 20_100)
  }

  @Test func neighboursComeInOneRequestAndDistantOnesDoNot() async throws {
    let small = ZipEntry("small", FileContent(noise(800, seed: 5)))
    let large = ZipEntry("large", FileContent(noise(9_000, seed: 6)))
    let kept = ZipEntry("kept", FileContent(noise(90_000, seed: 7)))
    func zip(_ seed: UInt64) -> [UInt8] {
      ZipBuilder([
        ZipEntry("1", FileContent(noise(5_000, seed: seed))), small,
        ZipEntry("2", FileContent(noise(5_000, seed: seed + 1))), large,
        ZipEntry("3", FileContent(noise(5_000, seed: seed + 2))), kept,
      ]).build()
    }
    let bench = try ReuseBench(old: [zip(10)], new: zip(20))
    try await bench.fetch()
    #expect(bench.ranges.count == 2)
    #expect((15_800..<16_300).contains(bench.rangeBytes))
  }

  @Test func encryptedEntriesAreReusedOnlyWhenTheirBytesAreTheSame() async throws {
    let kept = ZipEntry("kept", FileContent(noise(20_000, seed: 1))).with { $0.flags = 1 }
    // The same file encrypted again: every word of its headers is the same, no byte of its payload is.
    func again(_ seed: UInt64) -> ZipEntry {
      ZipEntry("again", FileContent(noise(20_000, seed: 2))).with {
        $0.flags = 1
        $0.payload = noise($0.payload.count, seed: seed)
      }
    }
    let bench = try ReuseBench(
      old: [ZipBuilder([kept, again(3)]).build()], new: ZipBuilder([kept, again(4)]).build())
    let package = try await bench.fetch()
    #expect(package.notes.isEmpty)
    #expect(bench.ranges.count == 1 && bench.rangeBytes < 20_100)
  }

  @Test(arguments: [
    ZipEntry.Descriptor.withSignature, .withoutSignature, .wideWithSignature, .wideWithoutSignature,
  ])
  func descriptorsComeFromTheIndex(form: ZipEntry.Descriptor) async throws {
    func zip(_ seed: UInt64) -> [UInt8] {
      ZipBuilder(
        [("a", seed), ("b", 2), ("c", 3)].map { name, seed in
          ZipEntry(name, FileContent(noise(20_000, seed: seed))).with { $0.descriptor = form }
        }
      ).build()
    }
    let bench = try ReuseBench(old: [zip(1)], new: zip(9))
    #expect(try await bench.fetch().notes.isEmpty)
    #expect(bench.ranges.count == 1)
  }

  @Test func zip64PackagesAreReused() async throws {
    func zip(_ seed: UInt64) -> [UInt8] {
      var builder = ZipBuilder(
        [("a", seed), ("b", 2), ("c", 3)].map { name, seed in
          ZipEntry(name, FileContent(noise(20_000, seed: seed))).with { $0.isZip64 = true }
        })
      builder.zip64End = true
      return builder.build()
    }
    let bench = try ReuseBench(old: [zip(1)], new: zip(9))
    #expect(try await bench.fetch().notes.isEmpty)
    #expect(bench.ranges.count == 1)
  }

  /// Zips of any make, one made of the other by adding, removing, changing, renaming and moving files: always the same
  /// bytes in the end, never more of them fetched than those of the package and its index.
  @Test func anyPairOfPackagesIsRebuiltByteForByte() async throws {
    var random = Seeded(state: 0x5EED)
    for round in 0..<60 {
      var files: [ZipEntry] = (0..<Int.random(in: 1...25, using: &random)).map { Self.entry($0, &random) }
      let old = ZipBuilder(files).build()
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        guard !files.isEmpty else { break }
        let place = Int.random(in: 0..<files.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: files.remove(at: place)
        case 1: files.insert(Self.entry(1000 + round * 10 + place, &random), at: place)
        case 2: files[place].name = Array("renamed/\(round)-\(place)".utf8)
        case 3: files.append(files.remove(at: place))
        default: files[place].dosTime += 1 << 5
        }
      }
      if files.isEmpty { files = [Self.entry(0, &random)] }
      var builder = ZipBuilder(files)
      builder.comment = noise(Int.random(in: 0...40, using: &random), seed: UInt64(round))
      let bench = try ReuseBench(old: [old], new: builder.build())
      let package = try await bench.fetch()
      #expect(package.notes.isEmpty, "round \(round)")
      #expect(package.bytesFetched <= Int64(bench.new.bytes.count + bench.index.count), "round \(round)")
    }
  }

  private static func entry(_ number: Int, _ random: inout Seeded) -> ZipEntry {
    let size = [0, 1, 40, 3_000, 30_000, 300_000][Int.random(in: 0..<6, using: &random)]
    let name = "\(["", "js/", "img/a/"][number % 3])file-\(number)"
    let content = FileContent(noise(size, seed: random.next()))
    var entry = Bool.random(using: &random) ? ZipEntry(name, content) : .stored(name, content)
    if Int.random(in: 0..<4, using: &random) == 0 { entry.descriptor = .withSignature }
    if Int.random(in: 0..<6, using: &random) == 0 { entry.isZip64 = true }
    if Int.random(in: 0..<6, using: &random) == 0 { entry.flags |= 1 }
    return entry
  }
}

/// The same numbers each time.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
