import DepotModel
import HTTPClient
import Platform
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct DownloadRefusalTests {
  private let package: ServedPackage
  private let size = 100_000

  init() throws { package = try ServedPackage(noise(100_000)) }

  private func part(_ contentRange: String?, body: [UInt8]) -> [ScriptedServer.Step] {
    let field = contentRange.map { "Content-Range: \($0)\r\n" } ?? ""
    return [.text("HTTP/1.1 206 Part\r\n\(field)Content-Length: \(body.count)\r\n\r\n"), .send(body)]
  }

  /// Each of these would splice wrong bytes onto the partial; each time the whole is asked for instead.
  @Test(arguments: [
    "bytes 50001-99999/100000", "bytes 0-99999/100000", "bytes 50000-99999/100001", "bytes 50000-99999/*",
    "bytes 50000-", "nonsense", nil, "bytes */100000",
  ])
  func asksForTheWholeAfterAWrongPart(contentRange: String?) async throws {
    let server = try ScriptedServer { request in
      request["Range"] == nil
        ? package.answer(request) : part(contentRange, body: [UInt8](repeating: 9, count: 49_999))
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(Array(package.bytes[..<50_000]), as: source)
    let fetched = try await bench.fetch(source)
    #expect(fetched.bytesFetched == Int64(size))
    #expect(try bench.partial(source) == package.bytes)
    #expect(server.requests.map { $0["Range"] } == ["bytes=50000-", nil])
  }

  @Test func asksForTheWholeAfterAnUnfounded416() async throws {
    let server = try ScriptedServer { request in
      request["Range"] == nil
        ? package.answer(request)
        : [.text("HTTP/1.1 416 No\r\nContent-Range: bytes */100000\r\nContent-Length: 0\r\n\r\n")]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(Array(package.bytes[..<50_000]), as: source)
    try await bench.fetch(source)
    #expect(try bench.partial(source) == package.bytes)
  }

  @Test func refusesWhenA416TellsAnotherSize() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 416 No\r\nContent-Range: bytes */40000\r\nContent-Length: 0\r\n\r\n")]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(Array(package.bytes[..<50_000]), as: source)
    guard case .sizeMismatch(100_000, 40_000) = await bench.failure(source) else {
      Issue.record("not refused for its size")
      return
    }
  }

  @Test func refusesAPartNobodyAskedFor() async throws {
    let server = try ScriptedServer { _ in part("bytes 0-99999/100000", body: package.bytes) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    guard case .badAnswer = await bench.failure(source) else {
      Issue.record("a 206 was taken")
      return
    }
    #expect(try bench.partial(source) == [])
  }

  @Test func startsOverWhenTheServerKnowsNoRanges() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), .send(package.bytes)]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    try bench.leave(Array(package.bytes[..<50_000]), as: source)
    #expect(try await bench.fetch(source).bytesFetched == 100_000)
    #expect(try bench.partial(source) == package.bytes)
  }

  @Test func givesUpOnAServerThatAlwaysCutsAndKnowsNoRanges() async throws {
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), .send(Array(package.bytes[..<70_000])),
        .close,
      ]
    }
    defer { server.stop() }
    let bench = try DownloadBench(retries: 3)
    let source = package.source(server.url())
    guard case .transfer(let error) = await bench.failure(source) else {
      Issue.record("it did not end")
      return
    }
    #expect(error.isRetryable)
    #expect(server.requests.count == 4)
    #expect(try bench.partial(source).count == 70_000)
  }

  @Test func refusesAnotherLength() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n"), .send(package.bytes + [1])]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    guard case .sizeMismatch(100_000, 100_001) = await bench.failure(source) else {
      Issue.record("not refused for its size")
      return
    }
    #expect(try bench.partial(source) == [])
  }

  @Test func writesNothingBeyondTheSize() async throws {
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), .send(package.bytes), .send(package.bytes),
        .close,
      ]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    guard case .sizeMismatch(100_000, _) = await bench.failure(source) else {
      Issue.record("not refused for its size")
      return
    }
    #expect(try bench.partial(source).count <= size)
  }

  /// Without a length nothing on the wire tells that a body was cut.
  @Test func doesNotTakeACutBodyForAWholeOne() async throws {
    let server = try ScriptedServer { request in
      guard request.number == 0 else { return package.answer(request) }
      return [
        .text("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), .send(Array(package.bytes[..<60_000])), .close,
      ]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    #expect(try await bench.fetch(source).bytesFetched == 100_000)
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=60000-"])
    #expect(try bench.partial(source) == package.bytes)
  }

  @Test(arguments: [400, 401, 403, 404, 410])
  func givesUpAtOnceOnAnAnswerThatStays(status: Int) async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 \(status) No\r\nContent-Length: 100000\r\n\r\n"), .send(package.bytes)]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    guard case .transfer(.status(let failure)) = await bench.failure(source) else {
      Issue.record("not the status")
      return
    }
    #expect(failure.status == status)
    #expect(server.requests.count == 1)
    #expect(try bench.partial(source) == [])
  }

  @Test func waitsAsLongAsTheServerAsks() async throws {
    let server = try ScriptedServer { request in
      switch request.number {
      case 0: [.text("HTTP/1.1 503 Later\r\nRetry-After: 17\r\nContent-Length: 5\r\n\r\nlater")]
      case 1: [.text("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n")]
      case 2:
        [
          .text(
            "HTTP/1.1 429 Slow\r\nRetry-After: Tue, 14 Nov 2023 22:13:40 GMT\r\nContent-Length: 0\r\n\r\n")
        ]
      default: package.answer(request)
      }
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    try await bench.fetch(package.source(server.url()))
    let half = Duration.milliseconds(250)
    #expect(bench.timer.waits == [.seconds(17) + half, .milliseconds(500), .seconds(20) + half])
  }

  @Test func retriesAfterAResetAStallAndAHeadThatIsCut() async throws {
    let server = try ScriptedServer { request in
      switch request.number {
      case 0: [.text("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n"), .close]
      case 1: [.reset]
      case 2: package.answer(request, cut: 30_000).dropLast() + [.stall]
      default: package.answer(request)
      }
    }
    defer { server.stop() }
    let bench = try DownloadBench(stallTimeout: .milliseconds(800))
    let source = package.source(server.url())
    #expect(try await bench.fetch(source).bytesFetched == 100_000)
    #expect(server.requests.map { $0["Range"] } == [nil, nil, nil, "bytes=30000-"])
  }

  @Test func refusesACodedBody() async throws {
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100000\r\n\r\n"),
        .send(package.bytes),
      ]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    let source = package.source(server.url())
    guard case .transfer(.unexpectedEncoding("gzip")) = await bench.failure(source) else {
      Issue.record("a coded body was taken")
      return
    }
    #expect(try bench.partial(source) == [])
  }

  @Test func checksTheMD5Too() async throws {
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench()
    let right = package.source(server.url())
    let other = try #require(MD5Digest(hex: String(repeating: "0", count: 32)))
    let source = PackageSource(
      url: right.url, sha256: right.sha256, md5: other, size: right.size, label: right.label
    )
    guard case .digestMismatch("MD5", let expected, let actual) = await bench.failure(source) else {
      Issue.record("not refused for its MD5")
      return
    }
    #expect(expected == other.hex)
    #expect(actual == right.md5.hex)
  }

  @Test(arguments: ["file:///etc/passwd", "", "ftp://127.0.0.1/x", "http://user@127.0.0.1/x", "games/x.zip"])
  func refusesURLsThatAreNone(text: String) async throws {
    let bench = try DownloadBench()
    guard case .badURL(text) = await bench.failure(package.source(text)) else {
      Issue.record("it was asked for")
      return
    }
  }

  @Test func takesNoPlainURLFromASecureServer() async throws {
    let server = try ScriptedServer { package.answer($0) }
    defer { server.stop() }
    let bench = try DownloadBench(server: "https://depot.example/")
    guard case .badURL = await bench.failure(package.source(server.url())) else {
      Issue.record("it was asked for")
      return
    }
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [401, 403])
  func tellsARefusalOfTheDepotFromThatOfAnotherServer(status: Int) async throws {
    let server = try ScriptedServer { _ in [.text("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")] }
    defer { server.stop() }
    let own = try DownloadBench(server: server.url())
    guard case .notPermitted(let url, status) = await own.failure(package.source(server.url("/p.zip"))) else {
      Issue.record("a refused token is something else")
      return
    }
    #expect(url == server.url("/p.zip"))
    #expect(MirrorError(.notPermitted(url: url, status: status)).exitCode == 77)
    let other = try DownloadBench(server: "http://127.0.0.1/")
    guard case .transfer(.status) = await other.failure(package.source(server.url("/p.zip"))) else {
      Issue.record("another server's refusal is taken for the depot's")
      return
    }
  }

  @Test func followsNoRedirectToAFile() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 302 There\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")]
    }
    defer { server.stop() }
    let bench = try DownloadBench()
    guard case .transfer(.redirectRefused) = await bench.failure(package.source(server.url())) else {
      Issue.record("it was followed")
      return
    }
  }

  @Test func everyErrorSaysSomethingElse() {
    let errors: [DownloadError] = [
      .transfer(.cancelled), .disk(.init(errno: 28, operation: "write", path: "p")),
      .digestMismatch(algorithm: "MD5", expected: "a", actual: "b"), .sizeMismatch(expected: 1, actual: 2),
      .badAnswer("x"), .badURL("y"), .cancelled, .notPermitted(url: "u", status: 401),
    ]
    #expect(Set(errors.map(\.description)).count >= errors.count - 1)
    #expect(errors.map(\.isOutOfSpace) == [false, true, false, false, false, false, false, false])
  }
}
