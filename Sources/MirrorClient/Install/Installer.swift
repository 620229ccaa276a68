internal import DepotModel
internal import Platform
internal import ZipArchive

/// Puts a verified package in place, so that at every moment what `current` names is whole and a crash leaves either the
/// old version or the new one.
///
/// The order is the promise: unpack beside everything → fsync → seal in the journal → move the package → move the folder
/// (or swap it with the one of the same name) → flip `current` → record → remove what is no longer kept. From the seal on
/// everything needed is on this disk, and `finish` can be repeated from any point of it. Blocks; one call per game at a
/// time.
struct Installer: Sendable {
  let disk: MirrorDisk
  let store: Store
  let volume: any Volume
  let limits: ZipLimits
  let keep: Int
  let passwords: PackagePasswords
  let now: @Sendable () -> Timestamp

  /// Unpacks beneath the game's folder, under a name that nothing else looks at, and seals the install. `facts` are the
  /// server's verdicts: they shape paths, the rules are judged here again. With nil the package is only kept.
  func prepare(
    _ release: Release, from file: File, facts: UnpackingFacts?, isCancelled: @escaping @Sendable () -> Bool
  ) throws(MirrorError) -> JournalEntry {
    guard let facts else {
      let entry = JournalEntry(release: release, unpackedSize: 0, stagingInode: nil)
      try store.seal(entry)
      return entry
    }
    // The server's verdict counts: a mirror that found out for itself could come to other paths.
    guard let encoding = NamesEncoding(facts.namesEncoding) else {
      throw MirrorError(
        .refused([
          Finding(
            .nameEncoding,
            "the server reads its names as \(facts.namesEncoding); known here are \(NamesEncoding.list)")
        ]))
    }
    let options = PackageOptions(limits: limits, root: facts.root, namesEncoding: encoding)
    let locked = try onPackage { () throws(ZipError) in try PackageReader(file: file, options: options) }
    guard locked.plan.isAccepted else {
      throw MirrorError(.refused(locked.plan.findings.filter { $0.severity == .error }))
    }
    let reader = try unlock(locked, of: release.id, isCancelled)
    // The room was judged by what the server said; a server may be wrong.
    if reader.plan.unpackedSize > facts.unpackedSize || reader.plan.files.count > facts.fileCount {
      try RoomNeed(bytes: reader.plan.unpackedSize, files: reader.plan.files.count).check(
        in: disk.root, reserved: .none)
    }
    let game = try onDisk { () throws(SystemError) in try disk.gameFolder(release.id, volume: volume) }
    let name = MirrorDisk.stagingName(release.version, release.sha256)
    try onDisk { () throws(SystemError) in try Self.removeLeftovers(in: game) }
    do throws(MirrorError) {
      let inode = try onDisk { () throws(SystemError) in
        try game.createDirectory(name)
        return try game.status(of: name)?.inode
      }
      let staging = try onDisk { () throws(SystemError) in try game.directory(name) }
      try onPackage { () throws(ZipError) in
        try reader.unpack(into: staging, volume: volume, options: .install, isCancelled: isCancelled)
      }
      try onDisk { () throws(SystemError) in
        try volume.synchronize(staging)
        try volume.synchronize(game)
      }
      let entry = JournalEntry(release: release, unpackedSize: reader.plan.unpackedSize, stagingInode: inode)
      try store.seal(entry)
      return entry
    } catch {
      // What failed is what to tell; what stays here is removed before the next install of the game.
      _ = try? game.removeTree(name)
      throw error
    }
  }

  /// The package as it is when nothing in it is encrypted; else open by the first password that is right for all of it.
  private func unlock(
    _ reader: PackageReader, of id: GameID, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(MirrorError) -> PackageReader {
    guard reader.isEncrypted else { return reader }
    var failure = MirrorError.passwordNeeded
    for password in passwords.candidates(for: id) {
      do throws(MirrorError) {
        return try onPackage { () throws(ZipError) in
          try reader.unlocked(with: password, isCancelled: isCancelled)
        }
      } catch {
        guard case .wrongPassword = error else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// Finishes a sealed install, from wherever an earlier attempt came to. False when what it needs is gone: then the
  /// game is as it was, or is rebuilt from its package by the next sync. `verifiesPackage`: after a restart nothing is
  /// taken on trust.
  @discardableResult
  func finish(_ entry: JournalEntry, verifiesPackage: Bool) throws(MirrorError) -> Bool {
    guard try placePackage(entry, verifies: verifiesPackage) else { return false }
    if entry.stagingInode != nil {
      let game = try onDisk { () throws(SystemError) in try disk.gameFolder(entry.id, volume: volume) }
      guard try onDisk({ () throws(SystemError) in try placeFolder(entry, in: game) }) else { return false }
      try onDisk { () throws(SystemError) in try flip(game, to: entry.version, tag: entry.sha256) }
    }
    try store.record(entry, at: now())
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
        // Not a package, whoever put it there, and rename(2) does not replace it.
        if try packages.status(of: packageName)?.kind == .directory { try packages.removeTree(packageName) }
        try volume.rename(partialName, in: disk.partials, to: packageName, in: packages)
        try volume.synchronize(packages)
        try volume.synchronize(disk.partials)
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
    try game.removeTree(name)
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

  /// Makes a version that stands already the current one: no package is needed.
  func activate(_ version: InstalledVersion) throws(MirrorError) {
    if version.isUnpacked {
      try onDisk { () throws(SystemError) in
        let game = try disk.gameFolder(version.id, volume: volume)
        try flip(game, to: version.version, tag: version.sha256)
      }
    }
    try store.activate(version)
  }

  /// Removes what an install left beside the versions, and versions beyond those kept; the one that `current` names
  /// always stays. Failing here harms no game.
  func tidy(_ id: GameID) throws(MirrorError) {
    let current = try onDisk { () throws(SystemError) in
      if try disk.games.status(of: id.text)?.kind == .directory {
        try Self.removeLeftovers(in: disk.games.directory(id.text))
      }
      return try disk.currentVersion(of: id)
    }
    for version in try store.versions(of: id).dropFirst(keep)
    where version.version != current && !version.isCurrent {
      try discard(id, version.version)
    }
  }

  /// Removes a version that is not in use.
  func discard(_ id: GameID, _ version: H5Version) throws(MirrorError) {
    // The record goes first: one that spoke of half a folder would be believed.
    try store.forget(id, version)
    try onDisk { () throws(SystemError) in
      _ = try disk.packages.removeFileIfParentExists("\(id.text)/\(MirrorDisk.packageName(version))")
      _ = try disk.games.removeTree("\(id.text)/\(MirrorDisk.versions)/\(version.text)")
    }
  }

  /// Removes staging folders and unused links of a game's folder.
  static func removeLeftovers(in game: Directory) throws(SystemError) {
    for name in try game.names()
    where name.hasPrefix(MirrorDisk.stagingPrefix) || name.hasPrefix(MirrorDisk.currentPrefix) {
      try game.removeTree(name)
    }
  }
}

extension Directory {
  /// As `removeFile`: it tells a missing folder on the way from a missing file by throwing nothing for either.
  fileprivate func removeFileIfParentExists(_ name: String) throws(SystemError) -> Bool {
    guard try status(of: name) != nil else { return false }
    return try removeFile(name)
  }
}
