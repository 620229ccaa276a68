public import DepotModel

/// Which of a server's games a mirror holds.
public struct GameSelection: Sendable, Hashable {
  /// These, by name: one that the server does not have is an error.
  public var only: Set<GameID>
  /// And these. With neither `only` nor `included` it is all games.
  public var included: Set<GamePattern>
  /// Never these.
  public var excluded: Set<GamePattern>

  /// All games, unless told otherwise.
  public init(only: Set<GameID> = [], included: Set<GamePattern> = [], excluded: Set<GamePattern> = []) {
    self.only = only
    self.included = included
    self.excluded = excluded
  }

  /// Whether a game belongs to the mirror.
  public func includes(_ id: GameID) -> Bool {
    let isWanted =
      only.isEmpty && included.isEmpty || only.contains(id) || included.contains { $0.matches(id) }
    return isWanted && !excluded.contains { $0.matches(id) }
  }

  /// Equal for equal selections: tells a later sync whether the games looked at have changed.
  var signature: String {
    func list(_ words: some Sequence<String>) -> String { words.sorted().joined(separator: ",") }
    let names = "only=\(list(only.map(\.text))) excluded=\(list(excluded.map(\.text)))"
    return included.isEmpty ? names : "\(names) included=\(list(included.map(\.text)))"
  }
}
