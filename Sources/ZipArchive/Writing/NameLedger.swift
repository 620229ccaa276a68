/// The names in an archive being written: says which further one our own reader would refuse, clean or drop.
struct NameLedger {
  private enum Kind {
    case file
    /// With an entry of its own.
    case folder
    /// Only as a part of other names.
    case impliedFolder
  }

  private struct Holder {
    /// As it is spelled.
    let path: String
    var kind: Kind
  }

  /// By the name that a file system without case would hold it under.
  private var holders: [String: Holder] = [:]

  /// Nil when `path` (NFC, no slash behind) may be added.
  func refusal(of path: String, isFolder: Bool) -> Finding? {
    if let breach = EntryName.breaches(of: path).first {
      return Finding(breach.rule, path: path, severity: .error, breach.detail)
    }
    if path.utf8.contains(UInt8(ascii: "\\")) {
      return Finding(
        .backslash, path: path, severity: .error, "readers take a backslash for what separates folders")
    }
    if Junk.holds(path, isFolder: isFolder) {
      return Finding(.junk, path: path, severity: .error, "readers leave such a file out")
    }
    for folder in Self.folders(of: path) {
      guard let holder = holders[folder.key] else { continue }
      if holder.path != folder.path { return collision(path, with: holder.path) }
      if holder.kind == .file {
        return Finding(.fileDirectoryConflict, path: path, "\(folder.path) is a file, and this lies below it")
      }
    }
    guard let holder = holders[path.caseFolded] else { return nil }
    if holder.path != path { return collision(path, with: holder.path) }
    switch (holder.kind, isFolder) {
    case (.impliedFolder, true): return nil
    case (.file, false), (.folder, true): return Finding(.duplicate, path: path, "it is there already")
    case (.file, true), (.folder, false), (.impliedFolder, false):
      return Finding(.fileDirectoryConflict, path: path, "it would be a file and a folder")
    }
  }

  /// Remembers a name, and the folders it lies in.
  mutating func add(_ path: String, isFolder: Bool) {
    for folder in Self.folders(of: path) where holders[folder.key] == nil {
      holders[folder.key] = Holder(path: folder.path, kind: .impliedFolder)
    }
    let folded = path.caseFolded
    // Two strings that are the same share their bytes.
    holders[folded == path ? path : folded] = Holder(path: path, kind: isFolder ? .folder : .file)
  }

  private func collision(_ path: String, with other: String) -> Finding {
    Finding(.caseCollision, path: path, "\(other) differs from it by case alone, as a whole or in a folder")
  }

  /// All folders that `path` lies in, outermost first, each also as it is looked up.
  private static func folders(of path: String) -> [(path: String, key: String)] {
    path.utf8.indices.compactMap { index in
      guard path.utf8[index] == UInt8(ascii: "/") else { return nil }
      let folder = String(path[..<index])
      return (folder, folder.caseFolded)
    }
  }
}
