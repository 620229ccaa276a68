/// What file managers and version control leave in zips and no game needs.
enum Junk {
  /// Whether `path` is such a thing, or lies below one.
  static func holds(_ path: String, isFolder: Bool) -> Bool {
    guard mayHold(path) else { return false }
    var rest = path[...]
    while let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) {
      if isJunkFolder(rest[..<slash]) { return true }
      rest = rest[rest.utf8.index(after: slash)...]
    }
    return isFolder ? isJunkFolder(rest) : isJunkFile(rest)
  }

  /// Some component begins like one of them: most names are done with here.
  private static func mayHold(_ path: String) -> Bool {
    var isStart = true
    for byte in path.utf8 {
      if isStart {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "d"),
          UInt8(ascii: "D"), UInt8(ascii: "I"):
          return true
        default: break
        }
      }
      isStart = byte == UInt8(ascii: "/")
    }
    return false
  }

  private static func isJunkFolder(_ name: Substring) -> Bool {
    name == "__MACOSX" || name == ".git" || name.hasPrefix("._")
  }

  private static func isJunkFile(_ name: Substring) -> Bool {
    if name == ".DS_Store" || name == "Icon\r" || name.hasPrefix("._") { return true }
    // Windows finds these whatever their case.
    return ["thumbs.db", "desktop.ini"].contains(name.lowercased())
  }
}
