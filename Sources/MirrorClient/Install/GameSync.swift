internal import DepotModel
internal import Platform

/// Brings one game in step: nothing to do, another version that stands already, or an install.
struct GameSync: Sendable {
  let disk: MirrorDisk
  let store: Store
  let installer: Installer
  let source: any DepotSource
  let fetcher: any PackageFetching
  let unpacks: Bool
  /// Whether what stands here is used to fetch less.
  let usesDelta: Bool
  /// The queue of package downloads.
  let downloads: MirrorDownloads
  let turns: DigestTurns
  let room: RoomLedger
  let workers: WorkerThreads
  let stop: StopFlag
  let observer: SyncObserver

  /// How it ended, and what could not be tidied up afterwards.
  struct Done: Sendable {
    var outcome: GameOutcome
    var warning: String?
  }

  func run(_ release: Release) async -> Done {
    let meter = ByteMeter()
    var warning: String?
    let result: GameOutcome.Result
    do throws(MirrorError) {
      result = try await bringInStep(release, meter: meter)
      do throws(MirrorError) {
        if result.isChange {
          try await workers.run { () throws(MirrorError) in try installer.tidy(release.id) }
        }
      } catch {
        warning =
          "\(release.id): \(release.version) stands, but what it replaces could not be removed: \(error)"
      }
    } catch {
      result = .failed(error)
      // Its place in `status` only; the failure itself is told anyway.
      if error != .cancelled { try? store.noteFailure(release.id, error) }
    }
    let outcome = GameOutcome(game: release.id.text, result: result, bytesFetched: meter.bytes)
    observer(.finished(outcome))
    return Done(outcome: outcome, warning: warning)
  }

  private func bringInStep(_ release: Release, meter: ByteMeter) async throws(MirrorError)
    -> GameOutcome.Result
  {
    guard !stop.isSet else { throw .cancelled }
    let versions = try store.versions(of: release.id)
    let previous = versions.first(where: \.isCurrent)
    let standing = versions.first { $0.version == release.version && $0.sha256 == release.sha256 }
    // R3: what is on disk is used, and the package is not asked for.
    if let standing, standing.isUnpacked || !unpacks,
      try onDisk({ () throws(SystemError) in try disk.holds(standing) })
    {
      let isNamed =
        try onDisk { () throws(SystemError) in try disk.currentVersion(of: release.id) } == release.version
      if standing.isCurrent, isNamed || !standing.isUnpacked {
        try store.markInStep(release.id)
        return .unchanged(release.version)
      }
      try await workers.run { () throws(MirrorError) in try installer.activate(standing) }
      guard let previous, previous.version != release.version else { return .unchanged(release.version) }
      return .updated(release.version, previous: previous.version)
    }
    try await install(release, beside: versions, meter: meter)
    // R1, R2.
    guard let previous else { return .installed(release.version) }
    return .updated(release.version, previous: previous.version)
  }

  private func install(
    _ release: Release, beside versions: [InstalledVersion], meter: ByteMeter
  ) async throws(MirrorError) {
    let standing = usesDelta ? try standingPackages(versions) : []
    let offer = unpacks || !standing.isEmpty ? try await source.delta(of: release) : nil
    let source = source
    let request = PackageRequest(
      release: release,
      aid: PackageAid(
        index: offer?.index, standing: standing,
        // What cannot be asked is as good as not there: the whole is fetched then.
        blocks: { try? await source.blocks(of: release) }))
    let facts = unpacks ? try await facts(of: request, offer) : nil
    // Told before anything is fetched; whether a password is right, only the package says.
    if facts?.isEncrypted == true, installer.passwords.candidates(for: release.id).isEmpty {
      throw .passwordNeeded
    }
    try await turns.take(release.sha256) { () async throws(MirrorError) in
      try await install(request, facts: facts, meter: meter)
    }
  }

