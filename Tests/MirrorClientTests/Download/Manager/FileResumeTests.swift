import DepotModel
import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

/// Files at URLs of which a part is here.
@Suite struct FileResumeTests {
  private let bench: ManagerBench
  private let file = ServedFile(bytes: noise(700_000))

  init() throws { bench = try ManagerBench(stallTimeout: .milliseconds(800)) }

  /// The first answer is cut after each offset; the next one brings exactly the rest.
  @Test func resumesAfterACutAnywhere() async throws {
    let nextCut = Mutex<Int?>(nil)
    let server = try ScriptedServer { request in file.answer(request, cut: nextCut.withLock { $0.take() }) }
    defer { server.stop() }
    let manager = try bench.manager(retries: 1)
    let one = Download(url: try web(server.url()))
    for offset in [0, 1, 16_384, 65_535, 262_143, 262_144, 262_145, 500_000, 699_999] {
      nextCut.withLock { $0 = offset }
      let before = server.requests.count
      let receipt = try await manager.download(one)
      #expect(bench.bytes(receipt.file?.path) == file.bytes, "cut at \(offset)")
      let requests = server.requests[before...]
      #expect(requests.map { $0["Range"] } == [nil, offset == 0 ? nil : "bytes=\(offset)-"])
      #expect(requests.last?["If-Range"] == (offset == 0 ? nil : "\"v1\""))
      try await manager.remove(one.id)
    }
  }

  @Test(arguments: [
    "ETag: W/\"v1\"\r\n", "", "ETag: v1\r\n", "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n",
    "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n",
    "ETag: W/\"v1\"\r\nLast-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\nDate: Tue, 14 Nov 2023 23:13:20 GMT\r\n",
  ])
  func startsOverWithoutAStrongValidator(fields: String) async throws {
    let weak = ServedFile(bytes: file.bytes, tag: nil, fields: fields)
    let server = try ScriptedServer { weak.answer($0, cut: $0.number == 0 ? 300_000 : nil) }
    defer { server.stop() }
    let manager = try bench.manager(retries: 1)
    let receipt = try await manager.download(Download(url: try web(server.url())))
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(server.requests.map { $0["Range"] } == [nil, nil])
  }

  @Test func aDateThatIsStrongWillDoWhereThereIsNoTag() async throws {
    let modified = "Tue, 14 Nov 2023 22:13:20 GMT"
    let fields = "Last-Modified: \(modified)\r\nDate: Tue, 14 Nov 2023 22:13:21 GMT\r\n"
    let dated = ServedFile(bytes: file.bytes, tag: nil, fields: fields)
    let server = try ScriptedServer { request in
      guard let start = request.rangeStart else { return dated.answer(request, cut: 300_000) }
      return [
        .text(
          "HTTP/1.1 206 Part\r\nContent-Range: bytes \(start)-699999/700000\r\nContent-Length: \(700_000 - start)\r\n\r\n"
        ),
        .send(Array(file.bytes[start...])),
      ]
    }
    defer { server.stop() }
    let manager = try bench.manager(retries: 1)
    let receipt = try await manager.download(Download(url: try web(server.url())))
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(server.requests.map { $0["If-Range"] } == [nil, modified])
  }

  @Test func takesTheWholeWhenTheFileChangedBetween() async throws {
    let newer = ServedFile(bytes: noise(500_000, seed: 2), tag: "\"v2\"")
    let server = try ScriptedServer { $0.number == 0 ? file.answer($0, cut: 400_000) : newer.answer($0) }
    defer { server.stop() }
    let manager = try bench.manager(retries: 1)
    let receipt = try await manager.download(Download(url: try web(server.url())))
    #expect(bench.bytes(receipt.file?.path) == newer.bytes)
    #expect(receipt.file?.validators.entityTag == "\"v2\"")
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=400000-"])
  }

