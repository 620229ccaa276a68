internal import DepotModel
internal import Platform

/// Looks whether a version that has just been put in place stands as its package lists it: every file, with its size.
/// Names and sizes only: the bytes were checked when they were written, moments ago.
struct HealthCheck: Sendable {
  let disk: MirrorDisk
  let store: Store

  /// What is wrong, in one line; nil when everything stands.
  func problem(with entry: JournalEntry) throws(MirrorError) -> String? {
    guard let record = try store.unpacked(entry.id, entry.version, entry.sha256) else { return nil }
    // Through `current`, as a player comes.
    let path = "\(entry.id.text)/\(MirrorDisk.currentTarget(entry.version))"
    return try onDisk { () throws(SystemError) in
      guard try disk.currentVersion(of: entry.id) == entry.version else {
        return "current does not name it"
      }
      var folders = OpenFolder(try disk.games.directory(path))
      var problems: [String] = []
      var count = 0
      for file in record.files {
        let status = try folders.status(of: file.path)
        if let status, status.kind == .regular, status.size == file.size { continue }
        count += 1
        guard problems.count < 3 else { continue }
        let found =
          status.map { $0.kind == .regular ? "has \($0.size) bytes" : "is no file" } ?? "is missing"
        problems.append("\(file.path.debugDescription) \(found)")
      }
      guard count > 0 else { return nil }
      let more = count > problems.count ? " and \(count - problems.count) more" : ""
      return "of its files, \(problems.joined(separator: ", "))\(more)"
    }
  }
}

/// A folder beneath which files are looked at in the order of their paths: the last parent stays open, so that neighbours
/// cost one call each.
struct OpenFolder {
  let root: Directory
  private var last: (path: Substring, directory: Directory?)?

  init(_ root: Directory) { self.root = root }

  /// What stands at `path`; nil when nothing does, or something on the way is no folder.
  mutating func status(of path: String) throws(SystemError) -> FileStatus? {
    guard let parent = path.parentFolders.last else { return try root.status(of: path) }
    if last?.path != parent { last = (parent, try open(String(parent))) }
    return try last?.directory?.status(of: String(path[path.utf8.index(after: parent.endIndex)...]))
  }

  private func open(_ path: String) throws(SystemError) -> Directory? {
    guard try root.status(of: path)?.kind == .directory else { return nil }
    return try root.directory(path)
  }
}
