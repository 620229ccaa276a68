import DepotModel
import HTTPClient
import MirrorClient
import Platform
import Synchronization
import TestSupport
import Testing
import ZipArchive

extension ScriptedServer.Request {
  /// Both ends of `Range: bytes=a-b`, the second nil in `bytes=a-`.
  var range: (start: Int, end: Int?)? {
    guard let range = self["Range"], range.hasPrefix("bytes="), let dash = range.firstIndex(of: "-"),
      let start = Int(range[range.index(range.startIndex, offsetBy: 6)..<dash])
    else { return nil }
    return (start, Int(range[range.index(after: dash)...]))
  }
}

extension ServedPackage {
  /// As a depot answers: parts by `Range`, `If-Match` and `If-Range` obeyed. Of the body only `cut` bytes, if given.
  func part(_ request: ScriptedServer.Request, cut: Int? = nil) -> [ScriptedServer.Step] {
    if let wanted = request["If-Match"], wanted != tag {
      return [.text("HTTP/1.1 412 No\r\nETag: \(tag)\r\nContent-Length: 0\r\n\r\n")]
    }
    guard let range = request.range, range.start < bytes.count, request["If-Range"] ?? tag == tag else {
      return answer(request, cut: cut)
    }
    let end = min(range.end.map { $0 + 1 } ?? bytes.count, bytes.count)
    let head =
      "HTTP/1.1 206 Part\r\nETag: \(tag)\r\nContent-Range: bytes \(range.start)-\(end - 1)/\(bytes.count)\r\n"
    return [
      .text("\(head)Content-Length: \(end - range.start)\r\n\r\n"),
      .send(Array(bytes[range.start..<end].prefix(cut ?? bytes.count))),
    ] + (cut == nil ? [] : [.close])
  }
}

/// Old packages that stand here, a new one on a server, and its index.
final class ReuseBench: Sendable {
  typealias Script = @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step]?

  /// What a test lets the server say instead of the truth; nil from it: the truth.
  final class Says: Sendable {
    let script = Mutex<Script?>(nil)
  }

  let new: ServedPackage
  let index: [UInt8]
  let server: ScriptedServer
  let download: DownloadBench
  let packages: TemporaryFolder
  let standing: [StandingPackage]
  private let says = Says()

  /// `index` replaces the right one.
  init(
    old: [[UInt8]], new: [UInt8], index: [UInt8]? = nil, volume: any Volume = SystemVolume(), retries: Int = 3
  ) throws {
    packages = try TemporaryFolder()
    let folder = try packages.directory
    standing = try old.enumerated().map { number, bytes in
      try SystemVolume().write(bytes, to: folder.file("\(number).zip", mode: .createNew), at: 0)
      return StandingPackage(folder: folder, name: "\(number).zip")
    }
    let (package, right) = (try ServedPackage(new), try index ?? Self.index(of: new))
    (self.new, self.index) = (package, right)
    download = try DownloadBench(retries: retries, volume: volume)
    let says = says
    server = try ScriptedServer { request in
      if let steps = says.script.withLock({ $0 })?(request) { return steps }
      guard request.target == "/index" else { return package.part(request) }
      return [.text("HTTP/1.1 200 OK\r\nContent-Length: \(right.count)\r\n\r\n"), .send(right)]
    }
  }

  deinit { server.stop() }

  /// The checksums of the blocks of a zip.
  static func sums(of zip: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let file = try folder.directory.file("p.zip", mode: .createNew)
    try SystemVolume().write(zip, to: file, at: 0)
    let index = try PackageIndex(
      decoding: PackageIndex.make(of: file, limits: .standard), limits: .standard)
    return try BlockSums(of: index).make(from: file)
  }

  /// The index of a zip.
  static func index(of zip: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let file = try folder.directory.file("p.zip", mode: .createNew)
    try SystemVolume().write(zip, to: file, at: 0)
    return try PackageIndex.make(of: file, limits: .standard)
  }

  var source: PackageSource { new.source(server.url("/p.zip")) }

  /// `index` and `blocks`: whether there are any.
  func aid(blocks: PackageBlocks? = nil, index: Bool = true, url: String? = nil) throws -> PackageAid {
    var aid = PackageAid(index: nil, standing: standing, blocks: nil)
    if index {
      aid.index = DeltaOffer.Index(
        url: try #require(WebURL(url ?? server.url("/index"))), size: Int64(self.index.count),
        sha256: try #require(SHA256Digest(bytes: Hash.digest(of: self.index, .sha256))))
    }
    if let blocks { aid.blocks = { blocks } }
    return aid
  }

  /// Lets the server say something else from now on; nil from it: the truth.
  func serve(_ script: Script?) { says.script.withLock { $0 = script } }

  @discardableResult
  func fetch(_ aid: PackageAid? = nil) async throws -> FetchedPackage {
    let package = try await download.downloader.fetch(source, aid: aid ?? self.aid()) { _ in }
    #expect(try download.partial(source) == new.bytes)
    return package
  }

  /// The error a fetch ends with; nil when it ends well.
  func failure(_ aid: PackageAid? = nil) async throws -> DownloadError? {
    let aid = try aid ?? self.aid()
    do throws(DownloadError) {
      _ = try await download.downloader.fetch(source, aid: aid) { _ in }
      return nil
    } catch {
      return error
    }
  }

  /// What was asked for of the package, as `Range` says it; nil for the whole.
  var ranges: [String?] { server.requests.filter { $0.target == "/p.zip" }.map { $0["Range"] } }
  var indexRequests: Int { server.requests.count { $0.target == "/index" } }

  /// Bytes in the ranges that were asked for.
  var rangeBytes: Int {
    server.requests.compactMap(\.range).reduce(0) { $0 + ($1.end ?? new.bytes.count - 1) - $1.start + 1 }
  }
}

/// A zip of files that compress badly, as games are: `name: seed` with `size` bytes each.
func game(_ files: KeyValuePairs<String, UInt64>, size: Int = 20_000) -> [UInt8] {
  ZipBuilder(files.map { ZipEntry($0.key, FileContent(noise(size, seed: $0.value))) }).build()
}

/// The digests of a package's blocks.
func blocks(of bytes: [UInt8], blockSize: Int = 1 << 20) throws -> PackageBlocks {
  let digests = try stride(from: 0, to: bytes.count, by: blockSize).map { start in
    let block = Array(bytes[start..<min(start + blockSize, bytes.count)])
    return try #require(SHA256Digest(bytes: Hash.digest(of: block, .sha256)))
  }
  return try #require(
    PackageBlocks(packageSize: Int64(bytes.count), blockSize: Int64(blockSize), digests: digests))
}
