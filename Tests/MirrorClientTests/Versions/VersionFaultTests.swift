import DepotModel
import Foundation
import Platform
import TestSupport
import Testing

@testable import MirrorClient

/// Every step of what is done to versions besides an install fails once, or is the last one of the process: what stood or
/// what was wanted stands, and the next start puts in order what is left without a network.
@Suite(.serialized) struct VersionFaultTests {
  enum Scenario: CaseIterable, Sendable {
    /// An update that does not stand once it is in place.
    case undo
    /// The same, of other bytes under the same version.
    case undoSameVersion
    case rollback, remove, repair, repairPackage
    /// An update whose package is not kept.
    case withoutPackage

    var isUndo: Bool { self == .undo || self == .undoSameVersion }

    func prepare(_ bench: Bench) async throws {
      try bench.depot.publish("game", "1", "old", extra: 2)
      try await bench.sync()
      switch self {
      case .undo, .withoutPackage: try bench.depot.publish("game", "2", "new", extra: 3)
      case .undoSameVersion: try bench.depot.publish("game", "1", "new", extra: 3)
      case .rollback, .remove:
        try bench.depot.publish("game", "2", "new", extra: 3)
        try await bench.sync()
      case .repair:
        try bench.folder.remove("mirror/games/game/versions/1/img/0.txt")
        try bench.folder.write("extra", to: "mirror/games/game/versions/1/js/more.js")
      case .repairPackage: try bench.folder.rot("mirror/packages/game/1.zip")
      }
    }

    /// What the disk does besides.
    var disk: any Volume {
      guard isUndo else { return SystemVolume() }
      return MeddlingVolume(sharing: .links) { folder in
        guard (try? String(contentsOfFile: folder + "/index.html", encoding: .utf8)) == "new" else { return }
        try? FileManager.default.removeItem(atPath: folder + "/js/a.js")
      }
    }

    func act(_ bench: Bench, _ volume: any Volume) async throws {
      switch self {
      case .undo, .undoSameVersion: try await bench.sync(volume: volume)
      case .withoutPackage: try await bench.sync(Bench.options(keepsPackages: false), volume: volume)
      case .rollback:
        _ = try await bench.mirror(volume: volume).rollBack(game("game"), to: nil, lockWait: .zero)
      case .remove: try await bench.mirror(volume: volume).remove(game("game"), lockWait: .zero)
      case .repair, .repairPackage: _ = try await bench.verify(full: true, repairs: true, volume: volume)
      }
    }

    /// What a player may see at any time.
    var pages: [String?] {
      switch self {
      case .undo, .undoSameVersion, .rollback, .withoutPackage: ["old", "new"]
      case .remove: ["new", nil]
      case .repair, .repairPackage: ["old"]
      }
    }

    func finish(_ bench: Bench, _ step: String) async throws {
      switch self {
      case .undo, .undoSameVersion, .withoutPackage:
        // What was condemned is taken back by the next run, which tells it once more.
        let options = Bench.options(keepsPackages: self != .withoutPackage)
        _ = try await bench.sync(options)
        let later = 1_800_000_000 + BadVersion.period
        let report = try await bench.sync(options, at: later)
        #expect(report.exitCode == 0, "\(step): \(report.failures)")
        #expect(bench.page("game") == "new", "\(step)")
        if self == .withoutPackage { #expect(bench.packages("game") == ["1.zip"], "\(step)") }
      case .rollback:
        // One that was begun is finished by whatever runs next.
        let isHeld = try bench.mirror().status().games.first?.hold != nil
        #expect(isHeld == (bench.page("game") == "old"), "\(step)")
        if !isHeld { try await act(bench, SystemVolume()) }
        try await bench.sync()
        #expect(bench.page("game") == "old", "\(step)")
      case .remove:
        let id = try game("game")
        do throws(MirrorError) {
          try await bench.mirror().remove(id, lockWait: .zero)
        } catch {
          #expect(error == .notInstalled("game"), "\(step)")
        }
        #expect(bench.folder.names("mirror/games") == [], "\(step)")
        #expect(bench.folder.names("mirror/packages") == [], "\(step)")
        return
      case .repair, .repairPackage:
        try await act(bench, SystemVolume())
        #expect(bench.folder.text("mirror/games/game/current/img/0.txt") == "image 0", "\(step)")
        #expect(bench.packages("game") == ["1.zip"], "\(step)")
      }
      #expect(try await bench.verify(full: true).damages == [], "\(step)")
      #expect(bench.leftovers("game") == [], "\(step)")
    }
  }

  private func check(_ bench: Bench, _ scenario: Scenario, _ step: String) {
    let page = bench.page("game")
    #expect(scenario.pages.contains(page), "\(step): \(page ?? "nothing")")
    if scenario == .repair {
      let file = bench.folder.text("mirror/games/game/versions/1/img/0.txt")
      #expect(file == nil || file == "image 0", "\(step)")
    }
  }

  @Test(arguments: Scenario.allCases, [false, true])
  func aKillAtAnyStepLeavesOldOrNew(scenario: Scenario, after: Bool) async throws {
    var step = 0
    while true {
      step += 1
      let bench = try Bench()
      try await scenario.prepare(bench)
      let volume = KillVolume(killingAt: step, after: after, on: scenario.disk)
      let killed = Task {
        try? await scenario.act(bench, volume)
        volume.end()
      }
      guard await volume.waitForKill() else {
        #expect(step > 3)
        break
      }
      check(bench, scenario, "step \(step)")
      // A process that died holds no lock.
      try bench.folder.remove("mirror/mirror.lock")
      bench.depot.fail(with: .unreachable(url: "u", reason: "no network"))
      await #expect(throws: MirrorError.unreachable(url: "u", reason: "no network")) {
        try await bench.sync()
      }
      check(bench, scenario, "recovery from step \(step)")
      if !scenario.isRepair { #expect(try await bench.verify(full: true).damages == [], "step \(step)") }
      bench.depot.fail(with: nil)
      try await scenario.finish(bench, "step \(step)")
      volume.release()
      _ = await killed.value
    }
  }

  @Test(arguments: Scenario.allCases, [5, 28] as [Int32])
  func anyFailingStepLeavesOldOrNew(scenario: Scenario, errno: Int32) async throws {
    var step = 0
    while true {
      step += 1
      let bench = try Bench()
      try await scenario.prepare(bench)
      let volume = FaultyVolume(failing: step, errno: errno, on: scenario.disk)
      try? await scenario.act(bench, volume)
      guard let failed = volume.failed else {
        #expect(step > 3)
        break
      }
      check(bench, scenario, "step \(step), \(failed)")
      bench.depot.fail(with: .unreachable(url: "u", reason: "no network"))
      await #expect(throws: MirrorError.unreachable(url: "u", reason: "no network")) {
        try await bench.sync()
      }
      bench.depot.fail(with: nil)
      try await scenario.finish(bench, "step \(step), \(failed)")
    }
  }
}

extension VersionFaultTests.Scenario {
  var isRepair: Bool { self == .repair || self == .repairPackage }
}
