internal import DepotModel

/// Where a game stands in the space of URLs: below `/play/<gameId>/`, or at the root of a host of its own.
struct GamePlace: Sendable {
  let id: GameID
  /// Of the URLs of its files, with a slash at the end.
  let root: String
  /// The decoded names below it, at least one; the last is empty for a folder.
  let names: [String]
}
