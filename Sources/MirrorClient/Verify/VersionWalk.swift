internal import DepotModel
internal import Platform

/// Goes through the folder of one version and compares it with the list of its files.
struct VersionWalk {
  private let version: InstalledVersion
  private let files: InstalledFiles
  private let isFull: Bool
  private let isCancelled: @Sendable () -> Bool
  private let folders: Set<String>
  private var seenFiles: Set<String> = []
  private var seenFolders: Set<String> = []
  /// What was found so far.
  private(set) var damages: [Damage] = []
  /// Bytes read so far.
  private(set) var bytes: Int64 = 0

  init(
    _ version: InstalledVersion, _ files: InstalledFiles, isFull: Bool,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.version = version
    self.files = files
    self.isFull = isFull
    self.isCancelled = isCancelled
    var folders = Set(files.emptyFolders)
    for file in files { folders.formUnion(file.path.parentFolders.map { String($0) }) }
    for folder in files.emptyFolders { folders.formUnion(folder.parentFolders.map { String($0) }) }
    self.folders = folders
  }

  mutating func run(_ folder: Directory) throws(MirrorError) {
    try look(into: folder, at: "")
    for file in files where !seenFiles.contains(file.path) {
      add(.file(file.path), file.text, "nothing")
    }
    for path in files.emptyFolders where !seenFolders.contains(path) {
      add(.folder(path), "a folder", "nothing")
    }
  }

  private mutating func look(into folder: Directory, at prefix: String) throws(MirrorError) {
    let names = try onDisk { () throws(SystemError) in try folder.rawNames() }
    for bytes in names {
      guard !isCancelled() else { throw .cancelled }
      guard let name = String(validating: bytes, as: UTF8.self) else {
        let shown = String(decoding: bytes, as: UTF8.self).debugDescription
        add(.extra(nil), "nothing of that name", "\(shown), which is no text")
        continue
      }
      let path = prefix + name
      guard let status = try onDisk({ () throws(SystemError) in try folder.status(of: name) }) else {
        continue
      }
      if let file = files.file(at: path) {
        seenFiles.insert(path)
        try compare(file, with: status, name, in: folder)
      } else if folders.contains(path), status.kind == .directory {
        seenFolders.insert(path)
        let child = try onDisk { () throws(SystemError) in try folder.directory(name) }
        try look(into: child, at: path + "/")
      } else {
        add(.extra(path), "nothing", FileStatus.text(status))
      }
    }
  }

  private mutating func compare(
    _ file: InstalledFile, with status: FileStatus, _ name: String, in folder: Directory
  ) throws(MirrorError) {
    guard status.kind == .regular, status.size == file.size else {
      return add(.file(file.path), file.text, FileStatus.text(status))
    }
    guard isFull || status.modifiedAtNanoseconds != file.modifiedAtNanoseconds else { return }
    do throws(MirrorError) {
      let opened = try onDisk { () throws(SystemError) in try folder.file(name, mode: .read) }
      let digest = try MirrorDisk.sha256(of: opened, isCancelled: isCancelled)
      bytes += status.size
      if digest != file.sha256 { add(.file(file.path), file.text, "SHA-256 \(digest?.hex ?? "")") }
    } catch {
      // A disk that cannot read it any more is damage like any other.
      guard case .system(let failure) = error else { throw error }
      add(.file(file.path), file.text, "\(failure)")
    }
  }

  private mutating func add(_ place: Damage.Place, _ expected: String, _ actual: String) {
    damages.append(Damage(of: version, place, expected: expected, actual: actual))
  }
}
