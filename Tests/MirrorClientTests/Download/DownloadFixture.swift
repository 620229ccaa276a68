import DepotModel
import HTTPClient
import MirrorClient
import Platform
import Synchronization
import TestSupport
import Testing

/// Bytes that look like nothing else, the same each time for one seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: state >> shift))
    }
  }
  bytes.removeLast(bytes.count - count)
  return bytes
}

/// A package as a depot serves it: ranges, If-Range, strong tag.
struct ServedPackage: Sendable {
  let bytes: [UInt8]
  let source: @Sendable (String) -> PackageSource

  init(_ bytes: [UInt8]) throws {
    let sha256 = try #require(SHA256Digest(bytes: Hash.digest(of: bytes, .sha256)))
    let md5 = try #require(MD5Digest(bytes: Hash.digest(of: bytes, .md5)))
    self.bytes = bytes
    source = { PackageSource(url: $0, sha256: sha256, md5: md5, size: Int64(bytes.count), label: "game 1") }
    tag = "\"\(sha256.hex)\""
  }

  let tag: String

  /// The right answer; of its body only `cut` bytes, if given.
  func answer(_ request: ScriptedServer.Request, cut: Int? = nil) -> [ScriptedServer.Step] {
    guard let start = request.rangeStart, request["If-Range"] == tag else {
      return [
        .text("HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: \(bytes.count)\r\n\r\n"),
        .send(Array(bytes.prefix(cut ?? bytes.count))),
      ] + (cut == nil ? [] : [.close])
    }
    guard start < bytes.count else {
      return [.text("HTTP/1.1 416 No\r\nContent-Range: bytes */\(bytes.count)\r\nContent-Length: 0\r\n\r\n")]
    }
    let range = "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
    return [
      .text("HTTP/1.1 206 Part\r\nETag: \(tag)\r\n\(range)Content-Length: \(bytes.count - start)\r\n\r\n"),
      .send(Array(bytes[start...].prefix(cut ?? bytes.count))),
    ] + (cut == nil ? [] : [.close])
  }
}

/// Waits for nothing and remembers what it should have waited.
final class InstantTimer: RetryTimer {
  private let state = Mutex<[Duration]>([])
  let now: Int64 = 1_700_000_000

  func fraction() -> Double { 0.5 }

  func wait(_ duration: Duration) async throws(TransferError) {
    if Task.isCancelled { throw .cancelled }
    state.withLock { $0.append(duration) }
  }

  var waits: [Duration] { state.withLock { $0 } }
}

/// An engine, a downloader and its folder for one test.
final class DownloadBench: Sendable {
  let folder: TemporaryFolder
  let partials: Directory
  let engine: TransferEngine
  let downloader: Downloader
  let timer = InstantTimer()

  init(
    server: String = "http://127.0.0.1/", retries: Int = 3, volume: any Volume = SystemVolume(),
    stallTimeout: Duration = .seconds(20), connections: Int = 4
  ) throws {
    folder = try TemporaryFolder()
    partials = try folder.directory
    var settings = HTTPClientSettings.standard
    settings.stallTimeout = stallTimeout
    settings.maximumConnections = connections
    engine = try TransferEngine(settings)
    downloader = try Downloader(
      engine: engine, partials: partials, volume: volume, server: try #require(WebURL(server)), token: nil,
      retries: .standard(retries: retries), timer: timer
    )
  }

  @discardableResult
  func fetch(_ source: PackageSource) async throws(DownloadError) -> FetchedPackage {
    try await downloader.fetch(source) { _ in }
  }

  /// The error a fetch ends with; nil when it ends well.
  func failure(_ source: PackageSource) async -> DownloadError? {
    do throws(DownloadError) {
      _ = try await fetch(source)
      return nil
    } catch {
      return error
    }
  }

  /// What stands in the partial now; empty when there is none.
  func partial(_ source: PackageSource) throws -> [UInt8] {
    guard try partials.status(of: source.partialName) != nil else { return [] }
    let file = try partials.file(source.partialName, mode: .read)
    return try file.bytes(at: 0, count: Int(try file.size))
  }

  func leave(_ bytes: [UInt8], as source: PackageSource) throws {
    let file = try partials.file(source.partialName, mode: .readWrite)
    try SystemVolume().write(bytes, to: file, at: 0)
  }
}
