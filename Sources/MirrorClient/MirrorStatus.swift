public import DepotModel
internal import Platform

/// What stands in a mirror.
public struct MirrorStatus: Sendable {
  /// One game.
  public struct GameStatus: Sendable {
    /// Against what the server offered last.
    public enum State: String, Sendable, CaseIterable {
      /// What the server offers stands.
      case inStep = "in-step"
      /// The server offers something else.
      case behind
      /// Rolled back by hand: syncs leave it alone for now.
      case held
      /// Recorded, but its files are not where they belong: sync again.
      case broken
      /// The server no longer has it.
      case removedOnServer = "removed-on-server"
      /// Offered and never installed.
      case missing
    }

    /// The game.
    public let id: GameID
    /// The version in use; nil when none is installed.
    public let installed: InstalledVersion?
    /// Versions kept beside it.
    public let kept: [H5Version]
    /// How it stands.
    public let state: State
    /// What it was rolled back from by hand; nil when it was not.
    public let hold: Hold?
    /// Versions of it that did not stand when they were tried, and are not tried again yet.
    public let badVersions: [BadVersion]
    /// What the server offered last.
    public let offered: String?
    /// Why the last attempt to bring it in step failed.
    public let error: String?
  }

  /// A download that was not finished.
  public struct Partial: Sendable {
    /// Of the whole package, in hex.
    public let sha256: String
    /// Bytes that are here.
    public let size: Int64
    /// Bytes of the whole package; nil when no receipt tells.
    public let expected: Int64?
    /// The game and version; nil when no receipt tells.
    public let label: String?
    /// As its receipt tells; `downloading` while a sync is at it, or after a crash.
    public let state: DownloadReceipt.State?
  }

  /// The mirror's folder.
  public let destination: String
  /// In the order of their names.
  public let games: [GameStatus]
  /// Downloads that the next sync resumes.
  public let partials: [Partial]
  /// Nil when there was none yet.
  public let lastSync: LastSync?
  /// Nil when there was none yet.
  public let lastVerify: LastVerify?
  /// The state of the catalogue that was seen last.
  public let point: CataloguePoint?

  init(destination: String, store: Store, now: Timestamp) throws(MirrorError) {
    self.destination = destination
    let state = try store.state()
    lastSync = state.lastSync
    lastVerify = try store.lastVerify()
    point = state.point
    let holds = Dictionary(try store.holds().map { ($0.id, $0) }) { first, _ in first }
    let bad = Dictionary(grouping: try store.badVersions().filter { $0.until > now }, by: \.id)
    let versions = Dictionary(grouping: try store.allVersions(), by: \.id)
    let targets = try store.targetSummaries()
    let look = try MirrorLook(destination: destination)
    var games: [GameStatus] = []
    for id in Set(versions.keys).union(targets.keys.compactMap { GameID($0) }).sorted() {
      let installed = versions[id]?.first(where: \.isCurrent)
      let target = targets[id.text]
      // Never looked at: not selected, or not reached yet.
      if installed == nil, target?.error == nil, target?.isInStep != true { continue }
      let status: GameStatus.State
      if let installed {
        if try !look.stands(installed) {
          status = .broken
        } else if holds[id] != nil {
          status = .held
        } else if let target {
          status = target.isInStep || target.version == installed.version.text ? .inStep : .behind
        } else {
          status = .removedOnServer
        }
      } else {
        status = .missing
      }
      games.append(
        GameStatus(
          id: id, installed: installed,
          kept: versions[id]?.filter { !$0.isCurrent }.map(\.version) ?? [], state: status,
          hold: holds[id], badVersions: bad[id] ?? [],
          offered: target?.version, error: target?.error))
    }
    self.games = games
    partials = try look.partials(try store.packageReceipts())
  }
}
