internal import DepotModel
internal import Platform
internal import ZipArchive

/// Puts a verified package in place, so that at every moment what `current` names is whole and a crash leaves either the
/// old version or the new one.
///
/// The order is the promise: unpack beside everything → fsync → seal in the journal → move the package → move the folder
/// (or swap it with the one of the same name) → flip `current` → look whether every file stands → record → remove what is no
/// longer kept. From the seal on everything needed is on this disk, and `finish` can be repeated from any point of it. When
/// a file does not stand, the same steps are taken back. Blocks; one call per game at a time.
struct Installer: Sendable {
  let disk: MirrorDisk
  let store: Store
  let volume: any Volume
  let limits: ZipLimits
  let keep: Int
  let passwords: PackagePasswords
  /// Whether files that a version has in common with an older one share their bytes.
  let sharesFiles: Bool
  /// Whether packages stay when they are unpacked.
  let keepsPackages: Bool
  let now: @Sendable () -> Timestamp

  /// An install that can be finished, and what is worth telling of it.
  struct Prepared: Sendable {
    var entry: JournalEntry
    var notices: [String]
  }

  /// Unpacks beneath the game's folder, under a name that nothing else looks at, and seals the install. `facts` are the
  /// server's verdicts: they shape paths, the rules are judged here again. With nil the package is only kept.
  func prepare(
    _ release: Release, from file: File, facts: UnpackingFacts?, isCancelled: @escaping @Sendable () -> Bool
  ) throws(MirrorError) -> Prepared {
    guard let facts else {
      let entry = JournalEntry(packageOf: release)
      try store.seal(entry, nil)
      return Prepared(entry: entry, notices: [])
    }
    let reader = try reader(
      of: release.id, file, root: facts.root, namesEncoding: facts.namesEncoding, isCancelled)
    // The room was judged by what the server said; a server may be wrong.
    if reader.plan.unpackedSize > facts.unpackedSize || reader.plan.files.count > facts.fileCount {
      try RoomNeed(bytes: reader.plan.unpackedSize, files: reader.plan.files.count).check(
        in: disk.root, reserved: .none)
    }
    let game = try onDisk { () throws(SystemError) in try disk.gameFolder(release.id, volume: volume) }
    let name = MirrorDisk.stagingName(release.version, release.sha256)
    try onDisk { () throws(SystemError) in try removeLeftovers(in: game) }
    do throws(MirrorError) {
      return try unpack(release, reader, facts, beneath: game, as: name, isCancelled)
    } catch {
      // What failed is what to tell; what stays here is removed before the next install of the game.
      _ = try? game.removeTree(name)
      throw error
    }
  }

