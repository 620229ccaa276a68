internal import DepotModel
internal import Platform
internal import ZipArchive

/// What a sync finds out before it changes anything but its own records, and all that a plan of one is made of.
struct Preparation: Sendable {
  /// Games a run looks at of which it has heard nothing new: few enough to cost no time.
  static let unaskedLooks = 200

  let look: MirrorLook
  let devices: DiskDevices
  let store: Store
  let source: any DepotSource
  let fetcher: (any PackageFetching)?
  let options: SyncOptions
  let limits: ZipLimits
  let now: @Sendable () -> Timestamp
  let isOver: @Sendable () -> Bool

  /// What was found out.
  struct Outcome: Sendable {
    var answer: Check.Answer
    /// Games that fail whatever is done.
    var failures: [GameOutcome]
    var findings: Planner.Findings
    var deletion: Deletion

    /// The games something is to be done about, in the order in which they are begun.
    var changes: [PlannedGame]
    /// Whether the run looks at any game.
    var isPending: Bool { !findings.games.isEmpty || !findings.failures.isEmpty || !findings.left.isEmpty }
    /// The catalogue's, when all of the answer could be read.
    var revision: Int64?
  }

  /// Asks the server, takes its answer into the store and looks at every game that may not be in step, save those in
  /// `unfinished`, which fail with that.
  func run(_ before: Store.State, unfinished: [GameID: MirrorError]) async throws(MirrorError) -> Outcome {
    let answer = try await check(before)
    var failures = answer.unreadable.map { game in
      Self.failure(game.game, .badAnswer(url: source.name, reason: game.reason))
    }
    failures += unfinished.map { id, error in Self.failure(id.text, error) }
    failures += try missing(answer)
    let pending = try store.pendingTargets().filter {
      options.selection.includes($0.id) && unfinished[$0.id] == nil
    }
    let planner = Planner(
      look: look, devices: devices, store: store, source: source, fetcher: fetcher, options: options,
      limits: limits, now: now, isOver: isOver)
    let findings = try await planner.plan(pending)
    try store.markInStep(findings.games.filter { !$0.isChange }.map(\.release.id))
    let changes = findings.games.filter(\.isChange)
    return Outcome(
      answer: answer, failures: failures, findings: findings, deletion: try deletion(before, answer),
      changes: options.order == .fifo ? changes : changes.reversed(),
      revision: answer.unreadable.isEmpty && source.tellsChanges ? answer.point.revision : nil)
  }

  static func failure(_ game: String, _ error: MirrorError) -> GameOutcome {
    GameOutcome(game: game, result: .failed(error), bytesFetched: 0)
  }

  private func check(_ before: Store.State) async throws(MirrorError) -> Check.Answer {
    let check = Check(source: source, channel: options.channel, serverName: source.name)
    let isSameChannel = before.channel == options.channel.text
    var answer = try await check.run(since: isSameChannel ? before.point : nil)
    let scope = "unpacks=\(options.unpacks) \(options.selection.signature)"
    let stamp = try onDisk { () throws(SystemError) in try look.stamp }
    let looksAtAll = before.scope != scope || before.stamp != stamp || before.isUnfinished
    // What could not be read must come again: on a listing by asking for everything, on changes by asking since then.
    let point = answer.unreadable.isEmpty ? answer.point : (answer.isComplete ? nil : before.point)
    let offers = Store.Offers(
      isComplete: answer.isComplete, point: source.tellsChanges ? point : nil,
      // What was carried here has no catalogue of its own.
      seen: source.tellsChanges ? answer.point : before.seen, channel: options.channel.text, scope: scope,
      offered: answer.offered,
      removed: answer.removed, unreadable: Set(answer.unreadable.map(\.game)))
    if looksAtAll || answer.isComplete || !answer.offered.isEmpty || !answer.removed.isEmpty
      || offers.point != before.point
    {
      try store.apply(offers, looksAtAll: looksAtAll)
    }
    // From here on the store knows them: a long list is not held twice.
    answer.offered = []
    if !looksAtAll { try lookUnasked() }
    return answer
  }

  /// Finds what somebody removed or turned aside by hand below a game's folder, which the stamp does not tell: at once
  /// in a mirror of a few games, in one with many in the course of some runs.
  private func lookUnasked() throws(MirrorError) {
    var broken: [GameID] = []
    for version in try store.someInUse(atMost: Self.unaskedLooks) where try !look.stands(version) {
      broken.append(version.id)
    }
    if !broken.isEmpty { try store.markOutOfStep(broken) }
  }

  /// Games asked for by name that the server does not have.
  private func missing(_ answer: Check.Answer) throws(MirrorError) -> [GameOutcome] {
    let unreadable = Set(answer.unreadable.map(\.game))
    var outcomes: [GameOutcome] = []
    for id in options.selection.only where options.selection.includes(id) && !unreadable.contains(id.text) {
      if try !store.hasTarget(id) { outcomes.append(Self.failure(id.text, .unknownGame(id.text))) }
    }
    return outcomes
  }

  /// Costs nothing when the server named nothing that is gone, and nothing is to be deleted.
  private func deletion(_ before: Store.State, _ answer: Check.Answer) throws(MirrorError) -> Deletion {
    let isAsked = options.deletionLimit != nil || answer.isComplete || !answer.removed.isEmpty
    guard isAsked || before.doubt != nil else { return Deletion() }
    let gone = try store.gamesWithoutTarget()
    var doubt: String?
    if !gone.isEmpty {
      let isEmpty = try store.targetCount() == 0
      doubt =
        Deletion.doubt(
          seen: source.tellsChanges ? before.seen : nil, now: answer.point, isEmpty: isEmpty) ?? before.doubt
    }
    // A restored catalogue is as good as another once nothing is missing in it.
    if doubt != before.doubt { try store.noteDoubt(doubt) }
    return Deletion(
      gone: isAsked ? gone : [], installed: try store.installedCount(), limit: options.deletionLimit,
      selection: options.selection, doubt: doubt, isReadable: answer.unreadable.isEmpty)
  }
}
