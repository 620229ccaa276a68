public import DepotModel

/// What one sync is to do. There are no hidden defaults: `mirror-sync`'s stand in its options.
public struct SyncOptions: Sendable {
  /// The channel whose targets are mirrored.
  public var channel: ChannelName
  /// Which games are mirrored.
  public var selection: GameSelection
  /// Packages fetched at the same time, at least 1.
  public var concurrency: Int
  /// Which of the games that wait is fetched next: the first by name, or the last.
  public var order: DownloadOrder
  /// Versions of each game that stay on disk, the current one included, at least 1.
  public var keep: Int
  /// Whether packages are unpacked below `games/`, or only kept in `packages/`.
  public var unpacks: Bool
  /// Whether an update is put together from the packages that stand here and the parts that are new, where that costs
  /// fewer bytes; else every package is fetched whole.
  public var usesDelta: Bool
  /// How many games may be deleted because the server no longer has them; nil deletes none.
  public var deletionLimit: DeletionLimit?
  /// When this is over no more games are begun and downloads stop where they are; nil is for ever.
  public var maximumTime: Duration?
  /// Whether files that a new version has in common with those that stand share their bytes with them.
  public var sharesFiles: Bool
  /// Whether packages stay in `packages/` once they are unpacked. Without unpacking they always do.
  public var keepsPackages: Bool
  /// How long to wait for another run to end.
  public var lockWait: Duration
  /// For encrypted packages: a game whose password is not among them fails.
  public var passwords: PackagePasswords

  /// All of it.
  public init(
    channel: ChannelName, selection: GameSelection, concurrency: Int, order: DownloadOrder, keep: Int,
    unpacks: Bool, usesDelta: Bool, sharesFiles: Bool, keepsPackages: Bool,
    deletionLimit: DeletionLimit?, maximumTime: Duration?, lockWait: Duration,
    passwords: PackagePasswords
  ) {
    self.channel = channel
    self.selection = selection
    self.concurrency = max(1, concurrency)
    self.order = order
    self.keep = max(1, keep)
    self.unpacks = unpacks
    self.usesDelta = usesDelta
    self.deletionLimit = deletionLimit
    self.maximumTime = maximumTime
    self.sharesFiles = sharesFiles
    self.keepsPackages = keepsPackages
    self.lockWait = lockWait
    self.passwords = passwords
  }
}