  private func unpack(
    _ release: Release, _ reader: PackageReader, _ facts: UnpackingFacts, beneath game: Directory,
    as name: String, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(MirrorError) -> Prepared {
    let inode = try onDisk { () throws(SystemError) in
      try game.createDirectory(name)
      return try game.status(of: name)?.inode
    }
    let staging = try onDisk { () throws(SystemError) in try game.directory(name) }
    let sharing = sharesFiles ? try VersionSharing(of: release.id, disk, store, volume) : nil
    let unpacked = try onPackage { () throws(ZipError) in
      try reader.unpack(
        into: staging, volume: volume, options: .version, sharing: sharing, isCancelled: isCancelled)
    }
    try onDisk { () throws(SystemError) in
      try volume.synchronize(staging)
      try volume.synchronize(game)
    }
    let previous = try onDisk { () throws(SystemError) in try disk.currentVersion(of: release.id) }
    let shared = zip(reader.plan.files, unpacked.files).filter(\.1.isShared)
    let entry = JournalEntry(
      id: release.id, title: release.title, version: release.version, sha256: release.sha256,
      md5: release.md5, size: release.size, unpackedSize: reader.plan.unpackedSize, stagingInode: inode,
      keepsPackage: keepsPackages, sharedFiles: shared.count,
      sharedBytes: shared.reduce(0) { $0 + $1.0.size },
      previous: previous, isUndone: false)
    let record = UnpackedRecord(
      files: InstalledFiles(reader.plan.files, unpacked), root: facts.root,
      namesEncoding: facts.namesEncoding,
      needsIsolation: ThreadProbe.needsThreads(reader.plan.files.map(\.path), in: staging))
    try store.seal(entry, record)
    return Prepared(entry: entry, notices: notices(release, reader.plan, staging))
  }

  /// What a player would miss, though the package is what the server has: told, and never a reason not to install it.
  private func notices(_ release: Release, _ plan: PackagePlan, _ staging: Directory) -> [String] {
    // The page was written a moment ago; one that cannot be read is the health check's matter.
    guard let page = try? staging.file("index.html", mode: .read).bytes(at: 0, count: 1 << 20) else {
      return ["\(release.id) \(release.version) has no index.html: it will not play"]
    }
    let missing = plan.assets(missingFor: page)
    guard !missing.isEmpty else { return [] }
    let names = MirrorError.firstOf(missing.map(\.debugDescription)).joined(separator: ", ")
    return ["\(release.id) \(release.version): its index.html refers to what it does not have: \(names)"]
  }

  /// A package judged by the rules, with the server's verdicts on its paths, and open to be unpacked.
  func reader(
    of id: GameID, _ file: File, root: String, namesEncoding: String,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(MirrorError) -> PackageReader {
    // The server's verdict counts: a mirror that found out for itself could come to other paths.
    guard let encoding = NamesEncoding(namesEncoding) else {
      throw MirrorError(
        .refused([
          Finding(
            .nameEncoding,
            "the server reads its names as \(namesEncoding); known here are \(NamesEncoding.list)")
        ]))
    }
    let options = PackageOptions(limits: limits, root: root, namesEncoding: encoding)
    let locked = try onPackage { () throws(ZipError) in try PackageReader(file: file, options: options) }
    guard locked.plan.isAccepted else {
      throw MirrorError(.refused(locked.plan.findings.filter { $0.severity == .error }))
    }
    return try unlock(locked, of: id, isCancelled)
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

  /// Makes a version that stands already the current one, as the server wants it: no package is needed.
  func activate(_ version: InstalledVersion) throws(MirrorError) {
    try flip(to: version)
    try store.activate(version)
  }

  /// Lets `current` name a version that stands, if it is unpacked.
  func flip(to version: InstalledVersion) throws(MirrorError) {
    guard version.isUnpacked else { return }
    try onDisk { () throws(SystemError) in
      let game = try disk.gameFolder(version.id, volume: volume)
      try flip(game, to: version.version, tag: version.sha256)
    }
  }

  /// Removes what an install left beside the versions, and versions beyond those kept; the one that `current` names
  /// always stays. Failing here harms no game.
  func tidy(_ id: GameID) throws(MirrorError) {
    let current = try onDisk { () throws(SystemError) in
      if try disk.games.status(of: id.text)?.kind == .directory {
        try removeLeftovers(in: disk.games.directory(id.text))
      }
      return try disk.currentVersion(of: id)
    }
    let versions = try store.versions(of: id)
    for version in versions where !version.hasPackage { try removePackage(id, version.version) }
    for version in versions.dropFirst(keep)
    where version.version != current && !version.isCurrent {
      try discard(id, version.version)
    }
  }

  /// Removes a version that is not in use.
  func discard(_ id: GameID, _ version: H5Version) throws(MirrorError) {
    // The record goes first: one that spoke of half a folder would be believed.
    try store.forget(id, version)
    try remove(id, version)
  }

  private func removePackage(_ id: GameID, _ version: H5Version) throws(MirrorError) {
    try onDisk { () throws(SystemError) in
      guard try disk.packageStatus(id, version) != nil else { return }
      try volume.removeTree(MirrorDisk.packageName(version), in: disk.packages.directory(id.text))
    }
  }

  private func remove(_ id: GameID, _ version: H5Version) throws(MirrorError) {
    try removePackage(id, version)
    try onDisk { () throws(SystemError) in
      let versions = "\(id.text)/\(MirrorDisk.versions)"
      if try disk.games.status(of: versions)?.kind == .directory {
        try volume.removeTree(version.text, in: disk.games.directory(versions))
      }
    }
  }

  /// Removes staging folders and unused links of a game's folder.
  func removeLeftovers(in game: Directory) throws(SystemError) {
    for name in try game.names()
    where name.hasPrefix(MirrorDisk.stagingPrefix) || name.hasPrefix(MirrorDisk.currentPrefix) {
      try volume.removeTree(name, in: game)
    }
  }
}

extension UnpackOptions {
  /// A version of a mirror: durable, hashed on the way, and written to by nobody afterwards, since its files may be those of
  /// other versions, too.
  static let version: UnpackOptions = {
    var options = UnpackOptions.install
    options.isReadOnly = true
    options.digests = true
    return options
  }()
}

extension InstalledFiles {
  /// The files of a plan as they were unpacked.
  init(_ entries: [PackageEntry], _ unpacked: UnpackedPackage) {
    let files = zip(entries, unpacked.files).compactMap { entry, file in
      SHA256Digest(bytes: file.sha256).map {
        InstalledFile(
          path: entry.path, size: entry.size, sha256: $0, crc32: file.crc32,
          modifiedAtNanoseconds: file.modifiedAtNanoseconds)
      }
    }
    self.init(files, folders: unpacked.folders)
  }
}
