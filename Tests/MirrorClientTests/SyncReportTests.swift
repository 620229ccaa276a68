import MirrorClient
import Platform
import Testing

@Suite struct SyncReportTests {
  private func report(_ errors: MirrorError...) -> SyncReport {
    var report = SyncReport()
    report.outcomes = errors.map { GameOutcome(game: "a", result: .failed($0), bytesFetched: 1) }
    return report
  }

  @Test func nothingFailedIsZero() {
    #expect(report().exitCode == 0)
  }

  @Test func aFailedGameIsOne() {
    #expect(report(.download(reason: "x"), .unknownGame("b")).exitCode == 1)
    #expect(report(.refused(findings: [])).exitCode == 1)
    #expect(report(.unreachable(url: "u", reason: "r")).exitCode == 1)
  }

  @Test func noRoomBeatsOtherFailures() {
    let full = SystemError(errno: 28, operation: "write")
    #expect(report(.download(reason: "x"), .noRoom(needed: 2, available: 1, path: "/d")).exitCode == 73)
    #expect(report(.system(full), .notPermitted(url: "u", status: 403)).exitCode == 73)
  }

  @Test func aRefusedTokenIs77() {
    #expect(report(.download(reason: "x"), .notPermitted(url: "u", status: 403)).exitCode == 77)
  }

  @Test func countsBytes() {
    #expect(report(.cancelled, .cancelled).bytesFetched == 2)
  }

  @Test(
    arguments: zip(
      [
        MirrorError.locked(path: "/l"), .unreachable(url: "u", reason: "r"),
        .badAnswer(url: "u", reason: "r"),
        .notPermitted(url: "u", status: 401), .noRoom(needed: 1, available: 0, path: "p"),
        .noInodes(needed: 1, available: 0, path: "p"), .store(path: "s", reason: "r", isUnwritable: false),
        .store(path: "s", reason: "r", isUnwritable: true), .noMirror(path: "p"), .cancelled,
      ], [75, 69, 69, 77, 73, 73, 65, 73, 64, 130] as [Int32]))
  func failuresHaveTheirExitCodes(error: MirrorError, code: Int32) {
    #expect(error.exitCode == code)
    #expect(!error.description.isEmpty && !error.description.contains("\n"))
  }
}
