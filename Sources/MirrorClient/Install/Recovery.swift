internal import DepotModel
internal import Platform

/// What a start does before anything else: finishes sealed installs and removes what a crash left. Needs no network.
struct Recovery: Sendable {
  let disk: MirrorDisk
  let store: Store
  let installer: Installer

  /// Finishes what is in the journal, and rollbacks that have begun. Returns the games where an install failed, or was found
  /// bad: they are left alone in this run.
  func finishInstalls() throws(MirrorError) -> [GameID: MirrorError] {
    var failures: [GameID: MirrorError] = [:]
    for hold in try store.holds() {
      do throws(MirrorError) { try finish(hold) } catch { failures[hold.id] = error }
    }
    for entry in try store.journal() {
      do throws(MirrorError) {
        if try !installer.finish(entry, verifiesPackage: true) { try store.drop(entry) }
        try installer.tidy(entry.id)
      } catch {
        failures[entry.id] = error
      }
    }
    return failures
  }

  /// Lets `current` name what the game was rolled back to, if that stands.
  private func finish(_ hold: Hold) throws(MirrorError) {
    let version = try store.versions(of: hold.id).first { $0.isCurrent && $0.version == hold.version }
    guard let version, version.isUnpacked else { return }
    let (isNamed, stands) = try onDisk { () throws(SystemError) in
      (try disk.currentVersion(of: hold.id) == hold.version, try disk.standsUnlinked(version))
    }
    if !isNamed, stands { try installer.flip(to: version) }
  }

  /// Looks through every game for staging folders, unused links, versions and packages that no record speaks of and
  /// nothing wants: only after a run that could not tidy up after itself. What `current` names is never touched.
  func sweep() throws(MirrorError) {
    var known: [String: Set<String>] = [:]
    var packages: [String: Set<String>] = [:]
    for version in try store.allVersions() {
      known[version.id.text, default: []].insert(version.version.text)
      if version.hasPackage { packages[version.id.text, default: []].insert(version.version.text) }
    }
    let recorded = Set(known.keys)
    for release in try store.pendingTargets() {
      known[release.id.text, default: []].insert(release.version.text)
      packages[release.id.text, default: []].insert(release.version.text)
    }
    let sealed = Set(try store.journal().map(\.id.text))
    try onDisk { () throws(SystemError) in
      for name in try disk.games.names() where !sealed.contains(name) {
        guard let id = GameID(name), try disk.games.status(of: name)?.kind == .directory else { continue }
        try installer.removeLeftovers(in: disk.games.directory(name))
        // Without any record at all the store may be new, and the folders all there is: those are for the sync to judge.
        guard recorded.contains(name), let versions = known[name] else { continue }
        let current = try disk.currentVersion(of: id)?.text
        try removeUnknown(in: "\(name)/\(MirrorDisk.versions)", of: disk.games) { version in
          version == current || versions.contains(version)
        }
        try removeUnknown(in: name, of: disk.packages) { package in
          package != PackageMove.copyName
            && (!package.hasSuffix(".zip") || packages[name]?.contains(String(package.dropLast(4))) == true)
        }
      }
    }
  }

  private func removeUnknown(
    in path: String, of parent: Directory, isKnown: (String) -> Bool
  ) throws(SystemError) {
    guard try parent.status(of: path)?.kind == .directory else { return }
    let folder = try parent.directory(path)
    for name in try folder.names() where !isKnown(name) { try folder.removeTree(name) }
  }

  /// Removes partial downloads of packages that nothing wants any more, and their receipts. Names that are not ours stay.
  func removeOrphanPartials() throws(MirrorError) {
    try store.forgetUnwantedReceipts()
    let wanted = try store.wantedDigests()
    try onDisk { () throws(SystemError) in
      for name in try disk.partials.names() {
        let stem = String(name.prefix { $0 != "." })
        guard let digest = SHA256Digest(hex: stem), !wanted.contains(digest.hex) else { continue }
        try disk.partials.removeTree(name)
      }
    }
  }
}
