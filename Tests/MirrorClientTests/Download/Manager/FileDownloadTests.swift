import DepotModel
import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct FileDownloadTests {
  private let bench: ManagerBench
  private let file = ServedFile(bytes: noise(700_000))

  init() throws { bench = try ManagerBench(stallTimeout: .milliseconds(800)) }

  @Test func bringsAFileAtAURL() async throws {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url("/x/y.bin?z")))
    let receipt = try await manager.download(one)
    #expect(receipt.state == .completed && receipt.progress == 1 && receipt.failure == nil)
    #expect(receipt.file?.path == "\(bench.home)/\(one.fileName)")
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(receipt.file?.sha256 == (try sha256(file.bytes)))
    #expect(bench.files == [one.fileName])
    let request = try #require(server.requests.first)
    #expect(request["Range"] == nil && request["If-Range"] == nil && request["If-None-Match"] == nil)
    #expect(request["Accept-Encoding"] == nil)
  }

  @Test func anEmptyFileIsASuccess() async throws {
    let server = try ScriptedServer { ServedFile(bytes: []).answer($0) }
    defer { server.stop() }
    let manager = try bench.manager()
    let receipt = try await manager.download(Download(url: try web(server.url())))
    #expect(
      receipt.state == .completed && receipt.written == 0 && receipt.expected == 0 && receipt.progress == 1)
    #expect(bench.bytes(receipt.file?.path) == [])
  }

  @Test func aLengthThatNobodyKnowsDividesNothing() async throws {
    let gate = Gate()
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n"),
        .send(Array(file.bytes[..<262_144])), .text("\r\n"), .call { gate.wait() },
        .text("3\r\nend\r\n0\r\n\r\n"),
      ]
    }
    defer {
      gate.openForAll()
      server.stop()
    }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()))
    try await manager.resume(one)
    let part = try #require(await manager.wait(for: one.id) { $0.written > 0 })
    #expect(part.expected == nil && part.progress == nil && part.remaining == nil)
    gate.open()
    let receipt = try await manager.outcome(of: one.id)
    #expect(receipt.expected == 262_147 && receipt.progress == 1)
    #expect(bench.bytes(receipt.file?.path) == Array(file.bytes[..<262_144]) + Array("end".utf8))
  }

  @Test func aChunkedBodyWithoutItsEndIsNoSuccess() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .close]
    }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()))
    guard case .transfer = await bench.failure(manager, one) else {
      Issue.record("half a file is a whole one")
      return
    }
    #expect(bench.files == [one.partialName])
  }

  @Test func aBodyThatEndsWithItsConnectionNeedsSomethingToCheckItBy() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"), .close]
    }
    defer { server.stop() }
    let manager = try bench.manager()
    let url = try web(server.url())
    guard case .badAnswer = await bench.failure(manager, Download(url: url)) else {
      Issue.record("it may have been cut")
      return
    }
    #expect(try await manager.download(Download(url: url, size: 5)).state == .completed)
    try await manager.remove(.url(url))
    let digest = try sha256(Array("hello".utf8))
    #expect(try await manager.download(Download(url: url, sha256: digest)).state == .completed)
  }

  @Test(arguments: [201, 204, 400, 401, 403, 404, 410, 500, 503])
  func writesNoBodyOfAnotherStatusAndTellsIt(status: Int) async throws {
    let length = status == 204 ? "" : "Content-Length: 5\r\n"
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 \(status) No\r\n\(length)\r\n"), .text(status == 204 ? "" : "wrong")]
    }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()))
    _ = await bench.failure(manager, one)
    let receipt = try #require(manager.receipt(of: one.id))
    #expect(receipt.state == .failed && receipt.written == 0 && receipt.file == nil)
    #expect(receipt.failure?.status == (status >= 300 ? status : nil))
    #expect(receipt.failure?.text.contains("\(status)") == true)
    #expect(bench.files == [])
    try await manager.close()
    #expect(try bench.rows().first?.failure == receipt.failure)
  }

  @Test func triesAgainAfterAStallAResetAndA503() async throws {
    let server = try ScriptedServer { request in
      switch request.number {
      case 0: file.answer(request, cut: 300_000).dropLast() + [.stall]
      case 1: [.reset]
      case 2: [.text("HTTP/1.1 503 Later\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")]
      default: file.answer(request)
      }
    }
    defer { server.stop() }
    let manager = try bench.manager(retries: 3)
    let receipt = try await manager.download(Download(url: try web(server.url())))
    #expect(bench.bytes(receipt.file?.path) == file.bytes)
    #expect(server.requests.map(\.rangeStart) == [nil, 300_000, 300_000, 300_000])
    #expect(bench.timer.waits.contains(.seconds(7) + .milliseconds(250)))
  }

  @Test func checksWhatItIsToldToCheck() async throws {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let manager = try bench.manager()
    let url = try web(server.url())
    let (right, wrong) = (try sha256(file.bytes), try sha256([1]))
    guard
      case .digestMismatch("SHA-256", wrong.hex, right.hex) = await bench.failure(
        manager, Download(url: url, sha256: wrong))
    else {
      Issue.record("the digest was not checked")
      return
    }
    let md5 = try #require(MD5Digest(bytes: Hash.digest(of: [1], .md5)))
    guard case .digestMismatch("MD5", md5.hex, _) = await bench.failure(manager, Download(url: url, md5: md5))
    else {
      Issue.record("the MD5 was not checked")
      return
    }
    guard case .sizeMismatch(5, 700_000) = await bench.failure(manager, Download(url: url, size: 5)) else {
      Issue.record("the size was not checked")
      return
    }
    #expect(manager.receipt(of: .url(url))?.file == nil)
    #expect(try await manager.download(Download(url: url, sha256: right, size: 700_000)).state == .completed)
  }

  @Test func aProvenFileIsReturnedWithoutARequest() async throws {
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()), sha256: try sha256(file.bytes))
    let first = try await manager.download(one)
    #expect(try await manager.download(one) == first)
    #expect(server.requests.count == 1)
    // Changed on the disk, its size the same: it is fetched again.
    var damaged = file.bytes
    damaged[1000] ^= 1
    try bench.write(damaged, to: try #require(first.file?.path))
    #expect(bench.bytes(try await manager.download(one).file?.path) == file.bytes)
    #expect(server.requests.count == 2)
  }

  @Test func newContentAtTheSameURLIsFetched() async throws {
    let newer = ServedFile(bytes: noise(500_000, seed: 2), tag: "\"v2\"")
    let isNew = Mutex(false)
    let server = try ScriptedServer { request in
      isNew.withLock { $0 } ? newer.answer(request) : file.answer(request)
    }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()))
    let first = try await manager.download(one)
    // The same as before: asked, and not sent again.
    let second = try await manager.download(one)
    #expect(second.state == .completed && second.file == first.file)
    #expect(bench.bytes(first.file?.path) == file.bytes)
    #expect(bench.files == [one.fileName])
    isNew.withLock { $0 = true }
    let third = try await manager.download(one)
    #expect(bench.bytes(third.file?.path) == newer.bytes)
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"v1\"", "\"v1\""])
    #expect(bench.files == [one.fileName])
  }

  @Test func aFileThatStandsStaysWhenItsSuccessorFails() async throws {
    let isBroken = Mutex(false)
    let newer = ServedFile(bytes: noise(500_000, seed: 2), tag: "\"v2\"")
    let server = try ScriptedServer { request in
      isBroken.withLock { $0 } ? newer.answer(request, cut: 300_000) : file.answer(request)
    }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()))
    let first = try await manager.download(one)
    isBroken.withLock { $0 = true }
    #expect(await bench.failure(manager, one) != nil)
    let receipt = try #require(manager.receipt(of: one.id))
    #expect(receipt.state == .failed && receipt.file == first.file)
    #expect(bench.bytes(first.file?.path) == file.bytes)
    #expect(receipt.written == 300_000 && receipt.validators.entityTag == "\"v2\"")
  }

  @Test(arguments: ["file:///etc/passwd", "https://127.0.0.1:1/x"])
  func followsNoRedirectToWhereItMustNot(place: String) async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 302 There\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")]
    }
    defer { server.stop() }
    let manager = try bench.manager()
    let error = await bench.failure(manager, Download(url: try web(server.url())))
    // To https it may go; there is nobody there.
    guard case .transfer(let transfer)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    if place.hasPrefix("file") {
      guard case .redirectRefused = transfer else {
        Issue.record("\(transfer)")
        return
      }
    }
  }

  @Test func refusesACodedBody() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")]
    }
    defer { server.stop() }
    let manager = try bench.manager()
    guard
      case .transfer(.unexpectedEncoding("gzip")) = await bench.failure(
        manager, Download(url: try web(server.url())))
    else {
      Issue.record("a coded body was taken")
      return
    }
  }
}
