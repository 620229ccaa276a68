internal import DepotModel

/// What people and health checks decided about games: read once for a whole plan.
struct Verdicts: Sendable {
  private let holds: [GameID: Hold]
  private let bad: [BadVersion]

  /// Those that count at `now`.
  init(_ store: Store, at now: Timestamp) throws(MirrorError) {
    holds = Dictionary(try store.holds().map { ($0.id, $0) }) { first, _ in first }
    bad = try store.badVersions().filter { $0.until > now }
  }

  /// The hold that keeps a game from a release; nil when there is none, or the release is newer than the rollback.
  func hold(against release: Release) -> Hold? {
    guard let hold = holds[release.id], !hold.isEnded(by: release) else { return nil }
    return hold
  }

  /// Throws for a package that did not stand when it was tried last, as long as it is not to be tried again.
  func refuseBad(_ release: Release) throws(MirrorError) {
    let mark = bad.first {
      $0.id == release.id && $0.version == release.version && $0.sha256 == release.sha256
    }
    guard let mark else { return }
    throw .unsound(version: mark.version.text, until: mark.until.description, reason: mark.reason)
  }
}
