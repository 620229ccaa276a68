public import DepotModel

/// How the last sync ended.
public struct LastSync: Sendable, Hashable {
  /// When it ended, by this machine's clock.
  public let at: Timestamp
  /// What the program ended with.
  public let exitCode: Int32
  /// One line for people.
  public let summary: String
}

extension LastSync {
  init(at time: Timestamp, _ result: Result<SyncReport, MirrorError>) {
    switch result {
    case .success(let report):
      let changed = report.outcomes.count { $0.result.isChange }
      let failed = report.failures.count
      self.init(
        at: time, exitCode: report.exitCode,
        summary: failed == 0 && report.left.isEmpty
          ? "in step, \(changed) changed"
          : "\(changed) changed, \(failed) failed\(report.left.isEmpty ? "" : ", \(report.left.count) left")")
    case .failure(let error):
      self.init(at: time, exitCode: error.exitCode, summary: error.description)
    }
  }
}
