public import DepotModel
public import Platform

/// What a mirror can hand on to mirrors of its own: the versions whose packages are kept in it, as their server told of them,
/// and what changed since. A game that is kept without the package in use is not offered: nobody could fetch it. Read beside syncs that run, without a lock and without changing anything.
///
/// Any thread; every call blocks on SQLite, some milliseconds. A mirror that was never synced offers nothing.
public final class MirrorOffers: Sendable {
  /// Where the mirror's own catalogue stands.
  public struct State: Sendable, Hashable {
    /// Not the server's: every mirror counts for itself.
    public let point: CataloguePoint
    /// The channel that the mirror follows.
    public let channel: ChannelName

    /// Of a mirror that was never synced. RFC 9562 §5.9: the Nil UUID.
    static let empty = State(
      point: CataloguePoint(catalogue: "00000000-0000-0000-0000-000000000000", revision: 0), channel: .stable)
  }

  /// A version that stands here.
  public struct Offer: Sendable, Hashable {
    /// The game.
    public let id: GameID
    /// As the server told it last.
    public let title: String
    /// Which version.
    public let version: H5Version
    /// Of the package.
    public let sha256: SHA256Digest
    /// Of the package.
    public let md5: MD5Digest
    /// Bytes of the package.
    public let size: Int64
    /// By the server; when the version was installed if that was not kept.
    public let publishedAt: Timestamp
    /// Whether clients must update before they play.
    public let mandatory: Bool
    /// The oldest host application that can run it; nil for any.
    public let minHostVersion: String?
    /// What its publisher says of it.
    public let notes: String?
    /// Whether it is the one in use.
    public let isCurrent: Bool
    /// When the version in use came into use here; grows by a second at least with every move.
    public let movedAt: Timestamp
    /// The wrapper folder that paths have lost, as the server said; nil when that was not recorded.
    public let root: String?
    /// How the names in the zip are read, as the server said; nil when that was not recorded.
    public let namesEncoding: String?
  }

  /// A place in the order of changes.
  public struct Place: Sendable, Hashable {
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
  public struct Change: Sendable, Hashable {
    /// Where in the order.
    public let place: Place
    /// The game.
    public let id: GameID
    /// What is in use now; nil when the game is gone, or kept without its package.
    public let offer: Offer?
  }

  /// What stands of a game.
  public struct Versions: Sendable, Hashable {
    /// In no order.
    public let all: [Offer]
    /// Nothing stands, but something did.
    public let isRemoved: Bool
  }

  private let destination: String
  private let standing: StandingStore
  /// A connection of its own: who only asks whether something changed must not wait for a query.
  private let watched: StandingStore

  /// Of the mirror in that folder.
  public init(destination: String) {
    self.destination = destination
    standing = StandingStore(destination: destination)
    watched = StandingStore(destination: destination)
  }

  /// A number that differs from the last one whenever what is offered may have changed, by whatever process; nil while nothing
  /// is known, or no change could be seen. Takes microseconds.
  public func changeToken() throws(MirrorError) -> Int64? { try watched.changeToken() }

  /// Where the catalogue stands.
  public func state() throws(MirrorError) -> State {
    try reading { (store) throws(MirrorError) in try store.offeringState() } ?? .empty
  }

  /// The versions in use of the games after `id`, by id; at most one more than `limit`, which tells that there are more.
  /// `text` is a part of the id or title, in whatever case of ASCII letters.
  public func games(
    after id: GameID?, limit: Int, matching text: String?
  ) throws(MirrorError) -> (state: State, offers: [Offer]) {
    try reading { (store) throws(MirrorError) in
      try store.offers(after: id, limit: limit, matching: text)
    } ?? (.empty, [])
  }

  /// What changed after a place, in the order it changed; at most one more than `limit`.
  public func changes(after place: Place, limit: Int) throws(MirrorError) -> (state: State, changes: [Change])
  {
    try reading { (store) throws(MirrorError) in
      try store.offerChanges(after: place, limit: limit)
    } ?? (.empty, [])
  }

  /// The versions that stand of each of `ids`.
  public func versions(of ids: [GameID]) throws(MirrorError) -> (state: State, games: [GameID: Versions]) {
    try reading { (store) throws(MirrorError) in try store.offeredVersions(of: ids) } ?? (.empty, [:])
  }

  /// The package of a version; nil when none of that size, in bytes, is kept.
  public func package(of id: GameID, _ version: H5Version, size: Int64) throws(MirrorError) -> File? {
    try onDisk { () throws(SystemError) in
      do throws(SystemError) {
        let file = try Directory(path: destination).file(
          MirrorLook.packagePath(id, version), mode: .read)
        let status = try file.status
        return status.kind == .regular && status.size == size ? file : nil
      } catch {
        guard error.isNotFound || error.errno == 20 else { throw error }
        return nil
      }
    }
  }

  /// Nil when there is no record.
  private func reading<Value>(_ read: (Store) throws(MirrorError) -> Value) throws(MirrorError) -> Value? {
    try standing.reading { (store) throws(MirrorError) in
      guard try store.keepsOffers() else {
        throw .store(
          path: store.path,
          reason: "it was written by an earlier version; the next sync brings it up to date",
          isUnwritable: false)
      }
      return try read(store)
    }
  }
}
