internal import DepotModel
internal import Platform
internal import Synchronization
internal import ZipArchive

/// The files of the versions of a game that stand, as candidates for those of a new one: an unchanged file is cloned where
/// the file system can do that (btrfs, XFS), else it gets a second name, else it is written once more.
///
/// The unpacker compares a candidate with what the new package holds before it is shared, so neither a record nor a file
/// that has rotted can harm the new version. Nobody may write to a file that has two names: that would change both.
final class VersionSharing: FileSharing {
  /// Versions that are looked at, the one in use first: what an older one has and this one lacks is seldom wanted again.
  private static let versions = 3

  private struct Version {
    let folder: Directory
    let files: InstalledFiles
  }

  private struct Content: Hashable {
    let size: Int64
    let crc32: UInt32
  }

  private struct Means {
    var canClone = true
    var canLink = true
  }

  private let standing: [Version]
  private let places: [Content: (version: Int, file: Int)]
  private let volume: any Volume
  private let means = Mutex(Means())

  init(of id: GameID, _ disk: MirrorDisk, _ store: Store, _ volume: any Volume) throws(MirrorError) {
    var standing: [Version] = []
    for version in try store.versions(of: id) where version.isUnpacked && standing.count < Self.versions {
      guard let record = try store.unpacked(id, version.version, version.sha256),
        // A folder that cannot be opened has nothing to share.
        let folder = try? disk.games.directory("\(id.text)/\(MirrorDisk.currentTarget(version.version))")
      else { continue }
      standing.append(Version(folder: folder, files: record.files))
    }
    var places: [Content: (version: Int, file: Int)] = [:]
    for (index, version) in standing.enumerated() {
      for (place, file) in version.files.enumerated() {
        let content = Content(size: file.size, crc32: file.crc32)
        if places[content] == nil { places[content] = (index, place) }
      }
    }
    self.standing = standing
    self.places = places
    self.volume = volume
  }

  func candidate(for entry: PackageEntry) -> SharedFile? {
    guard means.withLock({ $0.canClone || $0.canLink }), let found = place(of: entry) else { return nil }
    let path = found.file.path
    // Something else than a file could hold up whoever opens it.
    guard (try? found.version.folder.status(of: path))?.kind == .regular,
      let file = try? found.version.folder.file(path, mode: .read)
    else { return nil }
    guard let parent = path.parentFolders.last else {
      return SharedFile(file: file, folder: found.version.folder, name: path)
    }
    guard let folder = try? found.version.folder.directory(String(parent)) else { return nil }
    return SharedFile(
      file: file, folder: folder, name: String(path[path.utf8.index(after: parent.endIndex)...]))
  }

  private func place(of entry: PackageEntry) -> (version: Version, file: InstalledFile)? {
    // WinZip AES (AE-2) declares no CRC: the name must do.
    for version in standing {
      if let file = version.files.file(at: entry.path), file.size == entry.size,
        entry.isEncrypted || file.crc32 == entry.crc32
      {
        return (version, file)
      }
    }
    guard let place = places[Content(size: entry.size, crc32: entry.crc32)] else { return nil }
    return (standing[place.version], standing[place.version].files[place.file])
  }

  func share(
    _ candidate: SharedFile, as name: String, in folder: Directory
  ) throws(SystemError) -> FileStatus? {
    if means.withLock({ $0.canClone }), let status = try clone(candidate, as: name, in: folder) {
      return status
    }
    guard means.withLock({ $0.canLink }) else { return nil }
    return try link(candidate, as: name, in: folder)
  }

  private func clone(
    _ candidate: SharedFile, as name: String, in folder: Directory
  ) throws(SystemError) -> FileStatus? {
    let file = try folder.file(name, mode: .createNew)
    do throws(SystemError) {
      try volume.clone(candidate.file, to: file)
      try file.setPermissions(try file.status.permissions & ~0o222)
      try volume.synchronize(file)
      return try file.status
    } catch {
      // What failed is what matters; the file is empty.
      _ = try? folder.removeFile(name)
      guard error.isUnsupported else { throw error }
      means.withLock { $0.canClone = false }
      return nil
    }
  }

  private func link(
    _ candidate: SharedFile, as name: String, in folder: Directory
  ) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      let status = try candidate.file.status
      if status.permissions & 0o222 != 0 {
        try candidate.file.setPermissions(status.permissions & ~0o222)
        try volume.synchronize(candidate.file)
      }
      try volume.link(candidate.name, in: candidate.folder, to: name, in: folder)
      let linked = try folder.status(of: name)
      // Somebody may have put another file in its place since it was compared.
      if let linked, linked.inode == status.inode, linked.device == status.device { return linked }
      try volume.remove(name, in: folder)
      return nil
    } catch {
      // EMLINK: this file has as many names as it can have.
      if error.errno == 31 { return nil }
      guard error.isUnsupported else { throw error }
      means.withLock { $0.canLink = false }
      return nil
    }
  }
}

extension SystemError {
  /// The file system, or a right that is lacking, stands against a clone or link as such: EPERM, EACCES, EXDEV, EINVAL, ENOTTY,
  /// ENOSYS, EOPNOTSUPP.
  fileprivate var isUnsupported: Bool { [1, 13, 18, 22, 25, 38, 95].contains(errno) }
}
