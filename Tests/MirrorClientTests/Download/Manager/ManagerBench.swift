import DepotModel
import Foundation
import HTTPClient
import Platform
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

/// Time as a test says it is, in milliseconds.
final class TestClock: Sendable {
  private let time = Mutex<Int64>(1_000_000)

  var now: Int64 { time.withLock { $0 } }

  func advance(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

/// A file as a good server serves it: with a strong tag unless told otherwise, ranges, If-Range and If-None-Match.
struct ServedFile: Sendable {
  var bytes: [UInt8]
  var tag: String? = "\"v1\""
  /// Further lines of the head, each with its end.
  var fields = ""

  func answer(_ request: ScriptedServer.Request, cut: Int? = nil) -> [ScriptedServer.Step] {
    let tagField = tag.map { "ETag: \($0)\r\n" } ?? ""
    if let tag, request["If-None-Match"] == tag { return [.text("HTTP/1.1 304 Same\r\n\(tagField)\r\n")] }
    var (status, start, range) = ("200 OK", 0, "")
    if let asked = request.rangeStart, let tag, request["If-Range"] == tag {
      guard asked < bytes.count else {
        return [
          .text("HTTP/1.1 416 No\r\nContent-Range: bytes */\(bytes.count)\r\nContent-Length: 0\r\n\r\n")
        ]
      }
      (status, start) = ("206 Part", asked)
      range = "Content-Range: bytes \(asked)-\(bytes.count - 1)/\(bytes.count)\r\n"
    }
    let head =
      "HTTP/1.1 \(status)\r\n\(tagField)\(range)\(fields)Content-Length: \(bytes.count - start)\r\n\r\n"
    guard let cut else { return [.text(head), .send(Array(bytes[start...]))] }
    return [.text(head), .send(Array(bytes[start...].prefix(cut))), .close]
  }

  /// Sends so many bytes, and the rest when the gate opens.
  func held(first: Int, _ gate: Gate) -> [ScriptedServer.Step] {
    let tagField = tag.map { "ETag: \($0)\r\n" } ?? ""
    return [
      .text("HTTP/1.1 200 OK\r\n\(tagField)\(fields)Content-Length: \(bytes.count)\r\n\r\n"),
      .send(Array(bytes[..<first])), .call { gate.wait() }, .send(Array(bytes[first...])),
    ]
  }
}

/// Folders, an engine and a clock for the managers of one test.
final class ManagerBench: Sendable {
  let folder: TemporaryFolder
  let engine: TransferEngine
  let clock = TestClock()
  let timer = InstantTimer()
  /// Of the managers.
  var home: String { folder.path + "/home" }
  var out: String { folder.path + "/out" }

  init(connections: Int = 8, stallTimeout: Duration = .seconds(20)) throws {
    folder = try TemporaryFolder()
    var settings = HTTPClientSettings.downloads(maximumActive: connections)
    settings.stallTimeout = stallTimeout
    engine = try TransferEngine(settings)
  }

  func manager(
    maximumActive: Int = 4, order: DownloadOrder = .fifo, retries: Int = 0,
    volume: any Volume = SystemVolume(),
    depot: String? = nil
  ) throws -> DownloadManager {
    let clock = clock
    return try DownloadManager(
      folder: home, engine: engine,
      options: DownloadOptions(
        maximumActive: maximumActive, order: order, retries: .standard(retries: retries), token: nil,
        depot: depot.flatMap { WebURL($0) }),
      volume: volume, timer: timer, now: { clock.now })
  }

  func bytes(_ path: String?) -> [UInt8]? {
    path.flatMap { FileManager.default.contents(atPath: $0) }.map { Array($0) }
  }

  func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// What the manager's folder holds beside the receipts.
  var files: [String] { names(home).filter { !$0.hasPrefix("receipts.") } }

  func write(_ bytes: [UInt8], to path: String) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// The rows as they stand on the disk.
  func rows() throws -> [DownloadReceipt] {
    let database = try Database(path: "\(home)/receipts.sqlite", mode: .readOnly)
    return try ReceiptTable.all(database)
  }

  /// Changes the rows of a manager that is gone.
  func withRows(_ body: (Database) throws -> Void) throws {
    try body(try Database(path: "\(home)/receipts.sqlite", mode: .readWrite(create: false)))
  }

  /// The error a download ends with; nil when it ends well.
  func failure(_ manager: DownloadManager, _ download: Download) async -> DownloadError? {
    do throws(DownloadError) {
      _ = try await manager.download(download)
      return nil
    } catch {
      return error
    }
  }
}

func web(_ text: String) throws -> WebURL { try #require(WebURL(text)) }

extension DownloadManager {
  /// The first receipt that `isWanted`; nil when the events end before.
  @discardableResult
  func wait(
    for id: DownloadID, until isWanted: @Sendable (DownloadReceipt) -> Bool
  ) async -> DownloadReceipt? {
    for await event in events(of: id) where isWanted(event.receipt) { return event.receipt }
    return nil
  }

  @discardableResult
  func wait(for id: DownloadID, _ state: DownloadReceipt.State) async -> DownloadReceipt? {
    await wait(for: id) { $0.state == state }
  }
}

extension Gate {
  /// Whoever waits, or will wait, goes on.
  func openForAll() { for _ in 0..<1000 { open() } }
}

/// What stands at `/number` of a server.
func download(_ server: ScriptedServer, _ number: Int, priority: Int = 0) throws -> Download {
  Download(url: try web(server.url("/\(number)")), priority: priority)
}

func sha256(_ bytes: [UInt8]) throws -> SHA256Digest {
  try #require(SHA256Digest(bytes: Hash.digest(of: bytes, .sha256)))
}
