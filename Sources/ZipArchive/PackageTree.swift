/// Whether all paths of a package fit into one folder, also where case or normalisation do not tell names apart.
struct PackageTree {
  private struct Node {
    let key: String
    let path: String
    let isFolder: Bool
  }

  private var nodes: [Node] = []

  mutating func add(_ path: String, isFolder: Bool) {
    // U+0001 sorts before all that a sound name holds: what is in a folder comes right after the folder.
    let key = String(
      decoding: path.caseFolded.utf8.map { $0 == UInt8(ascii: "/") ? 1 : $0 }, as: UTF8.self)
    nodes.append(Node(key: key, path: path, isFolder: isFolder))
  }

  /// Adds `duplicate`, `case-collision`, `file-directory-conflict`, and `too-many-entries` where the paths imply more than
  /// `folderLimit` folders.
  mutating func judge(folderLimit: Int, _ findings: inout FindingList) {
    nodes.sort { $0.key < $1.key }
    var folders = 0
    var before: (node: Node, parts: [Substring])?
    for node in nodes {
      let parts = node.path.split(separator: "/", omittingEmptySubsequences: false)
      folders += parts.count - 1
      if let before {
        folders -= compare(before.node, before.parts, node, parts, &findings)
      }
      before = (node, parts)
    }
    if folders > folderLimit {
      findings.add(.tooManyEntries, "\(folders) folders; \(folderLimit) are allowed")
    }
  }

  /// Returns how many folders the two share.
  private func compare(
    _ left: Node, _ leftParts: [Substring], _ right: Node, _ rightParts: [Substring],
    _ findings: inout FindingList
  ) -> Int {
    if left.key == right.key {
      if left.path != right.path {
        findings.add(.caseCollision, path: right.path, "\(left.path) differs from it by case alone")
      } else if left.isFolder != right.isFolder {
        findings.add(.fileDirectoryConflict, path: right.path, "it is a file and a folder")
      } else {
        findings.add(.duplicate, path: right.path, "it is there more than once")
      }
      return rightParts.count - 1
    }
    var shared = 0
    for (leftPart, rightPart) in zip(leftParts, rightParts.dropLast()) {
      if leftPart != rightPart {
        guard leftPart.utf8.count == rightPart.utf8.count || !leftPart.utf8.allSatisfy({ $0 < 0x80 }),
          String(leftPart).caseFolded == String(rightPart).caseFolded
        else { break }
        findings.add(
          .caseCollision, path: right.path,
          "its folder \(rightPart) differs from the one of \(left.path) by case alone")
        break
      }
      shared += 1
    }
    if shared == leftParts.count, !left.isFolder {
      findings.add(.fileDirectoryConflict, path: left.path, "it is a file, and \(right.path) lies below it")
    }
    return min(shared, leftParts.count - 1)
  }
}
