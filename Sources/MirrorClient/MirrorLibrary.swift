public import DepotModel
internal import Platform
internal import Synchronization

/// What a mirror wrote down about the games that stand in it, for those who play them: read beside syncs that run, without
/// a lock and without changing anything.
///
/// Any thread; every call blocks on SQLite, some milliseconds. A mirror without a record, as a copied folder is, tells
/// nothing; the record of an older version of this program is read as it is, or throws.
public final class MirrorLibrary: Sendable {
  /// A game's version in use.
  public struct Game: Sendable {
    /// The version in use.
    public let installed: InstalledVersion
    /// What the server offered last, when it is another version that does not stand here yet.
    public let newer: H5Version?
  }

  /// A version that stands.
  public struct Version: Sendable {
    /// What is recorded of it.
    public let installed: InstalledVersion
    /// Its files.
    public let files: InstalledFiles
    /// Whether its pages need to be isolated, for threads. Found out now when nobody looked at its install.
    public let needsIsolation: Bool
  }

  private let destination: String
  private let standing: StandingStore
  /// What was found of versions whose install nobody looked at: looking again would read all their scripts.
  private let probed = Mutex<[String: Bool]>([:])

  /// Of the mirror in that folder, which need not have been synced yet.
  public init(destination: String) {
    self.destination = destination
    standing = StandingStore(destination: destination)
  }

  /// The versions in use.
  public func games() throws(MirrorError) -> [Game] {
    try standing.reading { (store) throws(MirrorError) in
      let targets = try store.targetSummaries()
      return try store.allVersions().filter { $0.isCurrent && $0.isUnpacked }.map { installed in
        let offered = targets[installed.id.text].flatMap { H5Version($0.version) }
        return Game(installed: installed, newer: offered == installed.version ? nil : offered)
      }
    } ?? []
  }

  /// A game's version in use; nil when none is recorded.
  public func game(_ id: GameID) throws(MirrorError) -> Game? {
    let found = try standing.reading { (store) throws(MirrorError) -> Game? in
      guard let installed = try store.versions(of: id).first(where: { $0.isCurrent && $0.isUnpacked }) else {
        return nil
      }
      let offered = try store.targetVersion(of: id)
      return Game(installed: installed, newer: offered == installed.version ? nil : offered)
    }
    return found ?? nil
  }

  /// A version that stands and whose files were recorded.
  public func version(_ id: GameID, _ version: H5Version) throws(MirrorError) -> Version? {
    let found = try standing.reading { (store) throws(MirrorError) -> Version? in
      guard let installed = try store.versions(of: id).first(where: { $0.version == version }),
        let record = try store.unpacked(id, version, installed.sha256)
      else { return nil }
      return Version(
        installed: installed, files: record.files,
        needsIsolation: record.needsIsolation ?? probe(id, version, record.files))
    }
    return found ?? nil
  }

  private func probe(_ id: GameID, _ version: H5Version, _ files: InstalledFiles) -> Bool {
    let key = "\(id) \(version)"
    if let known = probed.withLock({ $0[key] }) { return known }
    let path = "\(destination)/games/\(id)/\(MirrorDisk.currentTarget(version))"
    guard let folder = try? Directory(path: path) else { return false }
    let answer = ThreadProbe.needsThreads(files.map(\.path), in: folder)
    probed.withLock { $0[key] = answer }
    return answer
  }
}
