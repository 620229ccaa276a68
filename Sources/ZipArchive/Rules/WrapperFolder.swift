/// The folder that holds everything else of a package, if there is one.
enum WrapperFolder {
  /// The deepest folder that holds every file and folder, with its slash, when an `index.html` is below it; else empty.
  static func find(files: some Sequence<String>, folders: some Sequence<String>) -> String {
    var root: Substring?
    var hasIndex = false
    for path in files {
      root = root.map { common($0, path) } ?? parent(of: path)
      hasIndex = hasIndex || path == "index.html" || path.hasSuffix("/index.html")
      if root?.isEmpty == true { return "" }
    }
    guard var root, hasIndex else { return "" }
    // A folder on the way to the root is the wrapper itself.
    for path in folders where !root.utf8.starts(with: (path + "/").utf8) { root = common(root, path + "/") }
    return clean(root)
  }

  /// What `folder` (with its slash) and `path` have in common, up to a slash.
  private static func common(_ folder: Substring, _ path: String) -> Substring {
    if path.utf8.starts(with: folder.utf8) { return folder }
    var end = folder.startIndex
    var index = folder.startIndex
    for (left, right) in zip(folder.utf8, path.utf8) {
      guard left == right else { break }
      index = folder.utf8.index(after: index)
      if left == UInt8(ascii: "/") { end = index }
    }
    return folder[..<end]
  }

  private static func parent(of path: String) -> Substring {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return path[..<path.utf8.index(after: slash)]
  }

  /// Only as far as its names are sound: an unsound one is to be told, not dropped.
  private static func clean(_ root: Substring) -> String {
    var result = ""
    for component in root.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
      guard EntryName.breaches(of: String(component)).isEmpty else { break }
      result.unicodeScalars += component
      result += "/"
    }
    return result
  }
}
