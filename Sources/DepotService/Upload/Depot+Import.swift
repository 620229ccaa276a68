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
  /// In the order of game and then of modification, so that the newest file of a game ends up as its latest version.
  public internal(set) var candidates: [ImportCandidate] = []
  /// Paths of zips that are neither `<gameId>-<h5Version>.zip` nor `<gameId>/<h5Version>.zip`.
  public internal(set) var unreadable: [String] = []
}

extension ImportPlan {
  /// Reads the names in a folder; nothing is opened.
  public init(folder path: String) throws(DepotError) {
    do throws(SystemError) {
      let folder = try Directory(path: path)
      var found: [(candidate: ImportCandidate, modifiedAt: Int64)] = []
      for name in try folder.names() {
        guard let status = try folder.status(of: name) else { continue }
        switch status.kind {
        case .regular where Self.isZip(name):
          guard let (id, version) = Self.parse(name) else {
            unreadable.append(name)
            continue
          }
          found.append((ImportCandidate(path: name, gameID: id, version: version), status.modifiedAt))
        case .directory:
          found += try Self.versions(in: folder.directory(name), name, &unreadable)
        case .regular, .symlink, .other: continue
        }
      }
      found.sort { left, right in
        if left.candidate.gameID != right.candidate.gameID {
          return left.candidate.gameID < right.candidate.gameID
        }
        if left.modifiedAt != right.modifiedAt { return left.modifiedAt < right.modifiedAt }
        return left.candidate.path < right.candidate.path
      }
      candidates = found.map(\.candidate)
    } catch { throw .system(error) }
  }

  private static func versions(
    in folder: Directory, _ name: String, _ unreadable: inout [String]
  ) throws(SystemError) -> [(ImportCandidate, Int64)] {
    var found: [(ImportCandidate, Int64)] = []
    for file in try folder.names() where isZip(file) {
      guard let status = try folder.status(of: file), status.kind == .regular else { continue }
      guard let id = GameID(name), let version = H5Version(String(file.dropLast(4))) else {
        unreadable.append("\(name)/\(file)")
        continue
      }
      found.append(
        (ImportCandidate(path: "\(name)/\(file)", gameID: id, version: version), status.modifiedAt))
    }
    return found
  }

  private static func isZip(_ name: String) -> Bool { name.lowercased().hasSuffix(".zip") }

  /// Splits `<gameId>-<h5Version>.zip`. Both may hold hyphens: the version begins after the first hyphen that a digit
  /// or a `v` and a digit follows, else after the last one.
  private static func parse(_ name: String) -> (GameID, H5Version)? {
    let stem = name.dropLast(4)
    let hyphens = stem.indices.filter { stem[$0] == "-" }
    let beforeDigit = hyphens.first { index in
      var rest = stem[stem.index(after: index)...]
      if rest.first == "v" || rest.first == "V" { rest = rest.dropFirst() }
      return rest.first.map { $0.isASCII && $0.isNumber } ?? false
    }
    guard let split = beforeDigit ?? hyphens.last else { return nil }
    guard let id = GameID(String(stem[..<split])),
      let version = H5Version(String(stem[stem.index(after: split)...]))
    else { return nil }
    return (id, version)
  }
}
