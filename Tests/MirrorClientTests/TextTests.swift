import DepotModel
import Testing

@testable import MirrorClient

@Suite struct TextTests {
  @Test func aStatusIsATableForPeople() async throws {
    let bench = try Bench()
    for name in ["puzzle", "quiz"] { try bench.depot.publish(name, "1.0", name) }
    bench.fetcher.fail("quiz", with: .download(reason: "SHA-256 is wrong"))
    try await bench.sync()
    let lines = try bench.mirror().status().text.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasSuffix("exit 1: 1 changed, 1 failed"))
    #expect(lines[1].hasPrefix("GAME    VERSION"))
    #expect(lines[2].hasPrefix("puzzle  1.0") && lines[2].hasSuffix("  in-step"))
    #expect(lines[3].hasSuffix("missing, offered: 1.0, SHA-256 is wrong"))
  }

  @Test func aStatusIsOneObjectForPrograms() async throws {
    let bench = try Bench()
    let release = try bench.depot.publish("puzzle", "1.0", "one")
    try await bench.sync()
    try bench.depot.publish("puzzle", "2.0", "two")
    bench.fetcher.holdBack()
    let task = Task { try await bench.sync() }
    while bench.fetcher.waiting == 0 { await Task.yield() }
    task.cancel()
    bench.fetcher.letGo()
    _ = await task.result
    struct Document: Decodable {
      struct Game: Decodable, Equatable {
        let gameId: GameID
        let h5Version: H5Version
        let h5Sha256: SHA256Digest
        let state: String
        let offered: String
        let kept: [H5Version]
      }
      struct Partial: Decodable { let size: Int64 }
      let revision: Int64
      let games: [Game]
      let partials: [Partial]
    }
    let document = try JSON.decode(Document.self, from: Array(bench.mirror().status().json.utf8))
    #expect(document.revision == 2 && document.partials.count == 1)
    #expect(
      try document.games == [
        Document.Game(
          gameId: game("puzzle"), h5Version: version("1.0"), h5Sha256: release.sha256, state: "behind",
          offered: "2.0", kept: [])
      ])
  }

  @Test func aReportIsOneLine() throws {
    var report = SyncReport()
    report.revision = 12
    let one = try version("1")
    report.outcomes = [
      GameOutcome(game: "a", result: .installed(one), bytesFetched: 2048),
      GameOutcome(game: "b", result: .unchanged(one), bytesFetched: 0),
    ]
    #expect(report.summary == "in step with revision 12: 1 changed, 1 unchanged, 2.0 KiB fetched")
    report.outcomes.append(GameOutcome(game: "c", result: .failed(.cancelled), bytesFetched: 0))
    report.removedOnServer = [try game("old")]
    #expect(
      report.summary
        == "not in step with revision 12: 1 changed, 1 unchanged, 1 failed, 2.0 KiB fetched, 1 no longer on the server"
    )
  }
}
