internal import DepotModel

/// What the front page tells of one installed game.
struct FrontGame: Sendable {
  let id: GameID
  let version: H5Version
  /// As its publisher wrote it; the id when nothing is recorded.
  let title: String
  /// Bytes of its files; nil when nothing is recorded.
  let size: Int64?
  /// When this version was installed; nil when nothing is recorded.
  let installedAt: Timestamp?
  /// The path of its cover below the version's folder.
  let cover: String?
}
