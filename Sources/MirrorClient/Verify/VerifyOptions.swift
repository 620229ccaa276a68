public import DepotModel

/// What a verification is to do. There are no hidden defaults: `mirror-sync`'s stand in its options.
public struct VerifyOptions: Sendable {
  /// Only these games; empty means all.
  public var only: Set<GameID>
  /// By digest, not only by size and time.
  public var isFull: Bool
  /// Whether damage is mended.
  public var repairs: Bool
  /// How long to wait for another run to end.
  public var lockWait: Duration
  /// For encrypted packages whose files are to be mended.
  public var passwords: PackagePasswords

  /// All of it.
  public init(
    only: Set<GameID>, isFull: Bool, repairs: Bool, lockWait: Duration, passwords: PackagePasswords
  ) {
    self.only = only
    self.isFull = isFull
    self.repairs = repairs
    self.lockWait = lockWait
    self.passwords = passwords
  }
}
