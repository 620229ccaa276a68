public import DepotModel

/// What one sync is to do. There are no hidden defaults: `mirror-sync`'s stand in its options.
public struct SyncOptions: Sendable {
  /// The channel whose targets are mirrored.
  public var channel: ChannelName
  /// Which games are mirrored.
  public var selection: GameSelection
  /// Packages fetched at the same time, at least 1.
  public var concurrency: Int
  /// Versions of each game that stay on disk, the current one included, at least 1.
  public var keep: Int
  /// Whether packages are unpacked below `games/`, or only kept in `packages/`.
  public var unpacks: Bool
  /// How long to wait for another run to end.
  public var lockWait: Duration
  /// For encrypted packages: a game whose password is not among them fails.
  public var passwords: PackagePasswords

  /// All of it.
  public init(
    channel: ChannelName, selection: GameSelection, concurrency: Int, keep: Int, unpacks: Bool,
    lockWait: Duration, passwords: PackagePasswords
  ) {
    self.channel = channel
    self.selection = selection
    self.concurrency = max(1, concurrency)
    self.keep = max(1, keep)
    self.unpacks = unpacks
    self.lockWait = lockWait
    self.passwords = passwords
  }
}

/// Which of a server's games a mirror holds.
public struct GameSelection: Sendable, Hashable {
  /// Only these; empty means all.
  public var only: Set<GameID>
  /// Never these.
  public var excluded: Set<GameID>

  /// All games, unless told otherwise.
  public init(only: Set<GameID> = [], excluded: Set<GameID> = []) {
    self.only = only
    self.excluded = excluded
  }

  /// Whether a game belongs to the mirror.
  public func includes(_ id: GameID) -> Bool {
    (only.isEmpty || only.contains(id)) && !excluded.contains(id)
  }

  /// Equal for equal selections: tells a later sync whether the games looked at have changed.
  var signature: String {
    "only=\(only.map(\.text).sorted().joined(separator: ",")) excluded=\(excluded.map(\.text).sorted().joined(separator: ","))"
  }
}
