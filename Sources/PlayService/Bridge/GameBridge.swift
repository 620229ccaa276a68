internal import DepotModel
internal import HTTPWire
internal import Platform

/// `_depot/game.json` beside a game's own files: what the page that runs may want to know of itself, as apps' bridges tell
/// it.
struct GameBridge: Sendable {
  static let folder = "_depot"
  static let name = "game.json"

  let games: InstalledGames
  let record: (any MirrorRecord)?
  let logger: Logger

  /// Whether a path of a game means it. A file of that name that the game brings is out of reach: nobody could tell whose
  /// answer it is.
  static func isAsked(_ place: GamePlace) -> Bool { place.names == [folder, name] }

  /// For a page below `/play/<gameId>/` that asks for `/_depot/game.json`: to its own, which knows the page's version. Nil
  /// when no such page asks.
  static func redirect(_ request: HTTPRequest) -> HTTPResponse? {
    guard let referrer = request[.referer], let scheme = referrer.firstRange(of: "://") else { return nil }
    let path = referrer[scheme.upperBound...].drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" }
    guard let names = PathSegments(String(path))?.segments, names.count > 2, names[0] == "play",
      let id = GameID(names[1])
    else { return nil }
    return HTTPResponse(
      .temporaryRedirect,
      ["Location": "/play/\(id)/\(folder)/\(name)", "Cache-Control": "no-store", "Vary": "Referer"])
  }

  /// What is told: of the version that the page began with, and of what has come or is to come since.
  private struct Document: Encodable {
    struct File: Encodable {
      let path: String
      let size: Int64
    }

    let gameId: GameID
    let title: String
    let h5Version: H5Version
    /// What a reload gives.
    let current: H5Version
    /// What the server of the mirror offers and is not here yet.
    let newer: H5Version?
    let size: Int64
    let files: [File]

    enum CodingKeys: CodingKey { case gameId, title, h5Version, current, newer, size, files }

    /// Written by hand because what is not known is `null`, not missing.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(gameId, forKey: .gameId)
      try container.encode(title, forKey: .title)
      try container.encode(h5Version, forKey: .h5Version)
      try container.encode(current, forKey: .current)
      try container.encode(newer, forKey: .newer)
      try container.encode(size, forKey: .size)
      try container.encode(files, forKey: .files)
    }
  }

  /// Reads the record, so always later.
  func attempt(_ place: GamePlace, _ version: ServedVersion, _ request: HTTPRequest) -> Attempt {
    let request = request.detached()
    return .later { [self] in
      do throws(SystemError) {
        return try response(version, request)
      } catch {
        logger.error(
          "cannot tell of a game", requestID: request.id, ["game": place.id.text, "cause": error.description])
        return .plain(.internalServerError, "The game cannot be told of; the log has the cause.")
      }
    }
  }

  private func response(_ version: ServedVersion, _ request: HTTPRequest) throws(SystemError) -> HTTPResponse
  {
    let current = try games.currentVersion(of: version.id) ?? version.version
    let (game, files) = recorded(version)
    let document = Document(
      gameId: version.id, title: game?.title ?? version.id.text, h5Version: version.version, current: current,
      newer: game?.newer == current ? nil : game?.newer, size: files.reduce(0) { $0 + $1.size }, files: files)
    // Strings and numbers only: encoding them cannot fail.
    return .made(
      (try? JSON.encode(document)) ?? Array("{}".utf8), type: "application/json", varying: ["Cookie"],
      ["Cross-Origin-Resource-Policy": "same-origin"], for: request)
  }

  /// What is written down; else what the disk has.
  private func recorded(_ version: ServedVersion) -> (game: RecordedGame?, files: [Document.File]) {
    let game = record?.game(version.id)
    if let recorded = record?.version(version.id, version.version) {
      return (game, recorded.files.map { Document.File(path: $0.path, size: $0.size) })
    }
    let found = FolderWalk.files(in: version.folder, limit: FileIndex.limit) ?? []
    let files = found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return (game, files.map { Document.File(path: $0.path, size: $0.size) })
  }
}
