internal import Platform

/// The files of a version as its folder has them, for a mirror whose record tells nothing of it.
enum FolderWalk {
  /// Every regular file; nil when there are more than `limit` names. What cannot be read, and names that are not UTF-8, which
  /// no URL could say, are left out.
  static func files(in folder: Directory, limit: Int) -> [FileIndex.Entry]? {
    var files: [FileIndex.Entry] = []
    var seen = 0
    var waiting = [""]
    while let prefix = waiting.popLast() {
      guard let opened = try? prefix.isEmpty ? folder : folder.directory(prefix),
        let names = try? opened.rawNames()
      else { continue }
      seen += names.count
      guard seen <= limit else { return nil }
      for bytes in names {
        guard let name = String(validating: bytes, as: UTF8.self), let status = try? opened.status(of: name)
        else { continue }
        let path = prefix.isEmpty ? name : "\(prefix)/\(name)"
        switch status.kind {
        case .regular:
          files.append(.init(path: path, size: status.size, sha256: nil, modifiedAtNanoseconds: nil))
        case .directory: waiting.append(path)
        case .symlink, .other: break
        }
      }
    }
    return files
  }
}
