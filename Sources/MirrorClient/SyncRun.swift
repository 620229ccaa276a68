internal import DepotModel
internal import Platform

/// One sync, from top to bottom, under the lock.
struct SyncRun: Sendable {
  let disk: MirrorDisk
  let store: Store
  let installer: Installer
  let source: any DepotSource
  let fetcher: any PackageFetching
  let options: SyncOptions
  let stop: StopFlag
  let limit: TimeLimit
  let observer: SyncObserver

  /// Games under way at a time, more than are downloaded: while some are unpacked, others are on the wire.
  static func width(_ options: SyncOptions) -> Int { options.concurrency + 2 }

  func run() async throws(MirrorError) -> SyncReport {
    let recovery = Recovery(disk: disk, store: store, installer: installer)
    let removal = GameRemoval(disk: disk, store: store, volume: installer.volume)
    let before = try store.state()
    // A run that failed in the middle of an install may have tidied up after all others.
    let (begun, doomed) = (try store.journal(), try store.removals())
    let isUntidy = before.isUnfinished || !begun.isEmpty || !doomed.isEmpty
    var unfinished = try removal.finish()
    unfinished.merge(try recovery.finishInstalls()) { first, _ in first }
    if before.isUnfinished { try recovery.sweep() }

    let devices = try onDisk { () throws(SystemError) in
      try DiskDevices(root: disk.root, destination: disk.root.path)
    }
    let stop = stop
    let limit = limit
    let preparation = Preparation(
      look: disk.look, devices: devices, store: store, source: source, fetcher: fetcher, options: options,
      limits: installer.limits, now: installer.now, isOver: { stop.isSet || limit.isOver })
    let found = try await preparation.run(before, unfinished: unfinished)
    if stop.isSet { throw .cancelled }

    var report = SyncReport()
    report.revision = found.revision
    report.outcomes = found.failures
    report.left = found.findings.left.map(\.id)
    for (release, error) in found.findings.failures {
      // Its place in `status` only; the failure itself is told anyway.
      try? store.noteFailure(release.id, error)
      tell(Preparation.failure(release.id.text, error), &report)
    }
    for game in found.findings.games where !game.isChange {
      tell(
        GameOutcome(
          game: game.release.id.text, result: .unchanged(game.previous?.version ?? game.release.version),
          bytesFetched: 0),
        &report)
    }
    let changes = found.changes
    if !changes.isEmpty || !found.deletion.doomed.isEmpty { try store.markUnfinished() }
    if !changes.isEmpty {
      try makeRoom(for: changes, found.deletion, devices, recovery)
      try await bringInStep(changes, devices, into: &report)
    }
    if stop.isSet { throw .cancelled }
    try delete(found.deletion, removal, into: &report)
    report.outcomes.sort { $0.game.utf8.lexicographicallyPrecedes($1.game.utf8) }
    if found.isPending || isUntidy || !found.answer.removed.isEmpty || !found.deletion.doomed.isEmpty {
      try recovery.removeOrphanPartials()
    }
    let stamp = try onDisk { () throws(SystemError) in try disk.look.stamp }
    // What could not be tidied up stays on the list of the next run.
    if report.warnings.isEmpty, found.isPending || isUntidy || before.stamp != stamp {
      try store.markFinished(stamp: stamp)
    }
    return report
  }

  private func tell(_ outcome: GameOutcome, _ report: inout SyncReport) {
    report.outcomes.append(outcome)
    observer(.finished(outcome))
  }

  /// Removes what may go when that is what it takes. Throws when there is not room for all games: which of them to go
  /// without is not for a program to choose.
  private func makeRoom(
    for games: [PlannedGame], _ deletion: Deletion, _ devices: DiskDevices, _ recovery: Recovery
  ) throws(MirrorError) {
    let forecast = RoomForecast(devices: devices, games: games, width: Self.width(options))
    let first = try forecast.forecast()
    if first.allSatisfy(\.isEnough) { return }
    let outcome = try Reclaim(
      look: disk.look, devices: devices, forecast: forecast, versions: try store.allVersions(),
      wanted: try store.wantedDigests(), doomed: deletion.doomed, keep: options.keep
    ).make()
    guard outcome.fits else { throw .noRoomForAll(outcome.devices) }
    if outcome.stages.contains(.partials) { try recovery.removeOrphanPartials() }
    for version in outcome.versions.sorted(by: { ($0.id, $0.version.text) < ($1.id, $1.version.text) }) {
      try installer.discard(version.id, version.version)
    }
    // What was freed is less than its sizes say where versions share files.
    let second = try forecast.forecast(without: outcome.versions)
    guard second.allSatisfy(\.isEnough) else { throw .noRoomForAll(second) }
  }

  private func bringInStep(
    _ games: [PlannedGame], _ devices: DiskDevices, into report: inout SyncReport
  ) async throws(MirrorError) {
    observer(
      .planned(
        games: games.count,
        bytes: games.reduce(0) { $0.addingReportingOverflow($1.bytesToFetch).partialValue }))
    let width = Self.width(options)
    let workers = try onDisk { () throws(SystemError) in
      try WorkerThreads(count: min(width, games.count), name: "install")
    }
    let downloads = try MirrorDownloads(
      store: store, partials: disk.partials, maximumActive: options.concurrency, order: options.order)
    let sync = GameSync(
      disk: disk, store: store, installer: installer, fetcher: fetcher,
      downloads: downloads, turns: DigestTurns(), room: RoomLedger(devices),
      workers: workers, stop: stop, observer: observer)
    let (limit, stop) = (limit, stop)
    let (done, rest) = await withTaskGroup(of: GameSync.Done?.self) { group in
      if limit.isLimited {
        group.addTask {
          await limit.wait()
          return nil
        }
      }
      var rest = games[...]
      var running = 0
      var done: [GameSync.Done] = []
      repeat {
        while running < width, !stop.isSet, !limit.isOver, let game = rest.popFirst() {
          group.addTask { await sync.run(game) }
          running += 1
        }
        guard running > 0, let one = await group.next() else { break }
        if let one {
          done.append(one)
          running -= 1
        } else if limit.isOver {
          // Downloads stop where they are; what is being unpacked is brought to its end.
          group.cancelAll()
        }
      } while true
      limit.end()
      return (done, rest)
    }
    workers.shutdown()
    // A receipt that cannot be written is a line less in `status`; what else cannot be written has been told.
    try? await downloads.close()
    report.left += rest.map(\.release.id)
    for one in done {
      if case .failed(.cancelled) = one.outcome.result, let id = GameID(one.outcome.game) {
        report.left.append(id)
      } else {
        report.outcomes.append(one.outcome)
      }
    }
    report.warnings += done.compactMap(\.warning)
    report.notes += done.flatMap(\.notes)
    report.notices += done.flatMap(\.notices)
  }

  private func delete(
    _ deletion: Deletion, _ removal: GameRemoval, into report: inout SyncReport
  ) throws(MirrorError) {
    report.heldDeletion = deletion.held
    report.removedOnServer = deletion.gone
    for id in deletion.doomed {
      if stop.isSet { throw .cancelled }
      let current = try store.versions(of: id).first(where: \.isCurrent)
      do throws(MirrorError) {
        try removal.remove(id)
        report.removedOnServer.removeAll { $0 == id }
        tell(GameOutcome(game: id.text, result: .removed(current?.version), bytesFetched: 0), &report)
      } catch {
        tell(Preparation.failure(id.text, error), &report)
      }
    }
  }
}
