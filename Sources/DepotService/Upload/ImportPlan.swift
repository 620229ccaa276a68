public import DepotModel
internal import Platform

/// A zip of a folder that is to be imported, with the game and version its name tells.
public struct ImportCandidate: Sendable, Hashable {
  /// Relative to the folder.
  public let path: String
  /// The game.
  public let gameID: GameID
  /// The version.
  public let version: H5Version
}

/// The zips of a folder: those whose name tells what they are, and those whose name does not.
public struct ImportPlan: Sendable, Hashable {
  /// In the order of game and then of version, so that the highest of a game ends up as its current one.
  public internal(set) var candidates: [ImportCandidate] = []
  /// Paths of zips that are neither `<gameId>-<h5Version>.zip` nor `<gameId>/<h5Version>.zip`.
  public internal(set) var unreadable: [String] = []
}

extension ImportPlan {
  /// Reads the names in a folder; nothing is opened.
  public init(folder path: String) throws(DepotError) {
    do throws(SystemError) {
      let folder = try Directory(path: path)
      var found: [ImportCandidate] = []
      for name in try folder.names() {
        guard let status = try folder.status(of: name) else { continue }
        switch status.kind {
        case .regular where Self.isZip(name):
          let parts = ImportName(String(name.dropLast(4)))
          guard let id = GameID(parts.id), let version = H5Version(parts.version) else {
            unreadable.append(name)
            continue
          }
          found.append(ImportCandidate(path: name, gameID: id, version: version))
        case .directory:
          found += try Self.versions(in: folder.directory(name), name, &unreadable)
        case .regular, .symlink, .other: continue
        }
      }
      candidates = found.sorted { left, right in
        if left.gameID != right.gameID { return left.gameID < right.gameID }
        if left.version != right.version {
          return VersionOrder.precedes(left.version.text, right.version.text)
        }
        return left.path < right.path
      }
    } catch { throw .system(error) }
  }

  private static func versions(
    in folder: Directory, _ name: String, _ unreadable: inout [String]
  ) throws(SystemError) -> [ImportCandidate] {
    var found: [ImportCandidate] = []
    for file in try folder.names() where isZip(file) {
      guard let status = try folder.status(of: file), status.kind == .regular else { continue }
      guard let id = GameID(name), let version = H5Version(String(file.dropLast(4))) else {
        unreadable.append("\(name)/\(file)")
        continue
      }
      found.append(ImportCandidate(path: "\(name)/\(file)", gameID: id, version: version))
    }
    return found
  }

  private static func isZip(_ name: String) -> Bool { name.lowercased().hasSuffix(".zip") }
}
