internal import DepotModel
internal import Platform

/// Compares one version on disk with what was recorded when it was installed. Changes nothing, makes nothing that is missing.
///
/// Quick: every file by kind, size and time, nothing more and nothing less than the package has, and the package's size; a
/// file whose time alone is another is read, and its digest decides. Full: every file and the package by digest.
struct VersionCheck: Sendable {
  let root: Directory
  let store: Store
  let isFull: Bool
  let isCancelled: @Sendable () -> Bool

  /// What was found of one version.
  struct Result: Sendable {
    var damages: [Damage] = []
    /// Looked at.
    var files = 0
    /// Read.
    var bytes: Int64 = 0
    /// Its files were not recorded, so nothing can be said of them.
    var isUnlisted = false
  }

  func run(_ version: InstalledVersion) throws(MirrorError) -> Result {
    var result = Result()
    if version.hasPackage { try checkPackage(version, &result) }
    guard version.isUnpacked else { return result }
    if version.isCurrent { try checkCurrent(version, &result) }
    guard let record = try store.unpacked(version.id, version.version, version.sha256) else {
      result.isUnlisted = true
      return result
    }
    let path = "games/\(version.id)/\(MirrorDisk.currentTarget(version.version))"
    guard try onDisk({ () throws(SystemError) in try root.status(of: path)?.kind == .directory }) else {
      for file in record.files {
        result.damages.append(
          Damage(of: version, .file(file.path), expected: file.text, actual: "nothing"))
      }
      for path in record.files.emptyFolders {
        result.damages.append(Damage(of: version, .folder(path), expected: "a folder", actual: "nothing"))
      }
      return result
    }
    let folder = try onDisk { () throws(SystemError) in try root.directory(path) }
    var walk = VersionWalk(version, record.files, isFull: isFull, isCancelled)
    try walk.run(folder)
    result.damages += walk.damages
    result.files += record.files.count
    result.bytes += walk.bytes
    return result
  }

  private func checkPackage(_ version: InstalledVersion, _ result: inout Result) throws(MirrorError) {
    let path = "packages/\(version.id)/\(MirrorDisk.packageName(version.version))"
    let expected = "\(version.size) bytes, SHA-256 \(version.sha256)"
    let status = try onDisk { () throws(SystemError) in try root.status(of: path) }
    guard let status, status.kind == .regular, status.size == version.size else {
      let actual = FileStatus.text(status)
      result.damages.append(Damage(of: version, .package, expected: expected, actual: actual))
      return
    }
    guard isFull else { return }
    do throws(MirrorError) {
      let file = try onDisk { () throws(SystemError) in try root.file(path, mode: .read) }
      let digest = try MirrorDisk.sha256(of: file, isCancelled: isCancelled)
      result.bytes += status.size
      guard digest != version.sha256 else { return }
      result.damages.append(
        Damage(of: version, .package, expected: expected, actual: "SHA-256 \(digest?.hex ?? "")"))
    } catch {
      guard case .system(let failure) = error else { throw error }
      result.damages.append(Damage(of: version, .package, expected: expected, actual: "\(failure)"))
    }
  }

  private func checkCurrent(_ version: InstalledVersion, _ result: inout Result) throws(MirrorError) {
    let (name, target) = (
      "games/\(version.id)/\(MirrorDisk.current)", MirrorDisk.currentTarget(version.version)
    )
    let found = try onDisk { () throws(SystemError) in
      guard try root.status(of: "games/\(version.id)")?.kind == .directory else { return nil as String? }
      return try root.symlinkTarget(name)
    }
    guard found != target else { return }
    result.damages.append(
      Damage(
        id: version.id, version: version.version, path: name, expected: "a link to \(target)",
        actual: found.map { "a link to \($0)" } ?? "no link", place: .current))
  }
}

extension Damage {
  init(of version: InstalledVersion, _ place: Place, expected: String, actual: String) {
    let folder = "games/\(version.id)/\(MirrorDisk.currentTarget(version.version))"
    let path =
      switch place {
      case .file(let path), .folder(let path), .extra(.some(let path)): "\(folder)/\(path)"
      case .extra(nil): folder
      case .package: "packages/\(version.id)/\(MirrorDisk.packageName(version.version))"
      case .current: "games/\(version.id)/\(MirrorDisk.current)"
      }
    self.init(
      id: version.id, version: version.version, path: path, expected: expected, actual: actual, place: place)
  }
}

extension InstalledFile {
  /// What should stand there, in words.
  var text: String { "\(size) bytes, SHA-256 \(sha256)" }
}

extension FileStatus {
  /// What stands there, in words.
  static func text(_ status: FileStatus?) -> String {
    guard let status else { return "nothing" }
    return switch status.kind {
    case .regular: "\(status.size) bytes"
    case .directory: "a folder"
    case .symlink: "a symlink"
    case .other: "no file"
    }
  }
}
