import DepotModel
import Foundation
import HTTPClient
import MirrorClient
import Platform
import TestSupport
import Testing
import ZipArchive

@testable import MirrorClient

/// Whatever is wrong with an update by parts, the package comes whole in the end, and the reason is told.
@Suite struct RebuildFallbackTests {
  private static let old = game(["index.html": 1, "a": 2, "b": 3, "c": 4])
  private static let new = game(["index.html": 8, "a": 2, "b": 9, "c": 4])

  private func bench(index: [UInt8]? = nil, retries: Int = 3) throws -> ReuseBench {
    try ReuseBench(old: [Self.old], new: Self.new, index: index, retries: retries)
  }

  private func notes(_ bench: ReuseBench, _ aid: PackageAid? = nil) async throws -> String {
    let package = try await bench.fetch(aid)
    #expect(package.notes.count == 1)
    #expect(package.bytesFetched <= Int64(bench.new.bytes.count * 2 + bench.index.count))
    return package.notes.first ?? ""
  }

  @Test func aServerThatIgnoresRangesGivesTheWholeAtOnce() async throws {
    let bench = try bench()
    bench.serve { request in
      request.target == "/index" ? nil : bench.new.answer(request)
    }
    let package = try await bench.fetch()
    #expect(
      package.notes == ["not put together from what stands here: the server answers a range with the whole"])
    #expect(bench.ranges.count == 1)
    #expect(package.bytesFetched == Int64(bench.index.count + bench.new.bytes.count))
  }

  @Test(arguments: [
    "bytes 0-19999/80501", "bytes 0-9/10", "bytes */10", "bytes 39-40/*", "items 1-2/3", "bytes 5-4/80501",
    "",
  ])
  func anotherContentRangeIsNoPart(range: String) async throws {
    let bench = try bench()
    bench.serve { request in
      guard request.target == "/p.zip", request["Range"] != nil else { return nil }
      let field = range.isEmpty ? "" : "Content-Range: \(range)\r\n"
      return [.text("HTTP/1.1 206 Part\r\n\(field)Content-Length: 4\r\n\r\nabcd")]
    }
    #expect(try await notes(bench).hasPrefix("not put together"))
    #expect(bench.ranges.last == .some(nil))
  }

  @Test func moreThanWasAskedForIsNoPart() async throws {
    let bench = try bench()
    bench.serve { request in
      guard request.target == "/p.zip", let range = request.range, let end = range.end else { return nil }
      let head = "Content-Range: bytes \(range.start)-\(end + 5)/\(bench.new.bytes.count)\r\n"
      return [
        .text("HTTP/1.1 206 Part\r\n\(head)Content-Length: \(end + 6 - range.start)\r\n\r\n"),
        .send(Array(bench.new.bytes[range.start...(end + 5)])),
      ]
    }
    #expect(try await notes(bench).contains("got them up to"))
  }

  @Test func lessThanWasAskedForIsAskedForOnceMore() async throws {
    let bench = try bench()
    bench.serve { request in
      guard request.target == "/p.zip", let range = request.range, let end = range.end,
        end - range.start > 9_000
      else { return nil }
      let head = "Content-Range: bytes \(range.start)-\(range.start + 8_999)/\(bench.new.bytes.count)\r\n"
      return [
        .text("HTTP/1.1 206 Part\r\n\(head)Content-Length: 9000\r\n\r\n"),
        .send(Array(bench.new.bytes[range.start..<(range.start + 9_000)])),
      ]
    }
    let package = try await bench.fetch()
    #expect(package.notes.isEmpty)
    #expect(bench.ranges.count == 6)
    #expect(package.bytesFetched < Int64(bench.index.count + 40_300))
  }

  @Test func anotherTagIsAnotherPackage() async throws {
    let bench = try bench()
    bench.serve { request in
      guard request.target == "/p.zip", let range = request.range, let end = range.end else { return nil }
      let head = "ETag: \"v3\"\r\nContent-Range: bytes \(range.start)-\(end)/\(bench.new.bytes.count)\r\n"
      return [
        .text("HTTP/1.1 206 Part\r\n\(head)Content-Length: \(end + 1 - range.start)\r\n\r\n"),
        .send([UInt8](repeating: 7, count: end + 1 - range.start)),
      ]
    }
    #expect(try await notes(bench).contains("ETag \"v3\""))
  }

  @Test func aPackageReplacedBetweenTwoPartsIsSeen() async throws {
    let bench = try bench()
    let other = try ServedPackage(game(["index.html": 8, "a": 2, "b": 77, "c": 4]))
    bench.serve { request in
      guard request.target == "/p.zip", bench.ranges.count > 1 else { return nil }
      return other.part(request)
    }
    guard case .digestMismatch? = try await bench.failure() else {
      Issue.record("another package was taken")
      return
    }
    // 412 to the second part, then the rest by If-Range: a 200 that is not the package.
    #expect(bench.server.requests.last?["If-Range"] == bench.new.tag)
    bench.serve(nil)
    try await bench.fetch()
  }

  @Test(arguments: [403, 404, 405, 410, 412, 416, 501])
  func aPartThatIsRefusedIsNoFailure(status: Int) async throws {
    let bench = try bench()
    bench.serve { request in
      guard request.target == "/p.zip", request["If-Match"] != nil else { return nil }
      return [.text("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")]
    }
    #expect(try await notes(bench).contains("status \(status)"))
  }

  @Test func aServerThatFailsAtEveryPartGivesTheRest() async throws {
    let bench = try bench()
    bench.serve { request in
      guard request.target == "/p.zip", request["If-Match"] != nil else { return nil }
      return [.reset]
    }
    #expect(try await notes(bench).contains("curl"))
  }

  @Test(arguments: [404, 403, 500, 200])
  func anIndexThatIsNotThereIsNoFailure(status: Int) async throws {
    let bench = try bench(retries: 0)
    bench.serve { request in
      request.target == "/index" ? [.text("HTTP/1.1 \(status) X\r\nContent-Length: 3\r\n\r\nabc")] : nil
    }
    #expect(try await notes(bench).contains("the index cannot be used"))
    #expect(bench.ranges == [nil])
  }

  @Test func anIndexThatIsTooLongIsNotReadToItsEnd() async throws {
    let bench = try bench()
    bench.serve { request in
      guard request.target == "/index" else { return nil }
      return [
        .text("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 30)\r\n\r\n"),
        .send([UInt8](repeating: 0, count: 1 << 20)), .stall,
      ]
    }
    #expect(try await notes(bench).contains("larger than"))
  }

  @Test func anIndexOfAnotherPackageIsSeenByItsSize() async throws {
    let other = try ReuseBench.index(of: game(["index.html": 8, "a": 2, "b": 9, "c": 4, "d": 5]))
    #expect(try await notes(bench(index: other)).contains("bytes"))
  }

  /// 40 MiB of headers, which would be within bounds for a larger package, are announced by few bytes.
  @Test func anIndexOfMoreHeadersThanThePackageHasBytesIsNotRead() async throws {
    let index: [UInt8] = [0x47, 0x44, 0x49, 1, 1, 0x80, 0x80, 0x80, 0x14]
    let reason = try await notes(bench(index: index))
    #expect(reason.contains("\(40 << 20) bytes of headers; \(Self.new.count) are allowed"))
  }

  /// Well-formed, of a package of the same size whose entries are others: only the digest tells.
  @Test func anIndexOfAnotherPackageOfTheSameSizeIsSeenByTheDigest() async throws {
    let other = game(["index.html": 2, "a": 8, "b": 9, "c": 4])
    #expect(other.count == Self.new.count)
    let bench = try bench(index: ReuseBench.index(of: other))
    let package = try await bench.fetch()
    #expect(package.notes.count == 1 && package.notes[0].contains("SHA-256"))
    #expect(package.bytesFetched <= Int64(bench.new.bytes.count + bench.index.count + bench.rangeBytes))
  }

  @Test func noBytesOfAnIndexAreWorseThanNone() async throws {
    var random = Seeded(state: 77)
    let right = try ReuseBench.index(of: Self.new)
    for _ in 0..<40 {
      var index = right
      switch Int.random(in: 0..<3, using: &random) {
      case 0: index = Array(index.prefix(Int.random(in: 1..<index.count, using: &random)))
      case 1: index = noise(index.count, seed: random.next())
      default:
        index[Int.random(in: 0..<index.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      let bench = try bench(index: index)
      try await bench.fetch()
    }
  }

  @Test func aDamagedPayloadOfTheOldPackageEndsInTheRightPackage() async throws {
    let bench = try bench()
    let old = try bench.packages.directory.file("0.zip", mode: .readWrite)
    // In the middle of `a`, which is copied.
    try SystemVolume().write([1, 2, 3], to: old, at: 30_000)
    let package = try await bench.fetch()
    #expect(package.notes.count == 1 && package.notes[0].contains("SHA-256"))
    #expect(bench.ranges.last == .some(nil))
  }

  @Test func aTruncatedOldPackageIsNotUsed() async throws {
    let bench = try bench()
    try bench.packages.directory.file("0.zip", mode: .readWrite).truncate(to: 50_000)
    #expect(try await notes(bench).contains("no package that stands here can be read"))
  }

  @Test func anOldPackageThatIsGoneIsNotUsed() async throws {
    let bench = try bench()
    try bench.packages.directory.removeFile("0.zip")
    #expect(try await notes(bench).contains("no package that stands here can be read"))
  }

  @Test func theTokenGoesToItsOriginAlone() async throws {
    let bench = try bench()
    let elsewhere = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nContent-Length: \(bench.index.count)\r\n\r\n"), .send(bench.index)]
    }
    defer { elsewhere.stop() }
    let server = try #require(WebURL(bench.server.url()))
    for url in [elsewhere.url("/index"), bench.server.url("/index")] {
      try bench.download.partials.removeFile("\(bench.source.sha256.hex).part")
      try bench.download.partials.removeFile("\(bench.source.sha256.hex).index")
      let downloader = try Downloader(
        engine: bench.download.engine, partials: bench.download.partials, volume: SystemVolume(),
        server: server,
        token: BearerToken("secret", for: server.origin), retries: .standard(retries: 0),
        timer: InstantTimer())
      let package = try await downloader.fetch(bench.source, aid: bench.aid(url: url)) { _ in }
      #expect(package.notes.isEmpty)
    }
    #expect(elsewhere.requests.map { $0["Authorization"] } == [nil])
    #expect(bench.server.requests.allSatisfy { $0["Authorization"] == "Bearer secret" })
  }
}
