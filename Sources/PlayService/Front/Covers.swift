internal import DepotModel
internal import Platform
internal import Synchronization

/// The pictures games bring for a list of games, looked for once in each version.
final class Covers: Sendable {
  /// Beside the game's page, or in a folder for pictures.
  private static let folders = ["", "img/", "images/", "icons/"]
  private static let names = [
    "cover.png", "cover.jpg", "cover.jpeg", "cover.webp", "icon.png", "icon.svg", "icon.webp", "icon.jpg",
    "icon.gif",
    "icon.ico",
  ]

  private struct Known {
    let version: H5Version
    let path: String?
  }
  private let known = Mutex<[GameID: Known]>([:])

  /// The path of the picture below `folder`, which holds that version's files: a cover before an icon, beside the page
  /// before in a folder. Nil when there is none, or it cannot be looked for.
  func path(of id: GameID, _ version: H5Version, in folder: () throws(SystemError) -> Directory) -> String? {
    if let known = known.withLock({ $0[id] }), known.version == version { return known.path }
    guard let folder = try? folder() else { return nil }
    let path = Self.names.lazy
      .flatMap { name in Self.folders.map { $0 + name } }
      .first { path in (try? folder.status(of: path))??.kind == .regular }
    known.withLock { $0[id] = Known(version: version, path: path) }
    return path
  }
}