  /// Packages of the game whose record says that they are whole, the one in use first.
  private func standingPackages(_ versions: [InstalledVersion]) throws(MirrorError) -> [StandingPackage] {
    var standing: [StandingPackage] = []
    for version in versions.filter(\.isCurrent) + versions.filter({ !$0.isCurrent }) {
      let status = try onDisk { () throws(SystemError) in
        try disk.packageStatus(version.id, version.version)
      }
      guard let status, status.kind == .regular, status.size == version.size else { continue }
      standing.append(
        StandingPackage(
          folder: disk.packages, name: "\(version.id.text)/\(MirrorDisk.packageName(version.version))"))
    }
    return standing
  }

  /// From `delta.json`, which is small; else from the index, which an update needs anyway; else from the manifest.
  private func facts(
    of request: PackageRequest, _ offer: DeltaOffer?
  ) async throws(MirrorError) -> UnpackingFacts {
    guard let offer else { return try await source.manifest(of: request.release) }
    if let contents = offer.contents { return UnpackingFacts(offer, contents) }
    if let contents = try await fetcher.contents(of: request) { return UnpackingFacts(offer, contents) }
    return try await source.manifest(of: request.release)
  }

  private func install(
    _ request: PackageRequest, facts: UnpackingFacts?, meter: ByteMeter
  ) async throws(MirrorError) {
    let release = request.release
    guard !stop.isSet else { throw .cancelled }
    let kept = try await workers.run { () throws(MirrorError) in try keptPackage(release) }
    let need = try roomNeed(release, isKept: kept != nil, facts: facts)
    try await room.reserve(need)
    defer { room.release(need) }
    let file: File
    if let kept { file = kept } else { file = try await fetch(request, meter: meter) }
    guard !stop.isSet else { throw .cancelled }
    observer(.installing(release.id, release.version))
    try await workers.run { () throws(MirrorError) in
      let entry = try installer.prepare(release, from: file, facts: facts) { stop.isSet }
      guard try installer.finish(entry, verifiesPackage: false) else {
        throw .download(
          reason: "the package of \(release.id) \(release.version) went away while it was installed")
      }
    }
    downloads.forget(release)
  }

  private func fetch(_ request: PackageRequest, meter: ByteMeter) async throws(MirrorError) -> File {
    let release = request.release
    let package = try await downloads.pass(release) {
      (progress) async throws(MirrorError) -> FetchedPackage in
      guard !stop.isSet else { throw .cancelled }
      observer(.fetching(release.id, release.version, size: release.size))
      let observer = observer
      return try await fetcher.fetch(request) { bytes in
        observer(.fetched(release.id, bytes: bytes))
        progress(bytes)
      }
    }
    meter.add(package.bytesFetched)
    return package.file
  }

  /// The package of an earlier run, when it is exactly this one: a lost record or folder costs no download.
  private func keptPackage(_ release: Release) throws(MirrorError) -> File? {
    let status = try onDisk { () throws(SystemError) in try disk.packageStatus(release.id, release.version) }
    guard let status, status.kind == .regular, status.size == release.size else { return nil }
    let name = "\(release.id.text)/\(MirrorDisk.packageName(release.version))"
    let file = try onDisk { () throws(SystemError) in try disk.packages.file(name, mode: .read) }
    return try MirrorDisk.sha256(of: file, isCancelled: { stop.isSet }) == release.sha256 ? file : nil
  }

  private func roomNeed(
    _ release: Release, isKept: Bool, facts: UnpackingFacts?
  ) throws(MirrorError) -> RoomNeed {
    var need = RoomNeed(bytes: facts?.unpackedSize ?? 0, files: facts?.fileCount ?? 0)
    if !isKept {
      let partial = try onDisk { () throws(SystemError) in
        try disk.partials.status(of: MirrorDisk.partialName(release.sha256))?.size ?? 0
      }
      need = need + RoomNeed(bytes: max(0, release.size - partial), files: 1)
    }
    return need
  }
}

extension GameOutcome.Result {
  /// Whether something new stands.
  var isChange: Bool {
    switch self {
    case .installed, .updated: true
    case .unchanged, .failed: false
    }
  }
}
