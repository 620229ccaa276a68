internal import DepotModel

/// What was carried here, asked as a depot is: everything it has is listed each time.
struct CarriedDepot: DepotSource {
  let packages: CarriedPackages

  var name: String { packages.path }
  var tellsChanges: Bool { false }

  func listing(channel: ChannelName, after cursor: String?) async throws(MirrorError) -> ListingPage {
    let games = packages.games.map { game -> OfferedGame in
      guard let release = game.release else {
        return .failure(UnreadableGame(game: game.gameId.text, reason: "h5Size \(game.h5Size)"))
      }
      return .success(release)
    }
    return ListingPage(catalogue: packages.path, revision: 0, games: games, next: nil)
  }

  func changes(
    since point: CataloguePoint, channel: ChannelName, after cursor: String?
  ) async throws(MirrorError) -> ChangesAnswer { .gone }

  func manifest(of release: Release) async throws(MirrorError) -> UnpackingFacts {
    let game = packages.games.first { $0.h5Sha256 == release.sha256 && $0.gameId == release.id }
    if let contents = game?.contents { return UnpackingFacts(contents) }
    guard game != nil, let place = try packages.place(of: release), place.offset == 0 else {
      throw .download(reason: "its package was not carried along")
    }
    return UnpackingFacts(try CarriedGame.Contents(of: place.file, packages.reading(of: release.id)))
  }
}
