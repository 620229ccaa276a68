internal import Catalogue
internal import DepotModel
public import Platform

extension Depot {
  /// Makes a depot of a backup, in a folder that holds none: every package is compared with its digest while it is copied, and
  /// the catalogue comes last, so that one that was killed has made no depot and may be run again. The depot is another one
  /// to its clients (a new UUID): a mirror that asks what changed since lists everything once. Packages that the backup lost
  /// are told, the rest is restored.
  public static func restore(
    from source: String, to path: String, volume: any Volume = SystemVolume()
  ) throws(BackupError) -> BackupReport {
    let (backup, manifest) = try manifest(in: source)
    try check(backup, manifest)
    let layout = try onDisk { () throws(SystemError) in try DepotLayout(path: path, creating: true) }
    guard
      try onDisk({ () throws(SystemError) in try layout.root.status(of: DepotLayout.catalogueName) }) == nil
    else { throw .occupied("\(path)/\(DepotLayout.catalogueName)") }
    let serving = try onDisk { () throws(SystemError) in
      try DepotLock.tryAcquire(.serve, .exclusive, in: layout.root)
    }
    guard let serving else { throw .busy(path) }
    let publishing = try onDisk { () throws(SystemError) in
      try DepotLock.acquire(.publish, .exclusive, in: layout.root)
    }
    defer { withExtendedLifetime((serving, publishing)) {} }
    let report = try onDisk { () throws(SystemError) in
      let blobs = BlobStore(packages: layout.packages, volume: volume, capacity: 1)
      return try copy(manifest.packages, from: backup, to: blobs, layout, volume)
    }
    try restoreCatalogue(from: backup, to: layout, volume)
    return report
  }

  private static func manifest(in source: String) throws(BackupError) -> (Directory, BackupManifest) {
    let bytes: [UInt8]
    let backup: Directory
    do throws(SystemError) {
      backup = try Directory(path: source)
      let file = try backup.file(BackupManifest.name, mode: .read)
      let size = try file.size
      guard size <= BackupManifest.limit else {
        throw SystemError(errno: 27, operation: "read", path: file.path)
      }
      bytes = try file.bytes(at: 0, count: Int(size))
    } catch {
      if error.isNotFound || error.errno == 20 { throw .missing(source) }
      throw .depot(.system(error))
    }
    struct Form: Decodable { let format: Int }
    do {
      let format = try JSON.decode(Form.self, from: bytes).format
      guard format == 1 else {
        throw BackupError.unreadable("\(source) is a backup of form \(format): a newer program wrote it")
      }
      return (backup, try JSON.decode(BackupManifest.self, from: bytes))
    } catch let error as BackupError {
      throw error
    } catch {
      throw .unreadable("\(source)/\(BackupManifest.name) is damaged: \(error)")
    }
  }

  private static func check(_ backup: Directory, _ manifest: BackupManifest) throws(BackupError) {
    let digest = try onDisk { () throws(SystemError) -> SHA256Digest? in
      guard try backup.status(of: DepotLayout.catalogueName) != nil else { return nil }
      return try FileDigests(of: backup.file(DepotLayout.catalogueName, mode: .read)).sha256
    }
    guard digest == manifest.catalogueSha256 else {
      throw .unreadable(
        "\(backup.path)/\(DepotLayout.catalogueName) is \(digest == nil ? "missing" : "not what was written"): "
          + "nothing was restored")
    }
  }

  private static func copy(
    _ packages: [BackupManifest.Package], from backup: Directory, to blobs: BlobStore, _ layout: DepotLayout,
    _ volume: any Volume
  ) throws(SystemError) -> BackupReport {
    var report = BackupReport()
    for package in packages {
      let place = DepotLayout.place(of: package.sha256)
      let name = "blobs/sha256/\(place.folder)/\(place.name)"
      guard try backup.status(of: name)?.kind == .regular else {
        report.lost.append((package.sha256.hex, "the backup does not have it"))
        continue
      }
      let copy = try IngestFile(in: layout.ingest, volume: volume)
      try copy.append(contentsOf: backup.file(name, mode: .read))
      guard copy.size == package.size, copy.finish()?.sha256 == package.sha256 else {
        report.lost.append((package.sha256.hex, "it is damaged in the backup"))
        continue
      }
      try copy.seal()
      try copy.move(to: blobs, as: package.sha256)
      report.packages += 1
      report.bytes += package.size
    }
    return report
  }

  private static func restoreCatalogue(
    from backup: Directory, to layout: DepotLayout, _ volume: any Volume
  ) throws(BackupError) {
    let name = "\(DepotLayout.catalogueName).part"
    try onDisk { () throws(SystemError) in
      for rest in [name, "\(name)-wal", "\(name)-shm"] { try volume.remove(rest, in: layout.root) }
      let source = try backup.file(DepotLayout.catalogueName, mode: .read)
      let copy = try layout.root.file(name, mode: .createNew)
      try copy.setPermissions(0o600)
      var offset: Int64 = 0
      while case let bytes = try source.bytes(at: offset, count: 1 << 20), !bytes.isEmpty {
        try volume.write(bytes, to: copy, at: offset)
        offset += Int64(bytes.count)
      }
      try volume.synchronize(copy)
    }
    do throws(CatalogueError) {
      try Catalogue.giveNewIdentity(toFileAt: "\(layout.root.path)/\(name)")
    } catch { throw .depot(.catalogue(error)) }
    try onDisk { () throws(SystemError) in
      do throws(SystemError) {
        // A second name is not given where something came to stand meanwhile.
        try volume.link(name, in: layout.root, to: DepotLayout.catalogueName, in: layout.root)
      } catch {
        // A file system without second names.
        guard BackupPlace.cannotLink(error) else { throw error }
        try volume.rename(name, in: layout.root, to: DepotLayout.catalogueName, in: layout.root)
      }
      try volume.synchronize(layout.root)
      try volume.remove(name, in: layout.root)
    }
  }
}
