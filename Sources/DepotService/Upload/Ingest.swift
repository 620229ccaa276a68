internal import Catalogue
internal import DepotModel
internal import Platform
internal import ReadAPI
internal import ZipArchive

/// One package on its way into a depot, from its first byte to the catalogue: the only way in. One task at a time.
///
/// Whatever ends it early leaves nothing visible; the file is removed with it.
final class Ingest {
  private let depot: Depot
  private let file: IngestFile
  /// Keeps sweeps away while the file is there.
  private let lock: DepotLock
  private var sizeAtNextLook: Int64 = 0
  private var finished: IngestFile.Digests?

  /// How much is written between two looks at the disk's room.
  private static let stride: Int64 = 16 << 20

  init(into depot: Depot) throws(PublishError) {
    self.depot = depot
    do throws(SystemError) {
      lock = try DepotLock.acquire(.publish, .shared, in: depot.layout.root)
      file = try IngestFile(in: depot.layout.ingest, volume: depot.volume)
    } catch {
      throw depot.publishError(error)
    }
  }

  /// Takes on a package that lies whole on the depot's disk. It stays there unless it is published.
  init(adopting name: String, of folder: Directory, into depot: Depot) throws(PublishError) {
    self.depot = depot
    do throws(SystemError) {
      lock = try DepotLock.acquire(.publish, .shared, in: depot.layout.root)
      file = try IngestFile(adopting: name, in: folder, volume: depot.volume)
    } catch {
      throw depot.publishError(error)
    }
  }

  /// The digests of all bytes, after which none may be added.
  func digests() throws(PublishError) -> IngestFile.Digests {
    if let finished { return finished }
    guard let digests = file.finish() else {
      throw .system(SystemError(errno: 5, operation: "hash", path: file.file.path))
    }
    finished = digests
    return digests
  }

  /// Bytes so far.
  var size: Int64 { file.size }

  /// Adds bytes of the package.
  func append(_ bytes: [UInt8]) throws(PublishError) {
    guard file.size + Int64(bytes.count) <= depot.settings.maxUpload else {
      throw .tooLarge(limit: depot.settings.maxUpload)
    }
    if file.size >= sizeAtNextLook {
      try depot.checkRoom(for: Int64(bytes.count))
      sizeAtNextLook = file.size + Self.stride
    }
    do throws(SystemError) { try file.append(bytes) } catch { throw depot.publishError(error) }
  }

  /// Checks the package whole and publishes it. `checksums` are further MD5s that it must have.
  func publish(
    as fields: UploadFields, checksums: [MD5Digest] = [], actor: Author?
  ) throws(PublishError) -> Publication {
    let digests = try digests()
    for expected in checksums + (fields.md5.map { [$0] } ?? []) where expected != digests.md5 {
      throw .checksum(expected: expected, actual: digests.md5)
    }
    if let known = try existing(fields, digests) { return known }
    let (facts, findings) = try inspect(fields, digests)
    let index: StoredIndex?
    do throws(SystemError) {
      index = try depot.makeIndex(of: file.file)
      try file.seal()
      try file.move(to: depot.blobs, as: digests.sha256)
    } catch {
      throw depot.publishError(error)
    }
    let outcome = try depot.record(
      NewRelease(
        gameID: fields.gameID, version: fields.version, title: fields.title, channel: fields.channel,
        mandatory: fields.mandatory, minHostVersion: fields.minHostVersion?.text, notes: fields.notes,
        md5: digests.md5, sha256: digests.sha256, size: file.size, publishedAt: depot.clock(), package: facts,
        index: index, author: actor))
    switch outcome {
    case .published(let release, _): return Publication(release: release, isNew: true, findings: findings)
    case .alreadyThere(let release): return Publication(release: release, isNew: false, findings: findings)
    }
  }

  /// The version that these bytes already are. Should its package have been lost, this one takes its place.
  private func existing(
    _ fields: UploadFields, _ digests: IngestFile.Digests
  ) throws(PublishError) -> Publication? {
    switch try depot.standing(of: fields) {
    case .free: return nil
    case .burnt(let md5, let sha256):
      guard sha256 == digests.sha256 else { throw .versionBurnt(md5) }
      return nil
    case .yanked(let md5): throw .versionBurnt(md5)
    case .published(let release):
      guard release.sha256 == digests.sha256 else { throw .versionExists(release.md5) }
      try restore(digests.sha256)
      return Publication(release: try depot.current(release, fields.channel), isNew: false, findings: [])
    }
  }

  private func restore(_ digest: SHA256Digest) throws(PublishError) {
    do throws(SystemError) {
      if try !depot.blobs.holds(digest, size: file.size) {
        try file.seal()
        try file.move(to: depot.blobs, as: digest)
      }
    } catch {
      throw depot.publishError(error)
    }
  }

