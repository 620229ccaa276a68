internal import DepotModel
internal import Platform

/// What a start does before anything else: finishes sealed installs and removes what a crash left. Needs no network.
struct Recovery: Sendable {
  let disk: MirrorDisk
  let store: Store
  let installer: Installer

  /// Finishes what is in the journal. Returns the games where that failed: they are left alone in this run.
  func finishInstalls() throws(MirrorError) -> [GameID: MirrorError] {
    var failures: [GameID: MirrorError] = [:]
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

  /// Looks through every game for staging folders, unused links, versions and packages that no record speaks of: only
  /// after a run that could not tidy up after itself. What `current` names is never touched.
  func sweep() throws(MirrorError) {
    var recorded: [String: Set<String>] = [:]
    for version in try store.allVersions() {
      recorded[version.id.text, default: []].insert(version.version.text)
    }
    let sealed = Set(try store.journal().map(\.id.text))
    try onDisk { () throws(SystemError) in
      for name in try disk.games.names() where !sealed.contains(name) {
        guard let id = GameID(name), try disk.games.status(of: name)?.kind == .directory else { continue }
        let game = try disk.games.directory(name)
        try Installer.removeLeftovers(in: game)
        let current = try disk.currentVersion(of: id)?.text
        guard try game.status(of: MirrorDisk.versions)?.kind == .directory else { continue }
        // Without any record at all the store may be new, and the folders all there is: those are for the sync to judge.
        guard let known = recorded[name] else { continue }
        let versions = try game.directory(MirrorDisk.versions)
        for version in try versions.names() where version != current && !known.contains(version) {
          try versions.removeTree(version)
        }
      }
    }
  }

  /// Removes partial downloads of packages that nothing wants any more. Names that are not ours stay.
  func removeOrphanPartials() throws(MirrorError) {
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
