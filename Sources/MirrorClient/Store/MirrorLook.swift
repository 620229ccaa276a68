internal import DepotModel
internal import Platform

/// Looks at a mirror without changing it: nothing is made that is missing.
struct MirrorLook {
  private let root: Directory

  init(destination: String) throws(MirrorError) {
    root = try onDisk { () throws(SystemError) in try Directory(path: destination) }
  }

  func stands(_ version: InstalledVersion) throws(MirrorError) -> Bool {
    try onDisk { () throws(SystemError) in
      let id = version.id.text
      let package = try root.status(of: "packages/\(id)/\(MirrorDisk.packageName(version.version))")
      guard let package, package.kind == .regular, package.size == version.size else { return false }
      guard version.isUnpacked else { return true }
      let folder = try root.status(of: "games/\(id)/\(MirrorDisk.currentTarget(version.version))")
      guard folder?.kind == .directory, try root.status(of: "games/\(id)")?.kind == .directory else {
        return false
      }
      return try root.symlinkTarget("games/\(id)/\(MirrorDisk.current)")
        == MirrorDisk.currentTarget(version.version)
    }
  }

  func partials(_ receipts: [String: Store.PackageReceipt]) throws(MirrorError) -> [MirrorStatus.Partial] {
    try onDisk { () throws(SystemError) in
      guard try root.status(of: "partial")?.kind == .directory else { return [] }
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
