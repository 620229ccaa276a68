internal import DepotModel
internal import Platform
internal import ReadAPI
internal import ZipArchive

/// What is found out of kept packages by reading them: a depot does that once, when it publishes; a mirror when somebody
/// asks, and keeps what it found as far as there is room. Any thread; blocks on the disk.
struct PackageStudies: Sendable {
  /// What `delta.json` tells.
  struct Summary: Sendable {
    let unpacked: UnpackedFacts
    let index: IndexFacts?
  }

  /// What a manifest tells.
  struct Contents: Sendable {
    let root: String
    let namesEncoding: String
    let unpackedSize: Int64
    let blocks: [SHA256Digest]
    let files: [Manifest.File]
    let ignored: [Manifest.Ignored]
  }

  /// The bytes of a package, and how its names are read.
  private struct Key: Hashable, Sendable {
    let sha256: SHA256Digest
    let root: String?
    let namesEncoding: String?

    init(_ version: OfferedVersion) {
      sha256 = version.game.h5Sha256
      root = version.root
      namesEncoding = version.namesEncoding
    }
  }

  /// The mirror judged the package when it installed it, by limits that may be others than the standard ones; but a damaged
  /// directory must not take all memory.
  private static let limits = ZipLimits(
    entries: .max, directorySize: 1 << 30, unpackedSize: .max, entrySize: .max, entryRatio: .max,
    packageRatio: .max, ratioFloor: .max)

  private let summaries = Shelf<Key, Summary>(room: 8 << 20)
  private let indexes = Shelf<SHA256Digest, MadeIndex?>(room: 32 << 20)
  private let manifests = Shelf<Key, Contents>(room: 64 << 20)

  /// Reads the package's directory and its large payloads, the first time.
  func summary(of version: OfferedVersion, _ package: File) async throws(Problem) -> Summary {
    let index = indexes
    return try await summaries.value(for: Key(version), weight: { _ in 512 }) { () throws(Problem) in
      let reader = try Self.reader(of: version, package)
      let unpacked = UnpackedFacts(
        root: reader.plan.root, namesEncoding: reader.plan.namesEncoding.rawValue,
        unpackedSize: reader.plan.unpackedSize, fileCount: Int64(reader.plan.files.count),
        isEncrypted: reader.isEncrypted)
      let made = try await Self.index(of: version, package, on: index)
      return Summary(
        unpacked: unpacked,
        index: made.map {
          IndexFacts(
            size: Int64($0.bytes.count), sha256: $0.sha256, blockSumsSize: Int64($0.blockSums.count))
        })
    }
  }

  /// Nil for a package that has none. Reads its large payloads, the first time.
  func index(of version: OfferedVersion, _ package: File) async throws(Problem) -> MadeIndex? {
    try await Self.index(of: version, package, on: indexes)
  }

  private static func index(
    of version: OfferedVersion, _ package: File, on shelf: Shelf<SHA256Digest, MadeIndex?>
  ) async throws(Problem) -> MadeIndex? {
    try await shelf.value(
      for: version.game.h5Sha256, weight: { ($0?.bytes.count ?? 0) + ($0?.blockSums.count ?? 0) + 128 }
    ) { () throws(Problem) in
      do throws(SystemError) { return try MadeIndex(of: package) } catch { throw .internal(error) }
    }
  }

  /// Reads and inflates all of the package, the first time.
  func contents(of version: OfferedVersion, _ package: File) async throws(Problem) -> Contents {
    try await manifests.value(for: Key(version), weight: Self.weight) { () throws(Problem) in
      let reader = try Self.reader(of: version, package)
      let report: ContentsReport
      do throws(ZipError) { report = try reader.verifyContents(digests: true) } catch {
        throw .internal(error)
      }
      let files = zip(reader.plan.files, report.files).compactMap { Manifest.File($0, $1) }
      guard files.count == reader.plan.files.count else { throw Self.damaged(version) }
      return Contents(
        root: reader.plan.root, namesEncoding: reader.plan.namesEncoding.rawValue,
        unpackedSize: reader.plan.unpackedSize, blocks: try Self.blocks(of: package), files: files,
        ignored: Manifest.ignored(reader.plan))
    }
  }

  private static func weight(_ contents: Contents) -> Int {
    contents.files.reduce(1024 + contents.blocks.count * 40 + contents.ignored.count * 128) {
      $0 + 320 + $1.path.utf8.count
    }
  }

  private static func reader(of version: OfferedVersion, _ package: File) throws(Problem) -> PackageReader {
    let options = PackageOptions(
      limits: limits, root: version.root, namesEncoding: version.namesEncoding.flatMap { NamesEncoding($0) })
    let reader: PackageReader
    do throws(ZipError) { reader = try PackageReader(file: package, options: options) } catch {
      throw .internal(error)
    }
    guard reader.plan.isAccepted else { throw damaged(version) }
    return reader
  }

  private static func damaged(_ version: OfferedVersion) -> Problem {
    let game = version.game
    return .internal(
      MirrorCatalogueFailure(
        reason:
          "the package of \(game.gameId) \(game.h5Version) is damaged: mirror-sync verify --repair mends it"))
  }

  private static func blocks(of package: File) throws(Problem) -> [SHA256Digest] {
    var blocks: [SHA256Digest] = []
    var offset: Int64 = 0
    do throws(SystemError) {
      while true {
        let bytes = try package.bytes(at: offset, count: Int(Manifest.packageBlockSize))
        guard !bytes.isEmpty, let digest = SHA256Digest(bytes: Hash.digest(of: bytes, .sha256)) else {
          return blocks
        }
        blocks.append(digest)
        offset += Int64(bytes.count)
      }
    } catch {
      throw .internal(error)
    }
  }
}
