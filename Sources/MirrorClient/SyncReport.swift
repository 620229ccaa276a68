public import DepotModel

/// What one sync did.
public struct SyncReport: Sendable, Hashable {
  /// The games that were looked at, in the order of their names. A game the server did not mention and that was in step
  /// is not among them.
  public var outcomes: [GameOutcome] = []
  /// Games on disk that the server no longer has; they stay.
  public var removedOnServer: [GameID] = []
  /// Why none of them was deleted though that was wanted.
  public var heldDeletion: HeldDeletion?
  /// Games there was no time for; the next sync goes on with them.
  public var left: [GameID] = []
  /// What went wrong without harming a game, such as an old version that could not be deleted. One line each.
  public var warnings: [String] = []
  /// What is worth telling of games that were installed, such as a page they refer to and do not have. One line each.
  public var notices: [String] = []
  /// What is worth knowing though nothing went wrong, such as why a package was fetched whole where an update by parts was
  /// tried. One line each.
  public var notes: [String] = []
  /// The catalogue's revision that the mirror is now in step with; nil when an answer could not be read in full.
  public var revision: Int64?

  /// Nothing done yet.
  public init() {}

  /// Bytes that came over the network for packages.
  public var bytesFetched: Int64 { outcomes.reduce(0) { $0 + $1.bytesFetched } }

  /// The games that failed, with why.
  public var failures: [(game: String, error: MirrorError)] {
    outcomes.compactMap { outcome in
      if case .failed(let error) = outcome.result { (outcome.game, error) } else { nil }
    }
  }

  /// 0 in step with the server; 73 no room or no right to write; 77 token refused; 1 a game failed otherwise, or there
  /// was no time for one; 25 games were to be deleted and stay.
  public var exitCode: Int32 {
    let codes = failures.map(\.error.exitCode)
    if codes.contains(73) { return 73 }
    if codes.contains(77) { return 77 }
    guard codes.isEmpty, left.isEmpty else { return 1 }
    return heldDeletion == nil ? 0 : 25
  }
}

/// What became of one game in a sync.
public struct GameOutcome: Sendable, Hashable {
  /// How it ended.
  public enum Result: Sendable, Hashable {
    /// It was not there before.
    case installed(H5Version)
    /// Another version, or other bytes of the same version, now stands; `previous` was current before.
    case updated(H5Version, previous: H5Version)
    /// What is on disk is what the server offers: no request was made for the package.
    case unchanged(H5Version)
    /// The server no longer has it, and it was deleted; what was current before.
    case removed(H5Version?)
    /// What was current before still is.
    case failed(MirrorError)
  }

  /// The game's id, as the server wrote it even where that is no valid id.
  public let game: String
  /// How it ended.
  public let result: Result
  /// Bytes that came over the network for its package.
  public let bytesFetched: Int64

  /// All of it.
  public init(game: String, result: Result, bytesFetched: Int64) {
    self.game = game
    self.result = result
    self.bytesFetched = bytesFetched
  }
}
