/// What file managers and version control leave in zips and no game needs.
enum Junk {
  /// Whether `path` is such a thing, or lies below one.
  static func holds(_ path: String, isFolder: Bool) -> Bool {
    var rest = path[...]
    while let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) {
      if isJunkFolder(rest[..<slash]) { return true }
      rest = rest[rest.utf8.index(after: slash)...]
    }
    return isFolder ? isJunkFolder(rest) : isJunkFile(rest)
  }

  private static func isJunkFolder(_ name: Substring) -> Bool {
    name == "__MACOSX" || name == ".git" || name.hasPrefix("._")
  }

  private static func isJunkFile(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, ".tTdDI".utf8.contains(first) else { return false }
    if name == ".DS_Store" || name == "Icon\r" || name.hasPrefix("._") { return true }
    // Windows finds these whatever their case.
    return ["thumbs.db", "desktop.ini"].contains(name.lowercased())
  }
}
