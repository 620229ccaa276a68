internal import DepotModel

extension SyncPlan {
  init(_ found: Preparation.Outcome, _ preparation: Preparation) throws(MirrorError) {
    let (store, options) = (preparation.store, preparation.options)
    let forecast = RoomForecast(
      devices: preparation.devices, games: found.changes, width: SyncRun.width(options))
    let reclaim = try Reclaim(
      look: preparation.look, devices: preparation.devices, forecast: forecast,
      versions: try store.allVersions(), wanted: try store.wantedDigests(), doomed: found.deletion.doomed,
      keep: options.keep
    ).make()
    self.init()
    games = found.failures.compactMap { outcome in
      guard case .failed(let error) = outcome.result else { return nil }
      return Game(failing: outcome.game, installed: nil, error)
    }
    for (release, error) in found.findings.failures {
      let installed = try store.versions(of: release.id).first(where: \.isCurrent)
      games.append(Game(failing: release.id.text, installed: installed?.version, error))
    }
    games += found.findings.games.map { Game($0) }
    for id in found.deletion.doomed {
      let installed = try store.versions(of: id).first(where: \.isCurrent)
      games.append(Game(removing: id, installed: installed?.version))
    }
    games.sort { $0.game.utf8.lexicographicallyPrecedes($1.game.utf8) }
    untouched = max(
      0,
      try store.installedCount() - found.findings.games.count { $0.previous != nil }
        - found.deletion.doomed.count)
    devices = reclaim.devices
    bytesToReclaim = reclaim.bytes
    heldDeletion = found.deletion.held
    revision = found.revision
  }
}

extension SyncPlan.Game {
  fileprivate init(failing game: String, installed: H5Version?, _ error: MirrorError) {
    self.init(
      game: game, action: .fail, version: nil, installed: installed, bytesToFetch: 0, bytesToWrite: 0,
      filesToWrite: 0, error: error)
  }

  fileprivate init(removing id: GameID, installed: H5Version?) {
    self.init(
      game: id.text, action: .remove, version: nil, installed: installed, bytesToFetch: 0, bytesToWrite: 0,
      filesToWrite: 0, error: nil)
  }

  fileprivate init(_ game: PlannedGame) {
    let action: SyncPlan.Action =
      switch game.step {
      case .none: .unchanged
      case .activate: .activate
      case .install: game.previous == nil ? .install : .update
      }
    self.init(
      game: game.release.id.text, action: action, version: game.release.version,
      installed: game.previous?.version, bytesToFetch: game.bytesToFetch, bytesToWrite: game.bytesToWrite,
      filesToWrite: game.filesToWrite, error: nil)
  }
}
