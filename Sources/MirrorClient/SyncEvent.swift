public import DepotModel

/// Something that happened during a sync, for progress bars and logs. Told from any thread, in order per game.
public enum SyncEvent: Sendable {
  /// These are going to be looked at; `bytes` is the most that can come over the network.
  case planned(games: Int, bytes: Int64)
  /// A package is being fetched.
  case fetching(GameID, H5Version, size: Int64)
  /// So many bytes of the package are on disk now, those of earlier runs included.
  case fetched(GameID, bytes: Int64)
  /// The package is whole and being unpacked.
  case installing(GameID, H5Version)
  /// A game is done, well or not.
  case finished(GameOutcome)
}

/// Hears what happens; it must not block for long.
public typealias SyncObserver = @Sendable (SyncEvent) -> Void
