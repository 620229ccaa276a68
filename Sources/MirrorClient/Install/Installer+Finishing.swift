internal import DepotModel
internal import Platform

extension Installer {
  /// Finishes a sealed install, from wherever an earlier attempt came to. False when what it needs is gone: then the
  /// game is as it was, or is rebuilt from its package by the next sync. `verifiesPackage`: after a restart nothing is
  /// taken on trust. Throws `unsound`, with the game as it was, when a file does not stand once the version is in place.
  @discardableResult
  func finish(_ entry: JournalEntry, verifiesPackage: Bool) throws(MirrorError) -> Bool {
    if entry.isUndone {
      let mark = try store.badVersions().first { $0.id == entry.id && $0.sha256 == entry.sha256 }
      try undo(entry)
      throw .unsound(
        version: entry.version.text, until: mark?.until.description ?? "", reason: mark?.reason ?? "")
    }
    if entry.keepsPackage {
      guard try placePackage(entry, verifies: verifiesPackage) else { return false }
    }
    if entry.isUnpacked {
      let game = try onDisk { () throws(SystemError) in try disk.gameFolder(entry.id, volume: volume) }
      guard try onDisk({ () throws(SystemError) in try placeFolder(entry, in: game) }) else { return false }
      try onDisk { () throws(SystemError) in try flip(game, to: entry.version, tag: entry.sha256) }
      if let reason = try HealthCheck(disk: disk, store: store).problem(with: entry) {
        let until = Timestamp(seconds: now().seconds + BadVersion.period)
        try store.condemn(entry, until: until, now: now(), reason: reason)
        try undo(entry)
        throw .unsound(version: entry.version.text, until: until.description, reason: reason)
      }
    }
    try store.record(entry, at: now())
    // What the package replaced, or the package itself when it is not kept; at the latest it goes with the partials that
    // nothing wants.
    _ = try? volume.remove(MirrorDisk.partialName(entry.sha256), in: disk.partials)
    return true
  }

  private func placePackage(_ entry: JournalEntry, verifies: Bool) throws(MirrorError) -> Bool {
    let packages = try onDisk { () throws(SystemError) in try disk.packageFolder(entry.id, volume: volume) }
    let partialName = MirrorDisk.partialName(entry.sha256)
    let packageName = MirrorDisk.packageName(entry.version)
    let partial = try onDisk { () throws(SystemError) in try disk.partials.status(of: partialName) }
    if let partial, partial.kind == .regular, partial.size == entry.size,
      verifies ? try matches(entry, disk.partials, partialName) : true
    {
      try onDisk { () throws(SystemError) in
        let standing = try packages.status(of: packageName)
        if standing?.kind == .directory {
          // Not a package, whoever put it there, and rename(2) does not replace it.
          try packages.removeTree(packageName)
        }
        let move = PackageMove(volume: volume)
        if standing?.kind == .regular, entry.isUnpacked {
          // Other bytes under the same version: they are needed again should this install be undone.
          try move.exchange(partialName, in: disk.partials, with: packageName, in: packages)
        } else {
          try move.move(partialName, in: disk.partials, to: packageName, in: packages)
        }
      }
      return true
    }
    let package = try onDisk { () throws(SystemError) in try packages.status(of: packageName) }
    guard let package, package.kind == .regular, package.size == entry.size else { return false }
    return verifies ? try matches(entry, packages, packageName) : true
  }

  private func matches(_ entry: JournalEntry, _ folder: Directory, _ name: String) throws(MirrorError) -> Bool
  {
    let file = try onDisk { () throws(SystemError) in try folder.file(name, mode: .read) }
    return try MirrorDisk.sha256(of: file) { false } == entry.sha256
  }

  /// The folder that was unpacked into is known by its inode, whatever name it has come to: a swap that was or was not
  /// done looks the same otherwise.
  private func placeFolder(_ entry: JournalEntry, in game: Directory) throws(SystemError) -> Bool {
    let staging = MirrorDisk.stagingName(entry.version, entry.sha256)
    let versions = try game.directory(MirrorDisk.versions)
    let standing = try versions.status(of: entry.version.text)
    if standing?.inode == entry.stagingInode { return true }
    guard try game.status(of: staging)?.inode == entry.stagingInode else { return false }
    if standing == nil {
      try volume.rename(staging, in: game, to: entry.version.text, in: versions)
    } else {
      // Other bytes under the same version: `current` may point here, so the folder must not be missing for a moment.
      try volume.exchange(staging, in: game, with: entry.version.text, in: versions)
    }
    try volume.synchronize(versions)
    try volume.synchronize(game)
    return true
  }

