internal import DepotModel
internal import Platform
internal import ZipArchive

/// Finds out what each game that is not in step needs, before anything of it is fetched.
struct Planner: Sendable {
  /// Games beyond which all records are read at once.
  private static let fewGames = 100

  let look: MirrorLook
  let devices: DiskDevices
  let store: Store
  let source: any DepotSource
  /// Reads an index where nothing else tells what a package holds; nil for a plan that may leave nothing on the disk.
  let fetcher: (any PackageFetching)?
  let options: SyncOptions
  let limits: ZipLimits
  let now: @Sendable () -> Timestamp
  /// Whether to stop asking.
  let isOver: @Sendable () -> Bool

  /// What was found out.
  struct Findings: Sendable {
    /// In the order given.
    var games: [PlannedGame] = []
    /// Games of which no more is to be done in this run.
    var failures: [(release: Release, error: MirrorError)] = []
    /// Games it came not to.
    var left: [Release] = []
  }

  /// What was found out about one of the games. No tuple: as the result of a child task, one that holds so large an enum
  /// comes out wrong when Swift 6.3.1 optimises.
  private struct Answer: Sendable {
    let index: Int
    let result: Result<PlannedGame, MirrorError>
  }

  /// Asks for several games at a time, and for each once.
  func plan(_ games: [Release]) async throws(MirrorError) -> Findings {
    let standing = try standingVersions(of: games)
    let verdicts = try Verdicts(store, at: now())
    let width = max(1, options.concurrency)
    let answers = await withTaskGroup(of: Answer.self) { group in
      var answers = [Result<PlannedGame, MirrorError>?](repeating: nil, count: games.count)
      var next = 0
      func start() {
        guard next < games.count, !isOver() else { return }
        let (index, release, versions) = (next, games[next], StandingVersions(standing[games[next].id] ?? []))
        next += 1
        group.addTask {
          do throws(MirrorError) {
            return Answer(index: index, result: .success(try await plan(release, versions, verdicts)))
          } catch {
            return Answer(index: index, result: .failure(error))
          }
        }
      }
      for _ in 0..<width { start() }
      while let answer = await group.next() {
        answers[answer.index] = answer.result
        start()
      }
      return answers
    }
    var findings = Findings()
    for (release, answer) in zip(games, answers) {
      switch answer {
      case .success(let game): findings.games.append(game)
      case .failure(.cancelled), nil: findings.left.append(release)
      case .failure(let error): findings.failures.append((release, error))
      }
    }
    return findings
  }

  private func standingVersions(of games: [Release]) throws(MirrorError) -> [GameID: [InstalledVersion]] {
    guard games.count < Self.fewGames else { return Dictionary(grouping: try store.allVersions(), by: \.id) }
    var versions: [GameID: [InstalledVersion]] = [:]
    for game in games { versions[game.id] = try store.versions(of: game.id) }
    return versions
  }

  /// A game that was rolled back by hand is left alone, if what it was rolled back to stands.
  private func plan(
    _ release: Release, heldBy hold: Hold, _ versions: StandingVersions
  ) throws(MirrorError) -> PlannedGame {
    let version = versions.all.first { $0.version == hold.version }
    guard let version, try onDisk({ () throws(SystemError) in try look.standsUnlinked(version) }) else {
      throw .heldButGone(version: hold.version.text)
    }
    return PlannedGame(
      release: release, step: .none, previous: version, replaced: [], bytesToFetch: 0, bytesToWrite: 0,
      filesToWrite: 0, need: .none)
  }

  /// A version whose files nobody recorded is unpacked once more, from its package.
  private func isRecorded(_ version: InstalledVersion) throws(MirrorError) -> Bool {
    guard version.isUnpacked else { return true }
    return try store.hasFiles(version)
  }

