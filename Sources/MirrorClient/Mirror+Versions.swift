public import DepotModel
internal import Platform

/// A game whose version in use was chosen by hand.
public struct Rollback: Sendable, Hashable {
  /// The game.
  public let id: GameID
  /// What was in use before; nil when nothing was.
  public let from: H5Version?
  /// What is in use now.
  public let to: H5Version
}

extension Mirror {
  /// Lets an older version of a game be the one in use: `version`, or the one that was in use before. Needs no network, and
  /// is looked over first, as `verify` does without `--full`.
  ///
  /// Syncs leave the game alone from then on, until the server publishes something newer than what it offered at this time,
  /// or `endHold`. Throws `noMirror`, `locked`, `notInstalled`, `noSuchVersion`, and `damaged` when files of the version are
  /// not as they were installed: then nothing has changed.
  public func rollBack(
    _ id: GameID, to version: H5Version?, lockWait: Duration
  ) async throws(MirrorError) -> Rollback {
    try await MirrorSession.run(self, lockWait: lockWait) { (session) throws(MirrorError) in
      try rollBack(id, to: version, session)
    }
  }

  private func rollBack(
    _ id: GameID, to version: H5Version?, _ session: MirrorSession
  ) throws(MirrorError) -> Rollback {
    if let error = session.unfinished[id] { throw error }
    let versions = try session.store.versions(of: id)
    guard !versions.isEmpty else { throw .notInstalled(id.text) }
    let current = versions.first(where: \.isCurrent)
    let target =
      if let version {
        versions.first { $0.version == version }
      } else {
        // The one used last comes first.
        versions.first { !$0.isCurrent && $0.isUnpacked == (current?.isUnpacked ?? true) }
      }
    guard let target else {
      throw .noSuchVersion(
        game: id.text, version: version?.text, kept: versions.map(\.version.text))
    }
    let check = VersionCheck(root: session.disk.root, store: session.store, isFull: false) { false }
    // Players need no package, and what `current` names is about to change.
    let damage = try check.run(target).damages.filter {
      !$0.concernsCurrent && !($0.isPackage && target.isUnpacked)
    }
    let stands = try onDisk { () throws(SystemError) in try session.disk.standsUnlinked(target) }
    guard damage.isEmpty, stands else {
      throw .damaged(version: target.version.text, findings: MirrorError.firstOf(damage.map(\.description)))
    }
    // First the record: a crash before the link is moved is made good by the next run, as a rollback that was begun.
    try session.store.activate(target, heldSince: now())
    try session.installer.flip(to: target)
    return Rollback(id: id, from: current?.version, to: target.version)
  }

  /// Lets syncs bring a game forward again that was rolled back, and try again what they found bad of it. False when there
  /// was nothing to end. Throws `noMirror` and `locked`.
  public func endHold(of id: GameID, lockWait: Duration) async throws(MirrorError) -> Bool {
    try await MirrorSession.run(self, lockWait: lockWait) { (session) throws(MirrorError) in
      try session.store.release(id)
    }
  }

  /// Removes a game with all its versions, packages and unfinished downloads: first what is known of it, then the files, in
  /// one step for whoever plays. A later sync brings it back unless it is told to exclude it. Throws `noMirror`, `locked`,
  /// and `notInstalled` when there is nothing of it.
  public func remove(_ id: GameID, lockWait: Duration) async throws(MirrorError) {
    let isRemoved = try await MirrorSession.run(self, lockWait: lockWait) { (session) throws(MirrorError) in
      try GameRemoval(disk: session.disk, store: session.store, volume: volume).remove(id)
    }
    guard isRemoved else { throw .notInstalled(id.text) }
  }

  /// The files of a game's version in use, or of another that stands, with their digests; nil when that version does not
  /// stand here or its files were not recorded. Takes no lock and writes nothing: a record that an older version of this
  /// program left is read as it is, or throws.
  public func installedFiles(of id: GameID, _ version: H5Version? = nil) throws(MirrorError)
    -> InstalledFiles?
  {
    let store = try Store(root: standingDestination(), .look)
    let found = try store.versions(of: id).first { version == nil ? $0.isCurrent : $0.version == version }
    guard let found else { return nil }
    return try store.unpacked(id, found.version, found.sha256)?.files
  }
}