  /// Each of these would splice wrong bytes onto what is here; each time the whole is asked for instead.
  @Test(arguments: [
    "Content-Range: bytes 400001-699999/700000\r\n", "Content-Range: bytes 0-699999/700000\r\n",
    "Content-Range: bytes 400000-699999/700001\r\n", "Content-Range: bytes 400000-699999/*\r\n",
    "Content-Range: nonsense\r\n", "",
    "Content-Range: bytes 400000-699999/700000\r\nETag: \"v2\"\r\n",
    "Content-Range: bytes 400000-699998/700000\r\n",
    "Content-Type: multipart/byteranges; boundary=x\r\n",
  ])
  func asksForTheWholeAfterAWrongPart(fields: String) async throws {
    let server = try ScriptedServer { request in
      if request.number == 0 { return file.answer(request, cut: 400_000) }
      guard request["Range"] != nil else { return file.answer(request) }
      return [
        .text("HTTP/1.1 206 Part\r\n\(fields)Content-Length: 300000\r\n\r\n"),
        .send([UInt8](repeating: 9, count: 300_000)),
      ]
    }
    defer { server.stop() }
    let manager = try bench.manager(retries: 1)
    let receipt = try await manager.download(Download(url: try web(server.url())))
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=400000-", nil])
  }

  @Test func aPartThatIsShorterThanAskedIsContinued() async throws {
    let server = try ScriptedServer { request in
      guard let start = request.rangeStart, start < 500_000 else {
        return file.answer(request, cut: request.number == 0 ? 400_000 : nil)
      }
      return [
        .text(
          "HTTP/1.1 206 Part\r\nContent-Range: bytes \(start)-499999/700000\r\nContent-Length: \(500_000 - start)\r\n\r\n"
        ),
        .send(Array(file.bytes[start..<500_000])),
      ]
    }
    defer { server.stop() }
    let manager = try bench.manager(retries: 2)
    let receipt = try await manager.download(Download(url: try web(server.url())))
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(server.requests.map(\.rangeStart) == [nil, 400_000, 500_000])
  }

  @Test func nothingMissingIsFoundOutByA416() async throws {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let one = Download(url: try web(server.url()))
    try leave(file.bytes, of: one, expected: 700_000)
    let receipt = try await bench.manager().download(one)
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(server.requests.map { $0["Range"] } == ["bytes=700000-"])
  }

  @Test func a416OfAnotherSizeStartsOver() async throws {
    let server = try ScriptedServer { request in
      request["Range"] == nil
        ? file.answer(request)
        : [.text("HTTP/1.1 416 No\r\nContent-Range: bytes */5\r\nContent-Length: 0\r\n\r\n")]
    }
    defer { server.stop() }
    let one = Download(url: try web(server.url()))
    try leave(Array(file.bytes[..<1000]), of: one, expected: 700_000)
    let receipt = try await bench.manager().download(one)
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(server.requests.map { $0["Range"] } == ["bytes=1000-", nil])
  }

  @Test func startsOverOnceWhenWhatWasHereIsWrong() async throws {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let one = Download(url: try web(server.url()), sha256: try sha256(file.bytes))
    try leave(noise(400_000, seed: 9), of: one, expected: 700_000)
    let receipt = try await bench.manager().download(one)
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(server.requests.map { $0["Range"] } == ["bytes=400000-", nil])
  }

  /// As an earlier run would have left it, synchronized.
  private func leave(_ bytes: [UInt8], of download: Download, expected: Int64) throws {
    try bench.write(bytes, to: "\(bench.home)/\(download.partialName)")
    var receipt = DownloadReceipt(download, position: 1)
    receipt.state = .suspended
    receipt.durable = Int64(bytes.count)
    receipt.expected = expected
    receipt.validators = Validators(entityTag: "\"v1\"", lastModified: nil, rangeCondition: "\"v1\"")
    let room = try ReceiptFile(in: try Directory(path: bench.home))
    try ReceiptWriter(room).putDurably(receipt)
  }
}
