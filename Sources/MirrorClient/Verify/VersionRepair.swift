internal import DepotModel
internal import Platform
internal import ZipArchive

/// Mends one version, file by file: what is missing or damaged is unpacked again from the kept package, written beside,
/// synchronized and moved into place, so that whoever plays sees the old file or the right one. Nothing is written through:
/// a file that several versions share is replaced in this one and mended in the others by itself.
///
/// What the package does not have is removed: a version is its package, nothing less and nothing more. A package that is
/// damaged, missing or needed is fetched, from the bytes of it that are still good.
struct VersionRepair: Sendable {
  /// Beneath the game's folder; anything of it that is left is removed like any unfinished install.
  private static let stagingName = "\(MirrorDisk.stagingPrefix)repair"

  let version: InstalledVersion
  let disk: MirrorDisk
  let store: Store
  let installer: Installer
  let isCancelled: @Sendable () -> Bool

  private var volume: any Volume { installer.volume }
  private var packageName: String { MirrorDisk.packageName(version.version) }
  private var partialName: String { MirrorDisk.partialName(version.sha256) }

  /// Whether the files that need it could all be unpacked again. Everything else that needs no network is mended, too.
  func mendFiles(_ damages: [Damage], from package: File?) throws(MirrorError) -> Bool {
    let game = try onDisk { () throws(SystemError) in try disk.gameFolder(version.id, volume: volume) }
    let folder = try onDisk { () throws(SystemError) in
      let name = MirrorDisk.currentTarget(version.version)
      if try game.status(of: name)?.kind != .directory {
        try volume.removeTree(name, in: game)
        try game.createDirectory(name)
        try volume.synchronize(game.directory(MirrorDisk.versions))
      }
      return try game.directory(name)
    }
    var paths: Set<String> = []
    for damage in damages {
      switch damage.place {
      case .extra(.some(let path)):
        try onDisk { () throws(SystemError) in
          try volume.removeTree(path, in: folder)
          try synchronizeParents(of: [path], in: folder)
        }
      case .folder(let path):
        try onDisk { () throws(SystemError) in
          try makeFolders(path, in: folder)
          try synchronizeParents(of: [path], in: folder)
        }
      case .file(let path): paths.insert(path)
      case .extra(nil), .package, .current: break
      }
    }
    guard !paths.isEmpty else { return true }
    guard let package else { return false }
    return try unpackAgain(paths, from: package, in: game, to: folder)
  }

  /// Lets `current` name this version again.
  func mendCurrent() throws(MirrorError) { try installer.flip(to: version) }

  private func unpackAgain(
    _ paths: Set<String>, from package: File, in game: Directory, to folder: Directory
  ) throws(MirrorError) -> Bool {
    guard let record = try store.unpacked(version.id, version.version, version.sha256) else { return false }
    let reader: PackageReader
    do throws(MirrorError) {
      reader = try installer.reader(
        of: version.id, package, root: record.root, namesEncoding: record.namesEncoding, isCancelled)
    } catch {
      // A package that cannot be read is one to be fetched again.
      guard case .refused = error else { throw error }
      return false
    }
    var left = paths
    // All at once, which is fast; where one entry is damaged, one after the other, which mends the others.
    for part in [paths] + paths.sorted().map({ [$0] }) where !part.isDisjoint(with: left) {
      guard let staging = try unpack(part, reader, in: game) else { continue }
      for path in part {
        guard let file = record.files.file(at: path), try place(file, from: staging, in: folder) else {
          continue
        }
        left.remove(path)
      }
      try onDisk { () throws(SystemError) in
        try synchronizeParents(of: part, in: folder)
        try volume.removeTree(Self.stagingName, in: game)
      }
      if left.isEmpty { return true }
    }
    return false
  }

  /// Nil when the package does not hold them soundly.
  private func unpack(
    _ paths: Set<String>, _ reader: PackageReader, in game: Directory
  ) throws(MirrorError) -> Directory? {
    let staging = try onDisk { () throws(SystemError) in
      try volume.removeTree(Self.stagingName, in: game)
      try game.createDirectory(Self.stagingName)
      return try game.directory(Self.stagingName)
    }
    do throws(MirrorError) {
      _ = try onPackage { () throws(ZipError) in
        try reader.unpack(
          into: staging, volume: volume, options: .version, only: paths, isCancelled: isCancelled)
      }
      return staging
    } catch {
      guard case .refused = error else { throw error }
      return nil
    }
  }

