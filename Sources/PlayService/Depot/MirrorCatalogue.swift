public import DepotModel
public import Platform

/// What a mirror can hand on to mirrors of its own, as its record has it.
///
/// Each question is answered from one state of the record, committed when it is asked: another process syncs meanwhile. May
/// block; asked on worker threads. A mirror that was never synced has no games.
public protocol MirrorCatalogue: Sendable {
  /// A number that differs from the last one whenever any other answer here may differ; nil when that cannot be told. Asked
  /// on a loop, for each request: it takes microseconds.
  func changeToken() throws(MirrorCatalogueFailure) -> Int64?
  /// Where it stands.
  func state() throws(MirrorCatalogueFailure) -> CatalogueState
  /// The versions in use of the games after `id`, by id; at most one more than `limit`, which tells that there are more.
  func games(
    after id: GameID?, limit: Int, matching text: String?
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, games: [OfferedVersion])
  /// What changed after a place, in the order it changed; at most one more than `limit`.
  func changes(
    after place: ChangePlace, limit: Int
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, changes: [OfferedChange])
  /// The versions that stand of each of `ids`.
  func versions(
    of ids: [GameID]
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, games: [GameID: StandingGame])
  /// The package of a version; nil when it is missing.
  func package(of version: OfferedVersion) throws(MirrorCatalogueFailure) -> File?
}

/// Why a mirror cannot say what it has.
public struct MirrorCatalogueFailure: Error, Hashable {
  /// For a person, in one line.
  public let reason: String

  /// With the reason.
  public init(reason: String) { self.reason = reason }
}

/// Where a mirror's own catalogue stands.
public struct CatalogueState: Sendable, Hashable {
  /// Its uuid: not that of the depot.
  public let catalogue: String
  /// Grows with every change.
  public let revision: Int64
  /// The only channel there is: the one that the mirror follows.
  public let channel: ChannelName

  /// All of it.
  public init(catalogue: String, revision: Int64, channel: ChannelName) {
    self.catalogue = catalogue
    self.revision = revision
    self.channel = channel
  }
}

/// A version that stands in a mirror, with its package.
public struct OfferedVersion: Sendable, Hashable {
  /// As apps are told of it; its `h5Down` and `channel` are filled in by each answer.
  public let game: Game
  /// Whether it is the one in use.
  public let isCurrent: Bool
  /// When the version in use came into use; grows by a second at least with every move.
  public let movedAt: Timestamp
  /// The wrapper folder that paths have lost, as the depot said; nil when that is not known.
  public let root: String?
  /// How the names in the zip are read, as the depot said; nil when that is not known.
  public let namesEncoding: String?

  /// All of it.
  public init(
    game: Game, isCurrent: Bool, movedAt: Timestamp, root: String?, namesEncoding: String?
  ) {
    self.game = game
    self.isCurrent = isCurrent
    self.movedAt = movedAt
    self.root = root
    self.namesEncoding = namesEncoding
  }
}

/// What stands of a game.
public struct StandingGame: Sendable, Hashable {
  /// In no order.
  public let versions: [OfferedVersion]
  /// Nothing stands, but something did.
  public let isRemoved: Bool

  /// All of it.
  public init(versions: [OfferedVersion], isRemoved: Bool) {
    self.versions = versions
    self.isRemoved = isRemoved
  }
}

/// A place in the order of changes.
public struct ChangePlace: Sendable, Hashable {
  /// The revision of the change.
  public let revision: Int64
  /// Which game changed; empty before all games.
  public let game: String

  /// All of it.
  public init(revision: Int64, game: String) {
    self.revision = revision
    self.game = game
  }
}

/// Something that happened to a game.
public struct OfferedChange: Sendable, Hashable {
  /// Where in the order.
  public let place: ChangePlace
  /// The game.
  public let id: GameID
  /// What is in use now; nil when the game is gone.
  public let version: OfferedVersion?

  /// All of it.
  public init(place: ChangePlace, id: GameID, version: OfferedVersion?) {
    self.place = place
    self.id = id
    self.version = version
  }
}