  private func plan(
    _ release: Release, _ versions: StandingVersions, _ verdicts: Verdicts
  ) async throws(MirrorError) -> PlannedGame {
    if let hold = verdicts.hold(against: release) {
      return try plan(release, heldBy: hold, versions)
    }
    try verdicts.refuseBad(release)
    let replaced = versions.replaced(by: release.version, keep: options.keep)
    // R3: what is on disk is used, and the package is not asked for.
    if let standing = versions.standing(release), standing.isUnpacked || !options.unpacks,
      try isRecorded(standing),
      try onDisk({ () throws(SystemError) in try look.holds(standing) })
    {
      let isNamed =
        try onDisk { () throws(SystemError) in try look.currentVersion(of: release.id) } == release.version
      let isInUse = standing.isCurrent && (isNamed || !standing.isUnpacked)
      return PlannedGame(
        release: release, step: isInUse ? .none : .activate(standing), previous: versions.current,
        replaced: isInUse ? [] : replaced, bytesToFetch: 0, bytesToWrite: 0, filesToWrite: 0, need: .none)
    }
    let (request, facts) = try await inquire(release, versions)
    let isKept = try onDisk { () throws(SystemError) in try look.keepsPackage(of: release) }
    let partial = try onDisk { () throws(SystemError) in try look.partialSize(of: release.sha256) }
    let missing = isKept ? 0 : max(0, release.size - partial)
    let need = DiskNeed(
      unpacked: RoomNeed(bytes: facts?.unpackedSize ?? 0, files: facts?.fileCount ?? 0),
      fetched: RoomNeed(bytes: missing, files: isKept ? 0 : 1),
      package: RoomNeed(bytes: isKept ? 0 : release.size, files: isKept ? 0 : 1))
    try refuseWhatCanNeverFit(need)
    if let facts {
      try refuse(facts)
      // Told before anything is fetched; whether a password is right, only the package says.
      if facts.isEncrypted, options.passwords.candidates(for: release.id).isEmpty { throw .passwordNeeded }
    }
    return PlannedGame(
      release: release, step: .install(request, facts), previous: versions.current, replaced: replaced,
      bytesToFetch: try await bytesToFetch(request, missing: missing),
      bytesToWrite: (facts?.unpackedSize ?? 0).addingReportingOverflow(isKept ? 0 : release.size)
        .partialValue,
      filesToWrite: (facts?.fileCount ?? 0) + (isKept ? 0 : 1), need: need)
  }

  /// What comes over the network: less than is missing where packages that stand here can give the rest.
  private func bytesToFetch(_ request: PackageRequest, missing: Int64) async throws(MirrorError) -> Int64 {
    guard missing > 0, !request.aid.standing.isEmpty, let fetcher else { return missing }
    // A dry run's fetcher does not see the partial that is here.
    return min(missing, try await fetcher.cost(of: request).bytes)
  }

  /// A package that the limits refuse is not worth its bytes.
  private func refuse(_ facts: UnpackingFacts) throws(MirrorError) {
    if facts.unpackedSize > limits.unpackedSize {
      let detail = "\(facts.unpackedSize) bytes in all; \(limits.unpackedSize) are allowed"
      throw MirrorError(.refused([Finding(.unpackedTooLarge, detail)]))
    }
    if facts.fileCount > limits.entries {
      let detail = "\(facts.fileCount) files; \(limits.entries) entries are allowed"
      throw MirrorError(.refused([Finding(.tooManyEntries, detail)]))
    }
  }

  /// What would not fit an empty disk fails alone: no number of games that do is to wait for it.
  private func refuseWhatCanNeverFit(_ need: DiskNeed) throws(MirrorError) {
    for (device, part) in zip(devices.devices, devices.split(need)) {
      let room = try onDisk { () throws(SystemError) in try device.folder.room }
      guard part.bytes > Int64(clamping: room.allBytes) else { continue }
      throw .noRoom(needed: part.bytes, available: Int64(clamping: room.bytes), path: device.folder.path)
    }
  }

  private func inquire(
    _ release: Release, _ versions: StandingVersions
  ) async throws(MirrorError) -> (PackageRequest, UnpackingFacts?) {
    let standing = try options.usesDelta ? standingPackages(versions) : []
    let offer = options.unpacks || !standing.isEmpty ? try await source.delta(of: release) : nil
    let source = source
    let request = PackageRequest(
      release: release,
      aid: PackageAid(
        index: offer?.index, sums: offer?.sums, standing: standing,
        // What cannot be asked is as good as not there: the whole is fetched then.
        blocks: { try? await source.blocks(of: release) }))
    return (request, options.unpacks ? try await facts(of: request, offer) : nil)
  }

  /// Packages of the game whose record says that they are whole, the one in use first.
  private func standingPackages(_ versions: StandingVersions) throws(MirrorError) -> [StandingPackage] {
    guard let root = look.root else { return [] }
    var standing: [StandingPackage] = []
    for version in versions.all.filter(\.isCurrent) + versions.all.filter({ !$0.isCurrent })
    where try onDisk({ () throws(SystemError) in try look.holdsPackage(version) }) {
      standing.append(
        StandingPackage(folder: root, name: MirrorLook.packagePath(version.id, version.version)))
    }
    return standing
  }

  /// From `delta.json`, which is small; else from the index, which an update needs anyway; else from the manifest.
  private func facts(
    of request: PackageRequest, _ offer: DeltaOffer?
  ) async throws(MirrorError) -> UnpackingFacts {
    guard let offer else { return try await source.manifest(of: request.release) }
    if let contents = offer.contents { return UnpackingFacts(offer, contents) }
    if let contents = try await fetcher?.contents(of: request) { return UnpackingFacts(offer, contents) }
    return try await source.manifest(of: request.release)
  }
}
