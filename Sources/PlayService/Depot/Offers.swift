internal import DepotModel
internal import Platform
internal import ReadAPI

/// A mirror's catalogue in the words of an answer.
struct Offers: Sendable {
  private let catalogue: any MirrorCatalogue

  init(_ catalogue: any MirrorCatalogue) { self.catalogue = catalogue }

  /// Nil while nothing can be kept: no change would show.
  var changeToken: Int64? { (try? catalogue.changeToken()) ?? nil }

  /// Throws `unavailable` while the record cannot be read.
  func reading<Value>(
    _ read: (any MirrorCatalogue) throws(MirrorCatalogueFailure) -> Value
  ) throws(Problem) -> Value {
    do throws(MirrorCatalogueFailure) { return try read(catalogue) } catch {
      throw Problem.tryAgain("The mirror's record cannot be read now: \(error.reason).").caused(by: error)
    }
  }

  /// What a game has, and where the catalogue stands. Throws `unknown-game`.
  func game(_ id: GameID) throws(Problem) -> (state: CatalogueState, versions: GameVersions) {
    let found = try reading { (catalogue) throws(MirrorCatalogueFailure) in try catalogue.versions(of: [id]) }
    guard let game = found.games[id], let versions = GameVersions(game) else { throw .unknownGame(id) }
    return (found.state, versions)
  }

  /// Which version a URL means. Throws `unknown-game`, `unknown-version` and `unknown-channel`.
  func version(_ target: PackageTarget) throws(Problem) -> (state: CatalogueState, version: OfferedVersion) {
    let (state, versions) = try game(target.id)
    if let version = target.version {
      guard let found = versions.version(version) else { throw .unknownVersion(target.id, version) }
      return (state, found)
    }
    guard target.channel == state.channel else { throw .unknownChannel(target.id, target.channel) }
    return (state, versions.current)
  }

  /// The package of a version. Throws `not-found` when it is missing.
  func package(of version: OfferedVersion) throws(Problem) -> File {
    let file = try reading { (catalogue) throws(MirrorCatalogueFailure) in
      try catalogue.package(of: version)
    }
    guard let file else {
      let game = version.game
      throw Problem(
        .notFound,
        "The package of \(game.gameId) \(game.h5Version) is missing here; mirror-sync verify --repair mends that."
      )
    }
    return file
  }
}

/// The versions of a game that stands.
struct GameVersions: Sendable {
  let current: OfferedVersion
  /// Newest first.
  let listed: [OfferedVersion]

  /// Nil when none is in use.
  init?(_ game: StandingGame) {
    guard let current = game.versions.first(where: \.isCurrent) else { return nil }
    self.current = current
    listed = game.versions.sorted { Self.place(of: $0) > Self.place(of: $1) }
  }

  func version(_ version: H5Version) -> OfferedVersion? { listed.first { $0.game.h5Version == version } }

  /// Versions of the same second in the order of their names, so that pages of them have an order.
  static func place(of version: OfferedVersion) -> HistoryPlace {
    HistoryPlace(publishedAt: version.game.publishedAt.seconds, version: version.game.h5Version.text)
  }
}

/// A place in a history.
struct HistoryPlace: Comparable {
  let publishedAt: Int64
  let version: String

  init(publishedAt: Int64, version: String) {
    self.publishedAt = publishedAt
    self.version = version
  }

  /// Reads a cursor.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let publishedAt = Int64(parts[0]), let version = H5Version(String(parts[1]))
    else {
      return nil
    }
    self.init(publishedAt: publishedAt, version: version.text)
  }

  var text: String { "\(publishedAt):\(version)" }

  static func < (left: HistoryPlace, right: HistoryPlace) -> Bool {
    (left.publishedAt, left.version) < (right.publishedAt, right.version)
  }
}

extension ChangePlace {
  /// Reads a cursor.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let revision = Int64(parts[0]), let game = GameID(String(parts[1])) else {
      return nil
    }
    self.init(revision: revision, game: game.text)
  }

  var text: String { "\(revision):\(game)" }
}

extension OfferedVersion {
  /// As an answer tells it.
  func told(_ state: CatalogueState, _ base: BaseURL) -> Game {
    var game = game
    game.h5Down = base.package(of: game.gameId, game.h5Version)
    game.channel = isCurrent ? state.channel : nil
    return game
  }
}
