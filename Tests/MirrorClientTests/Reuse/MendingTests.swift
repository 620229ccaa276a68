import HTTPClient
import MirrorClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct MendingTests {
  /// 20 MiB and a half block.
  private static let bytes: [UInt8] = {
    let mebibyte = noise(1 << 20, seed: 3)
    return (0..<20).flatMap { number in mebibyte.dropLast() + [UInt8(number)] } + noise(1 << 19, seed: 4)
  }()

  private func bench() throws -> ReuseBench { try ReuseBench(old: [], new: Self.bytes, index: [0]) }

  @Test func oneWrongByteOfTwentyMebibytesCostsOneBlock() async throws {
    let bench = try bench()
    var bad = Self.bytes
    bad[7_777_777] ^= 1
    try bench.download.leave(bad, as: bench.source)
    let package = try await bench.fetch(bench.aid(blocks: blocks(of: Self.bytes), index: false))
    #expect(package.bytesFetched == 1 << 20)
    #expect(bench.ranges == ["bytes=\(7 << 20)-\((8 << 20) - 1)"])
    #expect(bench.server.requests.first?["If-Match"] == bench.new.tag)
    #expect(package.notes == ["1048576 of 21495808 bytes were damaged and came again"])
  }

  @Test func neighboursComeInOneRequestAndTheLastMayBeShort() async throws {
    let bench = try bench()
    var bad = Self.bytes
    for place in [0, 1 << 20, 9 << 20, bad.count - 1] { bad[place] ^= 0x80 }
    try bench.download.leave(bad, as: bench.source)
    let package = try await bench.fetch(bench.aid(blocks: blocks(of: Self.bytes), index: false))
    #expect(package.bytesFetched == 3 << 20 + 1 << 19)
    #expect(
      bench.ranges == [
        "bytes=0-\((2 << 20) - 1)", "bytes=\(9 << 20)-\((10 << 20) - 1)",
        "bytes=\(20 << 20)-\(bad.count - 1)",
      ])
  }

  @Test func whatAnswerWasCorruptIsMendedInTheSameRun() async throws {
    let bench = try bench()
    let isFirst = Mutex(true)
    bench.serve { request in
      guard
        isFirst.withLock({ first in
          defer { first = false }; return first
        })
      else { return nil }
      var bad = Self.bytes
      bad[5_000_000] ^= 1
      return [.text("HTTP/1.1 200 OK\r\nContent-Length: \(bad.count)\r\n\r\n"), .send(bad)]
    }
    let package = try await bench.fetch(bench.aid(blocks: blocks(of: Self.bytes), index: false))
    #expect(package.bytesFetched == Int64(Self.bytes.count) + 1 << 20)
    #expect(bench.ranges == [nil, "bytes=\(4 << 20)-\((5 << 20) - 1)"])
  }

  @Test func mendingGoesOnWhereItWasCut() async throws {
    let bench = try bench()
    var bad = Self.bytes
    bad[3 << 20] ^= 1
    try bench.download.leave(bad, as: bench.source)
    let cuts = Mutex([0, 300_000])
    bench.serve { request in
      cuts.withLock { $0.popLast() }.map { bench.new.part(request, cut: $0) }
    }
    let package = try await bench.fetch(bench.aid(blocks: blocks(of: Self.bytes), index: false))
    #expect(package.bytesFetched == 1 << 20)
    #expect(bench.ranges.count == 3)
  }

  @Test func blocksOfAnotherPackageAreNotUsed() async throws {
    for other in [Array(Self.bytes.dropLast()), noise(1 << 20, seed: 9)] {
      let bench = try bench()
      var bad = Self.bytes
      bad[0] ^= 1
      try bench.download.leave(bad, as: bench.source)
      let package = try await bench.fetch(bench.aid(blocks: blocks(of: other), index: false))
      #expect(bench.ranges == [nil])
      #expect(package.bytesFetched == Int64(Self.bytes.count))
    }
  }

  @Test func digestsThatLieCostWhatTheyNameAndNoMore() async throws {
    let bench = try bench()
    var bad = Self.bytes
    bad[0] ^= 1
    try bench.download.leave(bad, as: bench.source)
    // They say that what stands there is right, or that another block is wrong.
    var lie = Self.bytes
    lie[0] ^= 1
    lie[9 << 20] ^= 1
    let package = try await bench.fetch(bench.aid(blocks: blocks(of: lie), index: false))
    #expect(bench.ranges == ["bytes=\(9 << 20)-\((10 << 20) - 1)", nil])
    #expect(package.bytesFetched == Int64(Self.bytes.count) + 1 << 20)
  }

  @Test(arguments: ["200", "404", "412", "other range"])
  func aServerThatGivesNoBlocksGivesTheWhole(way: String) async throws {
    let bench = try bench()
    var bad = Self.bytes
    bad[0] ^= 1
    try bench.download.leave(bad, as: bench.source)
    bench.serve { request in
      guard request["If-Match"] != nil else { return nil }
      return switch way {
      case "200": bench.new.answer(request)
      case "other range":
        [
          .text(
            "HTTP/1.1 206 P\r\nContent-Range: bytes 1-4/\(Self.bytes.count)\r\nContent-Length: 4\r\n\r\nabcd")
        ]
      default: [.text("HTTP/1.1 \(way) No\r\nContent-Length: 0\r\n\r\n")]
      }
    }
    try await bench.fetch(bench.aid(blocks: blocks(of: Self.bytes), index: false))
    #expect(bench.ranges.count == 2 && bench.ranges.last == .some(nil))
  }

  @Test func aDamagedCopyOfAnUpdateIsMended() async throws {
    let files: KeyValuePairs<String, UInt64> = ["a": 1, "b": 2, "c": 3]
    let new = game(["new": 9, "a": 1, "b": 2, "c": 3], size: 300_000)
    let bench = try ReuseBench(old: [game(files, size: 300_000)], new: new)
    let old = try bench.packages.directory.file("0.zip", mode: .readWrite)
    try SystemVolume().write([1, 2, 3], to: old, at: 450_000)
    let package = try await bench.fetch(bench.aid(blocks: blocks(of: new, blockSize: 1 << 17)))
    #expect(package.notes == ["131072 of \(new.count) bytes were damaged and came again"])
    #expect(package.bytesFetched < Int64(bench.index.count + 300_300 + 131_072))
  }

  @Test func repairsAPackageThatStandsHere() async throws {
    let bench = try bench()
    var bad = Self.bytes
    bad[2 << 20] ^= 1
    for (standing, cost) in [
      (bad, 1 << 20), (Self.bytes, 0), (Self.bytes + [1, 2, 3], 0),
      (Array(Self.bytes.prefix(20 << 20)), 1 << 19),
      ([], Self.bytes.count),
    ] {
      let file = try bench.packages.directory.file("kept.zip", mode: .readWrite)
      try file.truncate(to: 0)
      try SystemVolume().write(standing, to: file, at: 0)
      let aid = try bench.aid(blocks: blocks(of: Self.bytes))
      let fetched = try await bench.download.downloader.repair(bench.source, in: file, aid: aid) { _ in }
      #expect(fetched == Int64(cost))
      #expect(try file.bytes(at: 0, count: bad.count + 9) == Self.bytes)
    }
  }

  @Test func whatCannotBeRepairedIsSaidAndLeftAsItIs() async throws {
    let bench = try bench()
    var bad = Self.bytes
    bad[0] ^= 1
    let file = try bench.packages.directory.file("kept.zip", mode: .readWrite)
    try SystemVolume().write(bad, to: file, at: 0)
    await #expect(throws: DownloadError.self) {
      try await bench.download.downloader.repair(bench.source, in: file, aid: .none) { _ in }
    }
    #expect(try file.bytes(at: 0, count: bad.count) == bad)
    #expect(bench.server.requests.isEmpty)
  }
}
