internal import DepotModel
internal import Platform
internal import Synchronization

/// The versions that are being played, opened once. Any thread.
final class ServedVersions: Sendable {
  private struct Key: Hashable {
    let id: GameID
    let version: H5Version
  }

  private struct State {
    var versions: [Key: (version: ServedVersion, usedAt: UInt64)] = [:]
    var uses: UInt64 = 0

    var isFull: Bool {
      versions.count >= ServedVersions.limit
        || versions.values.reduce(0) { $0 + $1.version.nameCount } > ServedVersions.nameLimit
    }
  }

  /// Versions kept open at a time, each a descriptor and its names.
  private static let limit = 64
  /// Names of all of them together: at some 200 bytes each. The one that was opened last may go beyond it.
  private static let nameLimit = 2 * FileIndex.limit

  private let games: InstalledGames
  private let state = Mutex(State())
  /// Told of versions that are no longer kept.
  private let forget: @Sendable (ServedVersion) -> Void

  init(_ games: InstalledGames, forget: @escaping @Sendable (ServedVersion) -> Void) {
    self.games = games
    self.forget = forget
  }

  /// An installed version; nil when there is none.
  func version(_ id: GameID, _ version: H5Version) throws(SystemError) -> ServedVersion? {
    let key = Key(id: id, version: version)
    guard let status = try games.status(of: id, version), status.kind == .directory else {
      drop(key)
      return nil
    }
    let kept = state.withLock { state -> ServedVersion? in
      guard let kept = state.versions[key]?.version, kept.isAt(status) else { return nil }
      state.uses += 1
      state.versions[key]?.usedAt = state.uses
      return kept
    }
    if let kept { return kept }
    let folder = try games.files(of: id, version)
    let opened = ServedVersion(id, version, folder, try folder.status)
    for version in insert(opened, key) { forget(version) }
    return opened
  }

  private func insert(_ opened: ServedVersion, _ key: Key) -> [ServedVersion] {
    state.withLock { state in
      var gone: [ServedVersion] = []
      if let old = state.versions.removeValue(forKey: key) { gone.append(old.version) }
      while state.isFull, let oldest = state.versions.min(by: { $0.value.usedAt < $1.value.usedAt }) {
        state.versions[oldest.key] = nil
        gone.append(oldest.value.version)
      }
      state.uses += 1
      state.versions[key] = (opened, state.uses)
      return gone
    }
  }

  private func drop(_ key: Key) {
    if let gone = state.withLock({ $0.versions.removeValue(forKey: key) }) { forget(gone.version) }
  }
}
