internal import DepotModel
internal import Platform

/// One sync, from top to bottom, under the lock.
struct SyncRun: Sendable {
  /// Games a run looks at of which it has heard nothing new: few enough to cost no time.
  static let unaskedLooks = 200

  let disk: MirrorDisk
  let store: Store
  let installer: Installer
  let source: any DepotSource
  let fetcher: any PackageFetching
  let options: SyncOptions
  let stop: StopFlag
  let observer: SyncObserver

  func run() async throws(MirrorError) -> SyncReport {
    let recovery = Recovery(disk: disk, store: store, installer: installer)
    let before = try store.state()
    let unfinished = try recovery.finishInstalls()
    if before.isUnfinished { try recovery.sweep() }

    let answer = try await check(before)
    if stop.isSet { throw .cancelled }
    var report = SyncReport()
    report.revision = answer.unreadable.isEmpty && source.tellsChanges ? answer.point.revision : nil
    report.outcomes = answer.unreadable.map { game in
      GameOutcome(
        game: game.game, result: .failed(.badAnswer(url: source.name, reason: game.reason)), bytesFetched: 0)
    }
    report.outcomes += unfinished.map { id, error in
      GameOutcome(game: id.text, result: .failed(error), bytesFetched: 0)
    }
    report.outcomes += try missing(answer)

    let pending = try store.pendingTargets().filter {
      options.selection.includes($0.id) && unfinished[$0.id] == nil
    }
    if !pending.isEmpty {
      try store.markUnfinished()
      try await bringInStep(pending, into: &report)
    }
    report.outcomes.sort { $0.game.utf8.lexicographicallyPrecedes($1.game.utf8) }
    if stop.isSet { throw .cancelled }
    try report.removedOnServer = answer.isComplete || !answer.removed.isEmpty ? gamesWithoutTarget() : []
    if !pending.isEmpty || before.isUnfinished || !answer.removed.isEmpty {
      try recovery.removeOrphanPartials()
    }
    let stamp = try onDisk { () throws(SystemError) in try disk.stamp }
    // What could not be tidied up stays on the list of the next run.
    if report.warnings.isEmpty, !pending.isEmpty || before.isUnfinished || before.stamp != stamp {
      try store.markFinished(stamp: stamp)
    }
    return report
  }

  private func check(_ before: Store.State) async throws(MirrorError) -> Check.Answer {
    let check = Check(source: source, channel: options.channel, serverName: source.name)
    let isSameChannel = before.channel == options.channel.text
    let answer = try await check.run(since: isSameChannel ? before.point : nil)
    let scope = "unpacks=\(options.unpacks) \(options.selection.signature)"
    let stamp = try onDisk { () throws(SystemError) in try disk.stamp }
    let looksAtAll = before.scope != scope || before.stamp != stamp || before.isUnfinished
    // What could not be read must come again: on a listing by asking for everything, on changes by asking since then.
    let point = answer.unreadable.isEmpty ? answer.point : (answer.isComplete ? nil : before.point)
    let offers = Store.Offers(
      isComplete: answer.isComplete,
      point: source.tellsChanges ? point : nil,
      channel: options.channel.text, scope: scope, offered: answer.offered, removed: answer.removed,
      unreadable: Set(answer.unreadable.map(\.game)))
    if looksAtAll || answer.isComplete || !answer.offered.isEmpty || !answer.removed.isEmpty
      || offers.point != before.point
    {
      try store.apply(offers, looksAtAll: looksAtAll)
    }
    if !looksAtAll { try lookUnasked() }
    return answer
  }

  /// Finds what somebody removed or turned aside by hand below a game's folder, which the stamp does not tell: at once
  /// in a mirror of a few games, in one with many in the course of some runs.
  private func lookUnasked() throws(MirrorError) {
    var broken: [GameID] = []
    for version in try store.someInUse(atMost: Self.unaskedLooks) {
      if try onDisk({ () throws(SystemError) in try !disk.stands(version) }) { broken.append(version.id) }
    }
    if !broken.isEmpty { try store.markOutOfStep(broken) }
  }

  /// Games asked for by name that the server does not have.
  private func missing(_ answer: Check.Answer) throws(MirrorError) -> [GameOutcome] {
    let unreadable = Set(answer.unreadable.map(\.game))
    var outcomes: [GameOutcome] = []
    for id in options.selection.only where options.selection.includes(id) && !unreadable.contains(id.text) {
      if try !store.hasTarget(id) {
        outcomes.append(GameOutcome(game: id.text, result: .failed(.unknownGame(id.text)), bytesFetched: 0))
      }
    }
    return outcomes
  }

  private func gamesWithoutTarget() throws(MirrorError) -> [GameID] {
    let targets = try store.targetSummaries()
    return try store.allVersions().filter { $0.isCurrent && targets[$0.id.text] == nil }.map(\.id)
  }

  private func bringInStep(_ games: [Release], into report: inout SyncReport) async throws(MirrorError) {
    observer(
      .planned(
        games: games.count, bytes: games.reduce(0) { $0.addingReportingOverflow($1.size).partialValue }))
    // More games than downloads: while some are unpacked, others are on the wire.
    let width = options.concurrency + 2
    let workers = try onDisk { () throws(SystemError) in
      try WorkerThreads(count: min(width, games.count), name: "install")
    }
    let downloads = try MirrorDownloads(
      store: store, partials: disk.partials, maximumActive: options.concurrency, order: options.order)
    let sync = GameSync(
      disk: disk, store: store, installer: installer, source: source, fetcher: fetcher,
      unpacks: options.unpacks, usesDelta: options.usesDelta,
      downloads: downloads, turns: DigestTurns(), room: RoomLedger(disk.root),
      workers: workers, stop: stop,
      observer: observer)
    let done = await withTaskGroup(of: GameSync.Done.self) { group in
      var rest = (options.order == .fifo ? games : games.reversed())[...]
      for release in rest.prefix(width) { group.addTask { await sync.run(release) } }
      rest = rest.dropFirst(width)
      var done: [GameSync.Done] = []
      while let one = await group.next() {
        done.append(one)
        if let release = rest.popFirst(), !stop.isSet { group.addTask { await sync.run(release) } }
      }
      return done
    }
    workers.shutdown()
    // A receipt that cannot be written is a line less in `status`; what else cannot be written has been told.
    try? await downloads.close()
    report.outcomes += done.map(\.outcome)
    report.warnings += done.compactMap(\.warning)
  }
}
