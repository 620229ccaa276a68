import DepotModel
import Platform
import PlayService
import Synchronization

/// A catalogue that changes while it is asked, and counts how often it is.
final class ChangingCatalogue: MirrorCatalogue {
  private struct State {
    var catalogue: ScriptedCatalogue
    var token: Int64? = 1
    var questions = 0
  }
  private let held: Mutex<State>

  init(_ catalogue: ScriptedCatalogue) { held = Mutex(State(catalogue: catalogue)) }

  /// How often it was asked for anything but its token.
  var questions: Int { held.withLock { $0.questions } }

  func change(_ body: (inout ScriptedCatalogue) throws -> Void) throws {
    try held.withLock { state in
      try body(&state.catalogue)
      state.token = state.token.map { $0 + 1 }
    }
  }

  /// Whether changes show; without, nothing may be kept.
  func showChanges(_ isShown: Bool) { held.withLock { $0.token = isShown ? 1 : nil } }

  private func asked() -> ScriptedCatalogue {
    held.withLock { state in
      state.questions += 1
      return state.catalogue
    }
  }

  func changeToken() throws(MirrorCatalogueFailure) -> Int64? { held.withLock { $0.token } }

  func state() throws(MirrorCatalogueFailure) -> CatalogueState { try asked().state() }

  func games(
    after id: GameID?, limit: Int, matching text: String?
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, games: [OfferedVersion]) {
    try asked().games(after: id, limit: limit, matching: text)
  }

  func changes(
    after place: ChangePlace, limit: Int
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, changes: [OfferedChange]) {
    try asked().changes(after: place, limit: limit)
  }

  func versions(
    of ids: [GameID]
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, games: [GameID: StandingGame]) {
    try asked().versions(of: ids)
  }

  func package(of version: OfferedVersion) throws(MirrorCatalogueFailure) -> File? {
    try asked().package(of: version)
  }
}