  /// False when it is not the file that was installed.
  private func place(
    _ file: InstalledFile, from staging: Directory, in folder: Directory
  ) throws(MirrorError) -> Bool {
    guard
      try onDisk({ () throws(SystemError) in try staging.status(of: file.path)?.kind == .regular })
    else { return false }
    let opened = try onDisk { () throws(SystemError) in try staging.file(file.path, mode: .read) }
    guard try MirrorDisk.sha256(of: opened, isCancelled: isCancelled) == file.sha256 else { return false }
    try onDisk { () throws(SystemError) in
      // The time that was recorded, so that the next quick look need not read it.
      try opened.setModified(atNanoseconds: file.modifiedAtNanoseconds)
      try volume.synchronize(opened)
      if let parent = file.path.parentFolders.last { try makeFolders(String(parent), in: folder) }
      if try folder.status(of: file.path)?.kind == .directory {
        try volume.removeTree(file.path, in: folder)
      }
      try volume.rename(file.path, in: staging, to: file.path, in: folder)
    }
    return true
  }

  /// Makes a folder and its parents, in the place of whatever else stands there.
  private func makeFolders(_ path: String, in folder: Directory) throws(SystemError) {
    for name in path.parentFolders.map({ String($0) }) + [path] {
      let status = try folder.status(of: name)
      if status?.kind == .directory { continue }
      if status != nil { try volume.removeTree(name, in: folder) }
      try folder.createDirectory(name)
    }
  }

  private func synchronizeParents(of paths: Set<String>, in folder: Directory) throws(SystemError) {
    var parents: Set<Substring> = []
    for path in paths { parents.formUnion(path.parentFolders) }
    for parent in parents.sorted() where try folder.status(of: String(parent))?.kind == .directory {
      try volume.synchronize(folder.directory(String(parent)))
    }
    try volume.synchronize(folder)
  }

  // MARK: The package

  /// The package as it stands, sound or not.
  func package() throws(MirrorError) -> File? {
    try onDisk { () throws(SystemError) in
      guard try disk.packageStatus(version.id, version.version)?.kind == .regular else { return nil }
      return try disk.packages.file("\(version.id)/\(packageName)", mode: .read)
    }
  }

  /// Gets the package whole: what stands of it becomes a partial, so that only what is wrong is fetched. It is back in its
  /// place when this returns or throws, mended or as it was; one that is not kept stays a partial.
  func fetchPackage(
    _ request: PackageRequest, _ fetcher: any PackageFetching
  ) async throws(MirrorError) -> FetchedPackage {
    let packages = try onDisk { () throws(SystemError) in
      try disk.packageFolder(version.id, volume: volume)
    }
    let isLent = try lend(packages)
    do throws(MirrorError) {
      let fetched = try await fetcher.fetch(request) { _ in }
      if version.hasPackage {
        try onDisk { () throws(SystemError) in
          try volume.rename(partialName, in: disk.partials, to: packageName, in: packages)
          try volume.synchronize(packages)
          try volume.synchronize(disk.partials)
        }
      }
      return fetched
    } catch {
      // Better a damaged package in its place than none: most of its files can still be unpacked from it.
      if isLent, (try? disk.partials.status(of: partialName)?.size) == version.size {
        _ = try? volume.rename(partialName, in: disk.partials, to: packageName, in: packages)
      }
      throw error
    }
  }

  private func lend(_ packages: Directory) throws(MirrorError) -> Bool {
    try onDisk { () throws(SystemError) in
      guard let status = try packages.status(of: packageName) else { return false }
      guard status.kind == .regular, try disk.partials.status(of: partialName) == nil else {
        try volume.removeTree(packageName, in: packages)
        return false
      }
      try volume.rename(packageName, in: packages, to: partialName, in: disk.partials)
      return true
    }
  }

  /// Removes the package that was fetched for a version that keeps none.
  func dropPackage() throws(MirrorError) {
    guard !version.hasPackage else { return }
    try onDisk { () throws(SystemError) in try volume.remove(partialName, in: disk.partials) }
  }
}
