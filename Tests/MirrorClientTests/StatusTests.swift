import DepotModel
import Testing

@testable import MirrorClient

@Suite struct StatusTests {
  @Test func tellsWhatStandsAndWhatDoesNot() async throws {
    let bench = try Bench()
    for name in ["behind", "broken", "failed", "well"] { try bench.depot.publish(name, "1", name) }
    bench.fetcher.fail("failed", with: .download(reason: "SHA-256 is wrong"))
    try await bench.sync()
    try bench.depot.publish("behind", "2", "newer")
    bench.fetcher.fail("behind", with: .download(reason: "no"))
    try await bench.sync()
    try bench.folder.remove("mirror/games/broken/current")
    let status = try bench.mirror().status()
    let states = Dictionary(uniqueKeysWithValues: status.games.map { ($0.id.text, $0.state) })
    #expect(states == ["behind": .behind, "broken": .broken, "failed": .missing, "well": .inStep])
    #expect(status.games.first { $0.id.text == "failed" }?.error == "SHA-256 is wrong")
    #expect(status.games.first { $0.id.text == "behind" }?.offered == "2")
    #expect(
      status.lastSync
        == LastSync(at: Timestamp(seconds: 1_800_000_000), exitCode: 1, summary: "0 changed, 2 failed"))
    #expect(status.point?.revision == 5)
  }

  @Test func thereIsNoneWhereNothingWasSynced() throws {
    let bench = try Bench()
    #expect(throws: MirrorError.noMirror(path: bench.destination)) { try bench.mirror().status() }
    #expect(throws: MirrorError.noMirror(path: bench.destination)) {
      try bench.mirror().isInstalled(game("a"))
    }
  }
}
