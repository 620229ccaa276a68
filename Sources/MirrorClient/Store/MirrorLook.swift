internal import DepotModel
internal import Platform

/// Looks at a mirror without changing it: nothing is made that is missing, and a mirror that is not there at all is one
/// in which nothing stands.
struct MirrorLook: Sendable {
  /// Nil when the mirror is not there.
  let root: Directory?

  init(root: Directory?) { self.root = root }

  init(destination: String) throws(MirrorError) {
    root = try onDisk { () throws(SystemError) in try Directory(path: destination) }
  }

  static func packagePath(_ id: GameID, _ version: H5Version) -> String {
    "packages/\(id.text)/\(MirrorDisk.packageName(version))"
  }

  private func status(_ path: String) throws(SystemError) -> FileStatus? { try root?.status(of: path) }

  /// Whether the package a record speaks of is there: quick, by its name and size.
  func holdsPackage(_ version: InstalledVersion) throws(SystemError) -> Bool {
    guard let package = try status(Self.packagePath(version.id, version.version)) else { return false }
    return package.kind == .regular && package.size == version.size
  }

  /// Whether the files a record speaks of are there: quick, by names and the package's size.
  func holds(_ version: InstalledVersion) throws(SystemError) -> Bool {
    if version.hasPackage, try !holdsPackage(version) { return false }
    guard version.isUnpacked else { return true }
    return try hasFolder(version)
  }

  /// Whether what a player needs of a version is there, whatever `current` names; its package where it is not unpacked.
  func standsUnlinked(_ version: InstalledVersion) throws(SystemError) -> Bool {
    try version.isUnpacked ? hasFolder(version) : holds(version)
  }

  private func hasFolder(_ version: InstalledVersion) throws(SystemError) -> Bool {
    try status("games/\(version.id.text)/\(MirrorDisk.currentTarget(version.version))")?.kind == .directory
  }

  /// As `holds`, and `current` names it where it is unpacked.
  func isStanding(_ version: InstalledVersion) throws(SystemError) -> Bool {
    guard try holds(version) else { return false }
    guard version.isUnpacked else { return true }
    return try currentVersion(of: version.id) == version.version
  }

  /// As `isStanding`, for those who tell the mirror's errors.
  func stands(_ version: InstalledVersion) throws(MirrorError) -> Bool {
    try onDisk { () throws(SystemError) in try isStanding(version) }
  }

  /// The version that a game's `current` names; nil when there is none or it names something else.
  func currentVersion(of id: GameID) throws(SystemError) -> H5Version? {
    guard let root, try root.status(of: "games/\(id.text)")?.kind == .directory,
      let target = try root.symlinkTarget("games/\(id.text)/\(MirrorDisk.current)"),
      target.hasPrefix("\(MirrorDisk.versions)/")
    else { return nil }
    return H5Version(String(target.dropFirst(MirrorDisk.versions.count + 1)))
  }

  /// Whether a file of its size stands where the package of a release belongs.
  func keepsPackage(of release: Release) throws(SystemError) -> Bool {
    let package = try status(Self.packagePath(release.id, release.version))
    return package?.kind == .regular && package?.size == release.size
  }

  /// Bytes that are here of a package.
  func partialSize(of sha256: SHA256Digest) throws(SystemError) -> Int64 {
    try status("partial/\(MirrorDisk.partialName(sha256))")?.size ?? 0
  }

  /// Changes when a game's folder, or that of its packages, appears or goes: tells a sync with nothing to do, in two
  /// calls, that nobody removed a game by hand.
  var stamp: String {
    get throws(SystemError) {
      let games = try status("games")?.modifiedAtNanoseconds ?? 0
      let packages = try status("packages")?.modifiedAtNanoseconds ?? 0
      return "\(games) \(packages)"
    }
  }

  func partials(_ receipts: [String: Store.PackageReceipt]) throws(MirrorError) -> [MirrorStatus.Partial] {
    try onDisk { () throws(SystemError) in
      guard let root, try root.status(of: "partial")?.kind == .directory else { return [] }
      let folder = try root.directory("partial")
      var partials: [MirrorStatus.Partial] = []
      for name in try folder.names() where name.hasSuffix(".part") {
        guard let size = try folder.status(of: name)?.size else { continue }
        let sha256 = String(name.dropLast(5))
        let receipt = receipts[sha256]
        partials.append(
          MirrorStatus.Partial(
            sha256: sha256, size: size, expected: receipt?.expected, label: receipt?.label,
            state: receipt?.state))
      }
      return partials
    }
  }
}
