import DepotModel
import Foundation
import HTTPClient
import MirrorClient
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct DownloadResumeTests {
  @Test func fetchesAWholePackageInOneRequest() async throws {
    let package = try ServedPackage(noise(1_000_000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url("/p.zip"))
    let fetched = try await bench.fetch(source)
    #expect(fetched.bytesFetched == 1_000_000)
    #expect(fetched.name == source.partialName)
    #expect(try bench.partial(source) == package.bytes)
    let request = try #require(server.requests.first)
    #expect(server.requests.count == 1)
    #expect(request["Range"] == nil && request["If-Range"] == nil)
    #expect(request["Accept-Encoding"] == nil)
    bench.engine.shutdown()
  }

  /// The first answer is cut after each offset; the next one must bring exactly the rest.
  @Test func resumesAfterACutAnywhere() async throws {
    let package = try ServedPackage(noise(700_001))
    let size = package.bytes.count
    let offsets =
      [0, 1, 2, 15, 16_383, 16_384, 16_385, 65_535, 65_536, 262_143, 262_144, 262_145, size - 1]
      + (0..<50).map { ($0 * 13_999 + 77) % size }
    let nextCut = Mutex<Int?>(nil)
    let server = try ScriptedServer { request in package.answer(request, cut: nextCut.withLock { $0.take() })
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    for offset in offsets {
      nextCut.withLock { $0 = offset }
      let before = server.requests.count
      let fetched = try await bench.fetch(source)
      #expect(fetched.bytesFetched == Int64(size), "cut at \(offset)")
      #expect(try bench.partial(source) == package.bytes, "cut at \(offset)")
      let ranges = server.requests[before...].map { $0["Range"] }
      #expect(ranges == [nil, offset == 0 ? nil : "bytes=\(offset)-"])
      try bench.partials.removeFile(source.partialName)
    }
  }

  @Test func resumesAcrossRunsAndFetchesOnlyTheRest() async throws {
    let package = try ServedPackage(noise(500_000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(Array(package.bytes[..<300_000]), as: source)
    let fetched = try await bench.fetch(source)
    #expect(fetched.bytesFetched == 200_000)
    #expect(bench.downloader.bytesFetched == 200_000)
    #expect(try bench.partial(source) == package.bytes)
    #expect(server.requests.map { $0["If-Range"] } == [package.tag])
  }

  @Test func asksNothingWhenEverythingIsThere() async throws {
    let package = try ServedPackage(noise(300_000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(package.bytes, as: source)
    #expect(try await bench.fetch(source).bytesFetched == 0)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["folder", "link"])
  func replacesWhatIsNoDownload(kind: String) async throws {
    let package = try ServedPackage(noise(1000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    let place = "\(bench.folder.path)/\(source.partialName)"
    let outside = "\(bench.folder.path)/outside"
    try Data("stays".utf8).write(to: URL(fileURLWithPath: outside))
    if kind == "folder" {
      try FileManager.default.createDirectory(atPath: "\(place)/x", withIntermediateDirectories: true)
    } else {
      try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: outside)
    }
    try await bench.fetch(source)
    #expect(try bench.partial(source) == package.bytes)
    #expect(FileManager.default.contents(atPath: outside) == Data("stays".utf8))
  }

  @Test func dropsAPartialThatIsTooLong() async throws {
    let package = try ServedPackage(noise(1000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(package.bytes + [1], as: source)
    #expect(try await bench.fetch(source).bytesFetched == 1000)
    #expect(server.requests.map { $0["Range"] } == [nil])
    #expect(try bench.partial(source) == package.bytes)
  }

  @Test func startsOverOnceWhenThePartialWasOfOtherBytes() async throws {
    let package = try ServedPackage(noise(100_000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(noise(50_000, seed: 9), as: source)
    #expect(try await bench.fetch(source).bytesFetched == 150_000)
    #expect(try bench.partial(source) == package.bytes)
    #expect(server.requests.map { $0["Range"] } == ["bytes=50000-", nil])
  }

  @Test func startsOverWhenAWholePartialIsWrong() async throws {
    let package = try ServedPackage(noise(100_000))
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(noise(100_000, seed: 9), as: source)
    #expect(try await bench.fetch(source).bytesFetched == 100_000)
    #expect(try bench.partial(source) == package.bytes)
  }

  @Test func takesTheWholeWhenTheServerChangedTheFile() async throws {
    let old = try ServedPackage(noise(100_000))
    let new = try ServedPackage(noise(100_000, seed: 2))
    let server = try ScriptedServer { new.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    // Ours is half of the old one; the catalogue names the new one, and the tag decides.
    let source = new.source(server.url())
    try bench.leave(Array(old.bytes[..<60_000]), as: source)
    try await bench.fetch(source)
    #expect(try bench.partial(source) == new.bytes)
  }

  @Test func refusesTheNewFileUnderTheOldName() async throws {
    let old = try ServedPackage(noise(100_000))
    let new = try ServedPackage(noise(100_000, seed: 2))
    let server = try ScriptedServer { new.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = old.source(server.url())
    try bench.leave(Array(old.bytes[..<60_000]), as: source)
    guard case .digestMismatch(let algorithm, let expected, _) = await bench.failure(source) else {
      Issue.record("not refused for its digest")
      return
    }
    #expect(algorithm == "SHA-256")
    #expect(expected == source.sha256.hex)
    // If-Range made it a 200, so nothing was stitched: no second try.
    #expect(server.requests.map { $0["Range"] } == ["bytes=60000-"])
    #expect(try bench.partial(source) == [])
  }

  @Test func neverStitchesWhenTheServerIgnoresIfRange() async throws {
    let old = try ServedPackage(noise(100_000))
    let new = try ServedPackage(noise(100_000, seed: 2))
    let server = try ScriptedServer { request in
      guard let start = request.rangeStart else { return old.answer(request) }
      return [
        .text(
          "HTTP/1.1 206 Part\r\nETag: \(new.tag)\r\nContent-Range: bytes \(start)-99999/100000\r\n"
            + "Content-Length: \(100_000 - start)\r\n\r\n"),
        .send(Array(new.bytes[start...])),
      ]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = old.source(server.url())
    try bench.leave(Array(old.bytes[..<60_000]), as: source)
    let fetched = try await bench.fetch(source)
    #expect(fetched.bytesFetched == 100_000)
    #expect(try bench.partial(source) == old.bytes)
  }
}
