import DepotModel
import Foundation
import HTTPClient
import Platform
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct FileDestinationTests {
  private let bench: ManagerBench

  init() throws { bench = try ManagerBench() }

  private func server(_ disposition: String?, bytes: [UInt8] = [1, 2, 3]) throws -> ScriptedServer {
    let fields = disposition.map { "Content-Disposition: \($0)\r\n" } ?? ""
    return try ScriptedServer { ServedFile(bytes: bytes, fields: fields).answer($0) }
  }

  @Test func makesParentFoldersAndReplaces() async throws {
    let server = try server(nil)
    defer { server.stop() }
    let manager = try bench.manager()
    let path = "\(bench.out)/a/b/c.bin"
    let one = Download(url: try web(server.url()), to: .file(path, ifExists: .replace))
    try bench.write([9], to: path)
    #expect(try await manager.download(one).file?.path == path)
    #expect(bench.bytes(path) == [1, 2, 3])
    #expect(bench.names("\(bench.out)/a/b") == ["c.bin"])
    #expect(bench.files == [])
  }

  @Test func keepsAFileOfSomebodyElseAndTakesNoBody() async throws {
    let server = try server("attachment; filename=x.bin")
    defer { server.stop() }
    let manager = try bench.manager()
    try bench.write([9], to: "\(bench.out)/x.bin")
    let exact = Download(url: try web(server.url("/1")), to: .file("\(bench.out)/x.bin", ifExists: .keep))
    guard case .destinationExists("\(bench.out)/x.bin") = await bench.failure(manager, exact) else {
      Issue.record("it was replaced")
      return
    }
    #expect(server.requests.isEmpty)
    let suggested = Download(url: try web(server.url("/2")), to: .folder(bench.out, ifExists: .keep))
    guard case .destinationExists("\(bench.out)/x.bin") = await bench.failure(manager, suggested) else {
      Issue.record("it was replaced")
      return
    }
    #expect(bench.bytes("\(bench.out)/x.bin") == [9])
    #expect(manager.receipts.allSatisfy { $0.written == 0 })
  }

  @Test func keepingItsOwnFileItReplacesItByANewerOne() async throws {
    let server = try ScriptedServer { request in
      ServedFile(bytes: [UInt8(request.number)], tag: "\"\(request.number)\"").answer(request)
    }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url("/x.bin")), to: .folder(bench.out, ifExists: .keep))
    _ = try await manager.download(one)
    _ = try await manager.download(one)
    #expect(bench.bytes("\(bench.out)/x.bin") == [1])
    // Changed by somebody else, it is theirs.
    try bench.write([7, 7], to: "\(bench.out)/x.bin")
    guard case .destinationExists = await bench.failure(manager, one) else {
      Issue.record("it was replaced")
      return
    }
    #expect(bench.bytes("\(bench.out)/x.bin") == [7, 7])
  }

  @Test func aFileThatIsThereAndProvenIsTheResult() async throws {
    let server = try server(nil)
    defer { server.stop() }
    let manager = try bench.manager()
    let path = "\(bench.out)/x.bin"
    try bench.write([1, 2, 3], to: path)
    let digest = try #require(SHA256Digest(bytes: Hash.digest(of: [1, 2, 3], .sha256)))
    let one = Download(url: try web(server.url()), to: .file(path, ifExists: .keep), sha256: digest)
    #expect(try await manager.download(one).file?.isOurs == false)
    #expect(server.requests.isEmpty)
    // Not ours, so not ours to remove.
    try await manager.remove(one.id)
    #expect(bench.bytes(path) == [1, 2, 3])
  }

  @Test(arguments: [
    ("attachment; filename=\"../../x\"", "x"), ("attachment; filename=\"/etc/passwd\"", "passwd"),
    ("attachment; filename*=utf-8''a%00b.zip", "ab.zip"), ("attachment; filename=CON.zip", "_CON.zip"),
    (
      "attachment; filename=\"\(String(repeating: "n", count: 300)).zip\"",
      String(repeating: "n", count: 236) + ".zip"
    ),
    ("attachment; filename*=UTF-8''%e8%83%8c%e6%99%af.zip; filename=\"x\"", "背景.zip"),
    ("attachment; filename=\"..\"", "last part.bin"), ("inline", "last part.bin"), (nil, "last part.bin"),
  ])
  func takesTheSuggestedNameMadeSafe(disposition: String?, name: String) async throws {
    let server = try server(disposition)
    defer { server.stop() }
    let manager = try bench.manager()
    let url = try web(server.url("/x/last%20part.bin?q=/z"))
    let receipt = try await manager.download(Download(url: url, to: .folder(bench.out, ifExists: .keep)))
    #expect(bench.names(bench.out) == [name])
    #expect(receipt.file?.path == "\(bench.out)/\(name)")
    #expect(bench.names(bench.folder.path) == ["home", "out"])
  }

  @Test func rememberTheSuggestionAcrossACut() async throws {
    let file = ServedFile(
      bytes: noise(400_000), fields: "Content-Disposition: attachment; filename=told.bin\r\n")
    let rest = ServedFile(bytes: file.bytes)
    let server = try ScriptedServer { $0.number == 0 ? file.answer($0, cut: 300_000) : rest.answer($0) }
    defer { server.stop() }
    let one = Download(url: try web(server.url("/x")), to: .folder(bench.out, ifExists: .replace))
    do {
      let manager = try bench.manager()
      #expect(await bench.failure(manager, one) != nil)
      try await manager.close()
    }
    _ = try await bench.manager().download(one)
    #expect(bench.names(bench.out) == ["told.bin"])
    #expect(server.requests.map(\.rangeStart) == [nil, 300_000])
  }

  @Test(arguments: ["receipts.sqlite", "receipts.lock", "x.part"])
  func aServerChoosesNoNameOfTheManagersOwn(name: String) async throws {
    let server = try server("attachment; filename=\(name)")
    defer { server.stop() }
    let manager = try bench.manager()
    try FileManager.default.createSymbolicLink(atPath: bench.out, withDestinationPath: bench.home)
    for folder in [bench.home, bench.out] {
      let one = Download(url: try web(server.url("/x")), to: .folder(folder, ifExists: .replace))
      guard case .badDestination = await bench.failure(manager, one) else {
        Issue.record("\(name) was written")
        return
      }
    }
    #expect(try bench.rows().count == 1)
    // Elsewhere it is a name like any other.
    let one = Download(
      url: try web(server.url("/x")), to: .folder("\(bench.folder.path)/else", ifExists: .replace))
    #expect(try await manager.download(one).state == .completed)
  }

  @Test(arguments: ["", "/", "a/..", "x/.", "a/", "a\0b"]) func namesAFile(path: String) async throws {
    let manager = try bench.manager()
    let one = Download(url: try web("http://127.0.0.1:1/"), to: .file(path, ifExists: .replace))
    guard case .badDestination(path) = await bench.failure(manager, one) else {
      Issue.record("\(path) is no file")
      return
    }
    #expect(manager.receipts == [])
  }

  @Test func aFolderInTheWayIsAnError() async throws {
    let server = try server(nil)
    defer { server.stop() }
    let manager = try bench.manager()
    try bench.write([9], to: "\(bench.out)/x/inside")
    let one = Download(url: try web(server.url()), to: .file("\(bench.out)/x", ifExists: .replace))
    guard case .disk = await bench.failure(manager, one) else {
      Issue.record("a folder was replaced")
      return
    }
    #expect(bench.bytes("\(bench.out)/x/inside") == [9])
    // The bytes are here: nothing is sent again once the place is free.
    try FileManager.default.removeItem(atPath: "\(bench.out)/x")
    #expect(try await manager.download(one).state == .completed)
    #expect(server.requests.map(\.rangeStart) == [nil, 3])
  }

  @Test func aSymlinkIsReplacedAndNotFollowed() async throws {
    let server = try server(nil)
    defer { server.stop() }
    let manager = try bench.manager()
    try bench.write([9], to: "\(bench.out)/target")
    try FileManager.default.createSymbolicLink(
      atPath: "\(bench.out)/x", withDestinationPath: "\(bench.out)/target")
    _ = try await manager.download(
      Download(url: try web(server.url()), to: .file("\(bench.out)/x", ifExists: .replace)))
    #expect(bench.bytes("\(bench.out)/target") == [9] && bench.bytes("\(bench.out)/x") == [1, 2, 3])
  }

  @Test func goesToAnotherFileSystemInOneStep() async throws {
    guard FileManager.default.isWritableFile(atPath: "/dev/shm") else { return }
    let other = try BenchFolder()
    let devices = try [other.path, bench.folder.path].map { try Directory(path: $0).status.device }
    // Nothing to see where both are one.
    guard devices[0] != devices[1] else { return }
    let bytes = noise(3_000_000)
    let server = try server(nil, bytes: bytes)
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()), to: .file("\(other.path)/a/x", ifExists: .replace))
    _ = try await manager.download(one)
    #expect(bench.bytes("\(other.path)/a/x") == bytes)
    #expect(bench.names("\(other.path)/a") == ["x"])
    #expect(bench.files == [])
  }
}
