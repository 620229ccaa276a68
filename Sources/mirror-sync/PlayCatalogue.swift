import DepotModel
import MirrorClient
import Platform
import PlayService

/// What a mirror hands on, for the play server.
struct PlayCatalogue: MirrorCatalogue {
  private let offers: MirrorOffers

  init(destination: String) { offers = MirrorOffers(destination: destination) }

  func changeToken() throws(MirrorCatalogueFailure) -> Int64? {
    try reading { () throws(MirrorError) in try offers.changeToken() }
  }

  func state() throws(MirrorCatalogueFailure) -> CatalogueState {
    try reading { () throws(MirrorError) in CatalogueState(try offers.state()) }
  }

  func games(
    after id: GameID?, limit: Int, matching text: String?
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, games: [OfferedVersion]) {
    try reading { () throws(MirrorError) in
      let found = try offers.games(after: id, limit: limit, matching: text)
      return (CatalogueState(found.state), found.offers.map { OfferedVersion($0) })
    }
  }

  func changes(
    after place: ChangePlace, limit: Int
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, changes: [OfferedChange]) {
    try reading { () throws(MirrorError) in
      let found = try offers.changes(
        after: MirrorOffers.Place(revision: place.revision, game: place.game), limit: limit)
      let changes = found.changes.map { change in
        OfferedChange(
          place: ChangePlace(revision: change.place.revision, game: change.place.game), id: change.id,
          version: change.offer.map { OfferedVersion($0) })
      }
      return (CatalogueState(found.state), changes)
    }
  }

  func versions(
    of ids: [GameID]
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, games: [GameID: StandingGame]) {
    try reading { () throws(MirrorError) in
      let found = try offers.versions(of: ids)
      let games = found.games.mapValues { game in
        StandingGame(versions: game.all.map { OfferedVersion($0) }, isRemoved: game.isRemoved)
      }
      return (CatalogueState(found.state), games)
    }
  }

  func package(of version: OfferedVersion) throws(MirrorCatalogueFailure) -> File? {
    let game = version.game
    return try reading { () throws(MirrorError) in
      try offers.package(of: game.gameId, game.h5Version, size: game.h5Size)
    }
  }

  private func reading<Value>(
    _ read: () throws(MirrorError) -> Value
  ) throws(MirrorCatalogueFailure) -> Value {
    do throws(MirrorError) { return try read() } catch {
      throw MirrorCatalogueFailure(reason: error.description)
    }
  }
}

extension CatalogueState {
  init(_ state: MirrorOffers.State) {
    self.init(catalogue: state.point.catalogue, revision: state.point.revision, channel: state.channel)
  }
}

extension OfferedVersion {
  init(_ offer: MirrorOffers.Offer) {
    self.init(
      game: Game(
        gameId: offer.id, title: offer.title, h5Version: offer.version, h5Down: "", h5Md5: offer.md5,
        h5Sha256: offer.sha256, h5Size: offer.size, publishedAt: offer.publishedAt,
        mandatory: offer.mandatory, minHostVersion: offer.minHostVersion, channel: nil, notes: offer.notes),
      isCurrent: offer.isCurrent, movedAt: offer.movedAt, root: offer.root,
      namesEncoding: offer.namesEncoding)
  }
}
