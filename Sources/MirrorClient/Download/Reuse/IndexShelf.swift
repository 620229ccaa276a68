internal import DepotModel
internal import HTTPClient
internal import Platform
internal import Synchronization
internal import ZipArchive

/// Indexes of packages that are being fetched: `partial/<sha256 of the package>.index`, from the first question about a
/// package until its install is done.
final class IndexShelf: Sendable {
  /// Why there is no index: nothing that a fetch of the whole package would mind.
  struct Unusable: Error {
    let reason: String
  }

  private let engine: TransferEngine
  private let partials: Directory
  private let volume: any Volume
  private let token: BearerToken?
  private let retries: RetryPolicy
  private let timer: any RetryTimer
  private let disk: WorkerThreads
  /// Bytes that came for an index of a package whose fetch has not asked yet.
  private let unaccounted = Mutex<[SHA256Digest: Int]>([:])

  init(
    engine: TransferEngine, partials: Directory, volume: any Volume, token: BearerToken?,
    retries: RetryPolicy,
    timer: any RetryTimer, disk: WorkerThreads
  ) {
    self.engine = engine
    self.partials = partials
    self.volume = volume
    self.token = token
    self.retries = retries
    self.timer = timer
    self.disk = disk
  }

  static func name(_ package: SHA256Digest) -> String { "\(package.hex).index" }

  /// Whether the index of a package is here, by its size.
  func holds(_ index: DeltaOffer.Index, of package: SHA256Digest) async -> Bool {
    let status = await disk.run { [partials] in
      // Unreadable is as good as not there.
      try? partials.status(of: Self.name(package))
    }
    return status?.kind == .regular && status?.size == index.size
  }

  /// The index of a package, from the disk or the server. It is what the offer says by its SHA-256, and made for a package
  /// of this size.
  func index(
    _ index: DeltaOffer.Index, of source: PackageSource
  ) async throws(Unusable) -> PackageIndex {
    let bytes: [UInt8]
    if let kept = await kept(index, of: source.sha256) {
      bytes = kept
    } else {
      bytes = try await fetched(index, of: source.sha256)
    }
    return try await disk.run { () throws(Unusable) in
      var limits = IndexLimits.standard
      // No package has more headers than bytes: a few bytes must not have the time spent that a large one may cost.
      limits.skeletonSize = min(limits.skeletonSize, source.size)
      let read: PackageIndex
      do throws(IndexError) { read = try PackageIndex(decoding: bytes, limits: limits) } catch {
        throw Unusable(reason: error.description)
      }
      guard read.packageSize == source.size else {
        throw Unusable(reason: "it is of a package of \(read.packageSize) bytes")
      }
      return read
    }
  }

  /// Bytes that came over the network for a package's index and were not told before.
  func takeCost(of package: SHA256Digest) -> Int {
    unaccounted.withLock { $0.removeValue(forKey: package) ?? 0 }
  }

  private func kept(_ index: DeltaOffer.Index, of package: SHA256Digest) async -> [UInt8]? {
    await disk.run { [partials] in
      // What cannot be read is fetched.
      let bytes: [UInt8]? = try? {
        guard let status = try partials.status(of: Self.name(package)), status.kind == .regular,
          status.size == index.size
        else { return nil }
        return try partials.file(Self.name(package), mode: .read).bytes(at: 0, count: Int(index.size))
      }()
      guard let bytes, Hash.digest(of: bytes, .sha256) == index.sha256.bytes else { return nil }
      return bytes
    }
  }

  private func fetched(
    _ index: DeltaOffer.Index, of package: SHA256Digest
  ) async throws(Unusable) -> [UInt8] {
    let response: FetchResponse
    do throws(TransferError) {
      response = try await engine.fetch(
        FetchRequest(.get, index.url, authorization: token), limit: Int(index.size), retries: retries,
        timer: timer)
    } catch {
      throw Unusable(reason: error.description)
    }
    let body = response.body
    unaccounted.withLock { $0[package, default: 0] += body.count }
    guard response.status == 200 else { throw Unusable(reason: "status \(response.status)") }
    guard Int64(body.count) == index.size, Hash.digest(of: body, .sha256) == index.sha256.bytes else {
      throw Unusable(reason: "its bytes are not those that delta.json names")
    }
    await disk.run { [partials, volume] in
      // Without it on the disk it is fetched once more, should it be needed again.
      try? Self.keep(body, as: Self.name(package), in: partials, volume)
    }
    return body
  }

  private static func keep(
    _ bytes: [UInt8], as name: String, in partials: Directory, _ volume: any Volume
  ) throws(SystemError) {
    if let status = try partials.status(of: name), status.kind != .regular { try partials.removeTree(name) }
    let file = try partials.file(name, mode: .readWrite)
    try file.truncate(to: 0)
    try volume.write(bytes, to: file, at: 0)
  }
}
