public import DepotModel

/// How the last verification ended.
public struct LastVerify: Sendable, Hashable {
  /// When it ended, by this machine's clock.
  public let at: Timestamp
  /// What the program ended with.
  public let exitCode: Int32
  /// One line for people.
  public let summary: String

  init(at time: Timestamp, exitCode: Int32, summary: String) {
    (at, self.exitCode, self.summary) = (time, exitCode, summary)
  }

  init(at time: Timestamp, _ report: VerifyReport) {
    self.init(at: time, exitCode: report.exitCode, summary: report.summary)
  }
}