  private func inspect(
    _ fields: UploadFields, _ digests: IngestFile.Digests
  ) throws(PublishError) -> (PackageFacts, [Finding]) {
    let options = PackageOptions(
      limits: depot.settings.zipLimits, keepWrapper: fields.keepWrapper, requireIndex: fields.requireIndex,
      namesEncoding: fields.namesEncoding)
    do throws(ZipError) {
      let reader = try PackageReader(file: file.file, options: options)
      // The contents are read even when the plan is refused, so that every finding is told at once.
      let contents = try reader.verifyContents(digests: true) { [depot] in depot.givesUpChecks }
      let findings = reader.plan.findings + contents.findings
      guard reader.plan.isAccepted, contents.isAccepted else { throw ZipError.refused(findings) }
      guard let facts = PackageFacts(plan: reader.plan, contents: contents, blocks: digests.blocks) else {
        throw .system(SystemError(errno: 5, operation: "hash", path: file.file.path))
      }
      return (facts, findings)
    } catch {
      switch error {
      case .refused(let findings): throw .refused(findings)
      case .system(let error): throw depot.publishError(error)
      case .cancelled: throw .stopping
      // Only unpacking says so.
      case .encrypted, .wrongPassword:
        throw .system(SystemError(errno: 126, operation: "check", path: file.file.path))
      }
    }
  }
}

extension Depot {
  /// Refuses what would take the disk below its floor.
  func checkRoom(for bytes: Int64) throws(PublishError) {
    let available: Int64
    do throws(SystemError) { available = Int64(clamping: try layout.root.room.bytes) } catch {
      throw .system(error)
    }
    let needed = bytes.addingReportingOverflow(settings.diskFloor)
    guard !needed.overflow, needed.partialValue <= available else {
      throw .diskFloor(needed: needed.overflow ? .max : needed.partialValue, available: available)
    }
  }

  /// A failed write in the words of publishing: a full disk is the operator's to mend, and the client's to be told.
  func publishError(_ error: SystemError) -> PublishError {
    error.isOutOfSpace ? diskFloor() : .system(error)
  }

  private func diskFloor() -> PublishError {
    // Without an answer the disk has no room that could be promised.
    let available = (try? layout.root.room.bytes).map { Int64(clamping: $0) } ?? 0
    return .diskFloor(needed: settings.diskFloor, available: available)
  }

  /// What is known of the version that is to be published.
  func standing(of fields: UploadFields) throws(PublishError) -> VersionStanding {
    do throws(CatalogueError) {
      return try catalogue.standing(of: fields.version, fields.gameID)
    } catch { throw PublishError(error) }
  }

  /// Refuses early what the checksums that were announced already rule out.
  func precheck(_ fields: UploadFields, _ checksums: [MD5Digest]) throws(PublishError) {
    let announced = checksums + (fields.md5.map { [$0] } ?? [])
    switch try standing(of: fields) {
    case .free: return
    case .yanked(let md5): throw .versionBurnt(md5)
    case .burnt(let md5, _): if announced.contains(where: { $0 != md5 }) { throw .versionBurnt(md5) }
    case .published(let there):
      if announced.contains(where: { $0 != there.md5 }) { throw .versionExists(there.md5) }
    }
  }

  /// The release as `channel` shows it, if that points at it.
  fileprivate func current(_ release: Release, _ channel: ChannelName) throws(PublishError) -> Release {
    do throws(CatalogueError) {
      let shown = try catalogue.release(release.gameID, channel: channel)
      return shown?.version == release.version ? shown ?? release : release
    } catch { throw PublishError(error) }
  }

  fileprivate func record(_ release: NewRelease) throws(PublishError) -> PublishOutcome {
    do throws(CatalogueError) {
      return try catalogue.publish(release)
    } catch {
      guard error.isDiskFull else { throw PublishError(error) }
      throw diskFloor()
    }
  }
}

extension PackageFacts {
  /// Nil when the contents were not all hashed, which an accepted check rules out.
  fileprivate init?(plan: PackagePlan, contents: ContentsReport, blocks: [SHA256Digest]) {
    guard contents.files.count == plan.files.count else { return nil }
    var files: [Manifest.File] = []
    files.reserveCapacity(plan.files.count)
    for (entry, digests) in zip(plan.files, contents.files) {
      guard let file = Manifest.File(entry, digests) else { return nil }
      files.append(file)
    }
    self.init(
      root: plan.root, namesEncoding: plan.namesEncoding.rawValue, unpackedSize: plan.unpackedSize,
      blockSize: Manifest.packageBlockSize, blocks: blocks, files: files,
      ignored: Manifest.ignored(plan))
  }
}
