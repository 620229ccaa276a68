/// Whether all paths of a package fit into one folder, also where case or normalisation do not tell names apart.
struct PackageTree {
  private struct Node {
    /// Of its key in `keys`.
    let start: Int
    let end: Int
    let path: String
    let isFolder: Bool

    var length: Int { end - start }
  }

  /// Sorts before all that a sound name holds: what is in a folder comes right after the folder.
  private static let separator: UInt8 = 1

  /// The folded paths, one after the other: 100,000 strings of their own would take more room.
  private var keys: [UInt8] = []
  private var nodes: [Node] = []
  private var folding = CaseFolding()

  /// With room for so many paths and bytes: keys that grow would take twice as much for a moment.
  init(paths: Int, bytes: Int) {
    nodes.reserveCapacity(paths)
    keys.reserveCapacity(bytes)
  }

  mutating func add(_ path: String, isFolder: Bool) {
    let start = keys.count
    if path.utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in path.utf8 {
        let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        keys.append(byte == UInt8(ascii: "/") ? Self.separator : isUpper ? byte | 0x20 : byte)
      }
    } else {
      for byte in folding.fold(path).utf8 { keys.append(byte == UInt8(ascii: "/") ? Self.separator : byte) }
    }
    nodes.append(Node(start: start, end: keys.count, path: path, isFolder: isFolder))
  }

  /// Adds `duplicate`, `case-collision`, `file-directory-conflict`, and `too-many-entries` where the paths imply more than
  /// `folderLimit` folders.
  mutating func judge(folderLimit: Int, _ findings: inout FindingList) {
    let keys = keys
    nodes.sort { left, right in
      for index in 0..<min(left.length, right.length) {
        let (one, other) = (keys[left.start + index], keys[right.start + index])
        if one != other { return one < other }
      }
      return left.length < right.length
    }
    var folders = 0
    var before: Node?
    for node in nodes {
      folders += keys[node.start..<node.end].count { $0 == Self.separator }
      if let before { folders -= compare(before, node, &findings) }
      before = node
    }
    if folders > folderLimit {
      findings.add(.tooManyEntries, "\(folders) folders; \(folderLimit) are allowed")
    }
  }

  /// Returns how many folders the two share. `left` sorts before `right`, or equal.
  private func compare(_ left: Node, _ right: Node, _ findings: inout FindingList) -> Int {
    var common = 0
    var shared = 0
    while common < min(left.length, right.length), keys[left.start + common] == keys[right.start + common] {
      if keys[left.start + common] == Self.separator { shared += 1 }
      common += 1
    }
    if common == left.length && common == right.length {
      tellEqual(left, right, &findings)
      return shared
    }
    let isBelow = common == left.length && keys[right.start + common] == Self.separator
    if isBelow { shared += 1 }
    if !haveSameText(left.path, right.path, components: shared) {
      findings.add(
        .caseCollision, path: right.path,
        "one of its folders differs from the one of \(left.path) by case alone")
    } else if isBelow && !left.isFolder {
      findings.add(.fileDirectoryConflict, path: left.path, "it is a file, and \(right.path) lies below it")
    }
    return shared
  }

  private func tellEqual(_ left: Node, _ right: Node, _ findings: inout FindingList) {
    if left.path != right.path {
      findings.add(.caseCollision, path: right.path, "\(left.path) differs from it by case alone")
    } else if left.isFolder != right.isFolder {
      findings.add(.fileDirectoryConflict, path: right.path, "it is a file and a folder")
    } else {
      findings.add(.duplicate, path: right.path, "it is there more than once")
    }
  }

  private func haveSameText(_ left: String, _ right: String, components: Int) -> Bool {
    var left = left.utf8.makeIterator()
    var remaining = components
    for byte in right.utf8 {
      guard remaining > 0 else { return true }
      if byte == UInt8(ascii: "/") { remaining -= 1 }
      // A path that ends here is the folder itself.
      guard let other = left.next() else { return remaining == 0 }
      if byte != other { return false }
    }
    return true
  }
}
