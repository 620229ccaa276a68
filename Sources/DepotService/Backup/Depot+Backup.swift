internal import Catalogue
internal import DepotModel
internal import Platform

extension Depot {
  /// Copies the depot as it is now to a new folder, beside a server and publishes that run. Packages get a second name
  /// where the file system can, else a copy that is compared with its digest. The folder is there with everything in it, or
  /// not at all: until then it is called `<target>.part`, and what a backup that was killed left there is replaced.
  public func backUp(to target: String) throws(BackupError) -> BackupReport {
    let place = BackupPlace(target)
    let parent = try onDisk { () throws(SystemError) in try Directory(creating: place.parent) }
    guard try onDisk({ () throws(SystemError) in try place.isFree(in: parent) }) else {
      throw .occupied(target)
    }
    // Packages that the catalogue names may not be removed before they are copied.
    let lock = try onDisk { () throws(SystemError) in
      try DepotLock.acquire(.publish, .shared, in: layout.root)
    }
    defer { withExtendedLifetime(lock) {} }
    let folder = try onDisk { () throws(SystemError) in
      try volume.removeTree(place.unfinished, in: parent)
      // Tokens' hashes are in it.
      return try Directory(creating: "\(place.parent)/\(place.unfinished)", permissions: 0o700)
    }
    let path = "\(folder.path)/\(DepotLayout.catalogueName)"
    let contents: CatalogueContents
    do throws(CatalogueError) {
      try catalogue.backUp(to: path)
      contents = try Catalogue.contents(ofFileAt: path, isStill: true)
    } catch { throw .depot(.catalogue(error)) }
    return try onDisk { () throws(SystemError) in
      var report = BackupReport()
      try copy(contents.packages, to: folder.createDirectories("blobs/sha256"), &report)
      try volume.synchronize(folder.directory("blobs"))
      let digest = try FileDigests(of: folder.file(DepotLayout.catalogueName, mode: .read)).sha256
      try write(
        BackupManifest(
          createdAt: clock(), catalogue: contents.identity, revision: contents.revision,
          catalogueSha256: digest,
          packages: contents.packages.map { BackupManifest.Package(sha256: $0.sha256, size: $0.size) }),
        to: folder)
      try volume.synchronize(folder)
      try volume.rename(place.unfinished, in: parent, to: place.name, in: parent)
      try volume.synchronize(parent)
      return report
    }
  }

  private func copy(
    _ stored: [StoredPackage], to packages: Directory, _ report: inout BackupReport
  ) throws(SystemError) {
    var folders: [String: Directory] = [:]
    for package in stored {
      let place = DepotLayout.place(of: package.sha256)
      let folder: Directory
      if let known = folders[place.folder] {
        folder = known
      } else {
        folder = try packages.createDirectories(place.folder)
        folders[place.folder] = folder
      }
      if let reason = try copy(package, to: folder, &report) {
        report.lost.append((package.sha256.hex, reason))
      } else {
        report.packages += 1
        report.bytes += package.size
      }
    }
    for folder in folders.values { try volume.synchronize(folder) }
    try volume.synchronize(packages)
  }

  /// Why a package is not in the backup; nil when it is.
  private func copy(
    _ package: StoredPackage, to target: Directory, _ report: inout BackupReport
  ) throws(SystemError) -> String? {
    let place = DepotLayout.place(of: package.sha256)
    guard try layout.packages.status(of: "\(place.folder)/\(place.name)") != nil else {
      return "it is missing"
    }
    let source = try layout.packages.directory(place.folder)
    let file = try source.file(place.name, mode: .read)
    let size = try file.size
    guard size == package.size else { return "it has \(size) bytes, not \(package.size)" }
    do throws(SystemError) {
      try volume.link(place.name, in: source, to: place.name, in: target)
      report.linked += 1
      return nil
    } catch {
      guard BackupPlace.cannotLink(error) else { throw error }
    }
    let copy = try IngestFile(in: target, volume: volume)
    try copy.append(contentsOf: file)
    guard let digests = copy.finish(), digests.sha256 == package.sha256 else {
      return "its bytes are damaged"
    }
    try copy.seal()
    try copy.rename(to: place.name)
    return nil
  }

  private func write(_ manifest: BackupManifest, to folder: Directory) throws(SystemError) {
    // Text and numbers: nothing of it can fail to be encoded.
    guard let bytes = try? JSON.encode(manifest) else {
      throw SystemError(errno: 22, operation: "encode", path: "\(folder.path)/\(BackupManifest.name)")
    }
    let file = try folder.file(BackupManifest.name, mode: .createNew)
    try volume.write(bytes, to: file, at: 0)
    try volume.synchronize(file)
  }
}

/// Where a backup is made, and what it is called until it is complete.
struct BackupPlace {
  let parent: String
  let name: String

  init(_ path: String) {
    var path = path[...]
    while path.count > 1, path.last == "/" { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else {
      (parent, name) = (".", String(path))
      return
    }
    parent = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.index(after: slash)...])
  }

  /// EXDEV, EPERM, EMLINK, EOPNOTSUPP: another disk, or one without second names.
  static func cannotLink(_ error: SystemError) -> Bool { [18, 1, 31, 95].contains(error.errno) }

  var unfinished: String { "\(name).part" }

  /// Nothing is there, or an empty folder.
  func isFree(in parent: Directory) throws(SystemError) -> Bool {
    guard let status = try parent.status(of: name) else { return true }
    guard status.kind == .directory else { return false }
    return try parent.directory(name).names().isEmpty
  }
}

/// The digests of a whole file.
struct FileDigests {
  let sha256: SHA256Digest

  init(of file: File) throws(SystemError) {
    var hash = Hash(.sha256)
    var offset: Int64 = 0
    while case let bytes = try file.bytes(at: offset, count: 1 << 20), !bytes.isEmpty {
      hash.update(bytes)
      offset += Int64(bytes.count)
    }
    guard let digest = SHA256Digest(bytes: hash.finish()) else {
      throw SystemError(errno: 5, operation: "hash", path: file.path)
    }
    sha256 = digest
  }
}

/// What the disk fails is told as a backup's error.
func onDisk<Value>(_ body: () throws(SystemError) -> Value) throws(BackupError) -> Value {
  do throws(SystemError) { return try body() } catch { throw .depot(.system(error)) }
}