  /// Lets `current` name another version: a new symlink, moved over the old one by rename(2).
  func flip(_ game: Directory, to version: H5Version, tag: SHA256Digest) throws(SystemError) {
    let target = MirrorDisk.currentTarget(version)
    if try game.symlinkTarget(MirrorDisk.current) == target { return }
    let name = MirrorDisk.temporaryLinkName(tag)
    try volume.removeTree(name, in: game)
    try volume.createSymlink(name, to: target, in: game)
    if try game.status(of: MirrorDisk.current)?.kind == .directory {
      // A copy that followed symlinks made a folder of it, which rename(2) does not replace.
      try volume.exchange(name, in: game, with: MirrorDisk.current, in: game)
      // What stays of the folder goes with the leftovers of the next install.
      _ = try? game.removeTree(name)
    } else {
      try volume.rename(name, in: game, to: MirrorDisk.current, in: game)
    }
    try volume.synchronize(game)
  }

  // MARK: Taking it back

  /// Puts back what was there before a condemned install, from wherever an earlier attempt came to, and ends it. Its
  /// package goes back to the partials: should the version be tried again, it is not fetched again.
  private func undo(_ entry: JournalEntry) throws(MirrorError) {
    try onDisk { () throws(SystemError) in
      let game = try disk.gameFolder(entry.id, volume: volume)
      try undoFolder(entry, in: game)
      try removeLeftovers(in: game)
    }
    if entry.keepsPackage { try undoPackage(entry) }
    try store.drop(entry)
  }

  private func undoFolder(_ entry: JournalEntry, in game: Directory) throws(SystemError) {
    let versions = try game.directory(MirrorDisk.versions)
    guard try versions.status(of: entry.version.text)?.inode == entry.stagingInode else { return }
    let staging = MirrorDisk.stagingName(entry.version, entry.sha256)
    let hasOlder = try game.status(of: staging)?.kind == .directory
    if let previous = entry.previous, previous != entry.version,
      try versions.status(of: previous.text)?.kind == .directory
    {
      try flip(game, to: previous, tag: entry.sha256)
    } else if entry.previous != entry.version || !hasOlder,
      try game.symlinkTarget(MirrorDisk.current) == MirrorDisk.currentTarget(entry.version)
    {
      // Nothing was current before, or it is gone: nothing is now.
      try volume.remove(MirrorDisk.current, in: game)
      try volume.synchronize(game)
    }
    if hasOlder {
      try volume.exchange(staging, in: game, with: entry.version.text, in: versions)
    } else {
      try volume.rename(entry.version.text, in: versions, to: staging, in: game)
    }
    try volume.synchronize(versions)
    try volume.synchronize(game)
  }

  private func undoPackage(_ entry: JournalEntry) throws(MirrorError) {
    let packages = try onDisk { () throws(SystemError) in try disk.packageFolder(entry.id, volume: volume) }
    let name = MirrorDisk.packageName(entry.version)
    let partialName = MirrorDisk.partialName(entry.sha256)
    let older = try store.versions(of: entry.id).first { $0.version == entry.version }
    let package = try onDisk { () throws(SystemError) in try packages.status(of: name) }
    guard older?.sha256 != entry.sha256, let package, package.kind == .regular, package.size == entry.size,
      try matches(entry, packages, name)
    else { return }
    try onDisk { () throws(SystemError) in
      if try disk.partials.status(of: partialName) != nil {
        try volume.exchange(partialName, in: disk.partials, with: name, in: packages)
      } else {
        try PackageMove(volume: volume).move(name, in: packages, to: partialName, in: disk.partials)
      }
      try volume.synchronize(packages)
      try volume.synchronize(disk.partials)
    }
  }
}
