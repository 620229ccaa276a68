import TestSupport
import Testing

@testable import MirrorClient

/// Every step of an install fails once, or is the last one of the process: the old version or the new one stands, never
/// anything else, and the next sync completes.
@Suite(.serialized) struct InstallFaultTests {
  /// What is installed in the place of what.
  enum Scenario: CaseIterable, Sendable {
    case first, update, sameVersion

    var newVersion: String { self == .update ? "2" : "1" }
    var oldPage: String? { self == .first ? nil : "old" }

    func prepare(_ bench: Bench) async throws {
      if self != .first { try bench.depot.publish("game", "1", "old") }
      try await bench.sync()
      try bench.depot.publish("game", newVersion, "new", extra: 2)
    }
  }

  @Test(arguments: Scenario.allCases, [5, 28] as [Int32])
  func anyFailingStepLeavesOldOrNew(scenario: Scenario, errno: Int32) async throws {
    var step = 0
    while true {
      step += 1
      let bench = try Bench()
      try await scenario.prepare(bench)
      let volume = FaultyVolume(failing: step, errno: errno)
      let report = try await bench.sync(volume: volume)
      guard let failed = volume.failed else {
        #expect(step > 10 && report.exitCode == 0)
        break
      }
      let page = bench.page("game")
      #expect(page == scenario.oldPage || page == "new", "step \(step), \(failed)")
      #expect(report.exitCode == 73 || page == "new", "step \(step), \(failed)")
      let next = try await bench.sync()
      #expect(next.exitCode == 0, "step \(step), \(failed): \(next.failures)")
      checkDone(bench, scenario, "step \(step), \(failed)")
    }
  }

  @Test(arguments: Scenario.allCases, [false, true])
  func aKillAtAnyStepLeavesOldOrNew(scenario: Scenario, after: Bool) async throws {
    var step = 0
    while true {
      step += 1
      let bench = try Bench()
      try await scenario.prepare(bench)
      let volume = KillVolume(killingAt: step, after: after)
      let killed = Task {
        let result = try? await bench.sync(volume: volume)
        volume.end()
        return result
      }
      guard await volume.waitForKill() else {
        #expect(step > 10)
        break
      }
      let page = bench.page("game")
      #expect(page == scenario.oldPage || page == "new", "step \(step)")
      // A process that died holds no lock.
      try bench.folder.remove("mirror/mirror.lock")
      bench.depot.fail(with: .unreachable(url: "u", reason: "no network"))
      await #expect(throws: MirrorError.unreachable(url: "u", reason: "no network")) {
        try await bench.sync()
      }
      let recovered = bench.page("game")
      #expect(recovered == scenario.oldPage || recovered == "new", "step \(step)")
      if page == "new" { #expect(recovered == "new", "step \(step)") }
      bench.depot.fail(with: nil)
      let next = try await bench.sync()
      #expect(next.exitCode == 0, "step \(step): \(next.failures)")
      checkDone(bench, scenario, "step \(step)")
      volume.release()
      _ = await killed.value
    }
  }

  private func checkDone(_ bench: Bench, _ scenario: Scenario, _ step: String) {
    #expect(bench.page("game") == "new", "\(step)")
    #expect(bench.folder.text("mirror/games/game/current/img/1.txt") == "image 1", "\(step)")
    #expect(bench.current("game") == "versions/\(scenario.newVersion)", "\(step)")
    #expect(bench.versions("game") == (scenario == .update ? ["1", "2"] : ["1"]), "\(step)")
    #expect(bench.leftovers("game") == [], "\(step)")
    #expect(bench.packages("game") == (scenario == .update ? ["1.zip", "2.zip"] : ["1.zip"]), "\(step)")
  }
}
