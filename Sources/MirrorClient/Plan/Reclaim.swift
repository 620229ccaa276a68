internal import DepotModel
internal import Platform

/// What may be removed to make room for a plan, in the order in which it is missed least.
struct Reclaim: Sendable {
  /// One kind of it.
  enum Stage: CaseIterable, Sendable {
    /// Partial downloads of packages that nothing wants.
    case partials
    /// Games that are going to be deleted anyway.
    case deletions
    /// Versions beyond those kept, where fewer are kept than used to be.
    case surplus
    /// Versions that would go once their games are updated, and are not in use.
    case replaced
  }

  let look: MirrorLook
  let devices: DiskDevices
  let forecast: RoomForecast
  let versions: [InstalledVersion]
  /// Digests of the partial downloads that stay, in hex.
  let wanted: Set<String>
  let doomed: [GameID]
  let keep: Int

  /// Whether the plan fits once these have gone, and what they are.
  struct Outcome: Sendable {
    /// Which kinds are needed; none when it fits as it is, or not even with all.
    var stages: [Stage] = []
    var versions: Set<InstalledVersion> = []
    var partials: [String] = []
    var bytes: Int64 = 0
    var devices: [SyncPlan.Device]

    var fits: Bool { devices.allSatisfy(\.isEnough) }
  }

  /// Takes one kind after the other until it fits. When it does not even with all of them, says what is missing then, and
  /// that nothing is to be removed: what is here would be lost for nothing.
  func make() throws(MirrorError) -> Outcome {
    var outcome = Outcome(devices: try forecast.forecast())
    if outcome.fits { return outcome }
    let games = Dictionary(grouping: versions, by: \.id).mapValues(StandingVersions.init)
    var credit = [RoomNeed](repeating: .none, count: devices.devices.count)
    // A version that is to come into use stands for that.
    var spared: Set<InstalledVersion> = []
    for game in forecast.games { if case .activate(let version) = game.step { spared.insert(version) } }
    for stage in Stage.allCases {
      var found: [InstalledVersion] = []
      switch stage {
      case .partials:
        for partial in try look.partials([:]) where !wanted.contains(partial.sha256) {
          outcome.partials.append(partial.sha256)
          outcome.bytes += partial.size
          credit = zip(credit, devices.freed(partials: partial.size)).map { $0 + $1 }
        }
      case .deletions: found = doomed.flatMap { games[$0]?.all ?? [] }
      case .surplus: found = games.values.flatMap { $0.surplus(keep: keep) }
      case .replaced: found = forecast.games.flatMap { $0.replaced.filter { !$0.isCurrent } }
      }
      for version in found where !spared.contains(version) && outcome.versions.insert(version).inserted {
        credit = zip(credit, devices.freed(by: version)).map { $0 + $1 }
        outcome.bytes += version.size + version.unpackedSize
      }
      outcome.stages.append(stage)
      outcome.devices = try forecast.forecast(without: outcome.versions, credit: credit)
      if outcome.fits { return outcome }
    }
    return Outcome(devices: outcome.devices)
  }
}
