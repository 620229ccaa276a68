internal import DepotModel
internal import Platform

/// Does what is planned for one game: lets a version that stands come into use, or installs one.
struct GameSync: Sendable {
  let disk: MirrorDisk
  let store: Store
  let installer: Installer
  let fetcher: any PackageFetching
  /// The queue of package downloads.
  let downloads: MirrorDownloads
  let turns: DigestTurns
  let room: RoomLedger
  let workers: WorkerThreads
  let stop: StopFlag
  let observer: SyncObserver

  /// How it ended, what is worth telling of the game, and what could not be tidied up afterwards.
  struct Done: Sendable {
    var outcome: GameOutcome
    var notices: [String]
    var warning: String?
    /// What is worth telling though nothing went wrong.
    var notes: [String]
  }

  func run(_ game: PlannedGame) async -> Done {
    let (release, meter) = (game.release, FetchMeter())
    var warning: String?
    var notices: [String] = []
    let result: GameOutcome.Result
    do throws(MirrorError) {
      result = try await bringInStep(game, meter: meter, notices: &notices)
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
    return Done(
      outcome: outcome, notices: notices, warning: warning,
      notes: meter.notes.map { "\(release.id): \($0)" })
  }

  private func bringInStep(
    _ game: PlannedGame, meter: FetchMeter, notices: inout [String]
  ) async throws(MirrorError) -> GameOutcome.Result {
    guard !stop.isSet else { throw .cancelled }
    let version = game.release.version
    switch game.step {
    case .none:
      return .unchanged(version)
    case .activate(let standing):
      try await workers.run { () throws(MirrorError) in try installer.activate(standing) }
      guard let previous = game.previous, previous.version != version else { return .unchanged(version) }
      return .updated(version, previous: previous.version)
    case .install(let request, let facts):
      notices += try await turns.take(game.release.sha256) { () async throws(MirrorError) in
        try await install(request, facts: facts, need: game.need, meter: meter)
      }
      // R1, R2.
      guard let previous = game.previous else { return .installed(version) }
      return .updated(version, previous: previous.version)
    }
  }

  private func install(
    _ request: PackageRequest, facts: UnpackingFacts?, need: DiskNeed, meter: FetchMeter
  ) async throws(MirrorError) -> [String] {
    let release = request.release
    guard !stop.isSet else { throw .cancelled }
    let kept = try await workers.run { () throws(MirrorError) in try keptPackage(release) }
    var need = need
    // What was taken for the package by its size is none.
    if kept == nil, need.fetched == .none { need.fetched = RoomNeed(bytes: release.size, files: 1) }
    try await room.reserve(need)
    defer { room.release(need) }
    let file: File
    if let kept { file = kept } else { file = try await fetch(request, meter: meter) }
    guard !stop.isSet else { throw .cancelled }
    observer(.installing(release.id, release.version))
    let notices = try await workers.run { () throws(MirrorError) in
      let prepared = try installer.prepare(release, from: file, facts: facts) { stop.isSet }
      guard try installer.finish(prepared.entry, verifiesPackage: false) else {
        throw .download(
          reason: "the package of \(release.id) \(release.version) went away while it was installed")
      }
      return prepared.notices
    }
    downloads.forget(release)
    return notices
  }

  private func fetch(_ request: PackageRequest, meter: FetchMeter) async throws(MirrorError) -> File {
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
    meter.note(package.notes)
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
}

extension GameOutcome.Result {
  /// Whether something new stands.
  var isChange: Bool {
    switch self {
    case .installed, .updated, .removed: true
    case .unchanged, .failed: false
    }
  }
}
