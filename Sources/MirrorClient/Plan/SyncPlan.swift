public import DepotModel

/// What a sync would do, and whether there is room for it.
public struct SyncPlan: Sendable {
  /// What would become of one game.
  public enum Action: String, Sendable, Hashable, Encodable {
    /// It is not here yet.
    case install
    /// Other bytes come in the place of those in use.
    case update
    /// A version that stands here comes into use: nothing is fetched.
    case activate
    /// The server no longer has it.
    case remove
    /// What is in use is what the server offers.
    case unchanged
    /// Nothing, because something is wrong.
    case fail
  }

  /// One game.
  public struct Game: Sendable, Hashable {
    /// Its id, as the server wrote it even where that is no valid id.
    public let game: String
    /// What would become of it.
    public let action: Action
    /// The version that would be in use; nil when it is removed or fails.
    public let version: H5Version?
    /// The version that is in use now.
    public let installed: H5Version?
    /// Bytes over the network at most: the package less what is here of it.
    public let bytesToFetch: Int64
    /// Bytes of its package and files.
    public let bytesToWrite: Int64
    /// Files, the package included.
    public let filesToWrite: Int
    /// Why it would fail.
    public let error: MirrorError?
  }

  /// One file system of the mirror.
  public struct Device: Sendable, Hashable {
    /// Which of `games`, `packages` and `partial` lie on it.
    public let folders: [String]
    /// The mirror's folder, or the one of them that is mounted there.
    public let path: String
    /// Bytes that are taken when it takes most: versions that are replaced go only once what replaces them is in use.
    public let needed: Int64
    /// Bytes that are free.
    public let available: Int64
    /// Files that are there when there are most.
    public let inodesNeeded: Int64
    /// Files that can still be made; nil where the file system counts none.
    public let inodesAvailable: Int64?

    /// Whether there is room.
    public var isEnough: Bool {
      needed <= available && inodesAvailable.map { inodesNeeded <= $0 } ?? true
    }
  }

  /// Those that were looked at, in the order of their names.
  public var games: [Game] = []
  /// Games in use that nothing new is known of.
  public var untouched = 0
  /// Every file system the mirror lies on.
  public var devices: [Device] = []
  /// Bytes of old versions and partial downloads that would be removed first, to make room.
  public var bytesToReclaim: Int64 = 0
  /// Why games stay that the server no longer has; nil when none of them has to.
  public var heldDeletion: HeldDeletion?
  /// The catalogue's revision; nil when the server's answer could not be read in full.
  public var revision: Int64?

  /// Bytes over the network at most.
  public var bytesToFetch: Int64 { sum(\.bytesToFetch) }
  /// Bytes of packages and files.
  public var bytesToWrite: Int64 { sum(\.bytesToWrite) }
  /// Files.
  public var filesToWrite: Int {
    games.reduce(0) { $0.addingReportingOverflow($1.filesToWrite).partialValue }
  }
  /// Whether there is room for all of it.
  public var isEnough: Bool { devices.allSatisfy(\.isEnough) }

  /// What a sync that does this would end with, as far as can be known before.
  public var exitCode: Int32 {
    if !isEnough { return 73 }
    let codes = games.compactMap { $0.error?.exitCode }
    for code: Int32 in [73, 77] where codes.contains(code) { return code }
    return codes.isEmpty ? (heldDeletion == nil ? 0 : 25) : 1
  }

  private func sum(_ part: KeyPath<Game, Int64>) -> Int64 {
    games.reduce(0) { $0.addingReportingOverflow($1[keyPath: part]).partialValue }
  }
}
