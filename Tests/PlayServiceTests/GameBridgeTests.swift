import DepotModel
import Foundation
import HTTPWire
import PlayService
import TestSupport
import Testing

/// A record that says what a test wants.
struct ScriptedRecord: MirrorRecord {
  var recorded: [RecordedGame] = []
  var versions: [String: RecordedVersion] = [:]

  func games() -> [RecordedGame] { recorded }
  func game(_ id: GameID) -> RecordedGame? { recorded.first { $0.id == id } }
  func version(_ id: GameID, _ version: H5Version) -> RecordedVersion? { versions["\(id) \(version)"] }
}

@Suite struct GameBridgeTests {
  private func game(_ version: String = "1.1", newer: String? = nil) throws -> RecordedGame {
    RecordedGame(
      id: try #require(GameID("courier")), version: try #require(H5Version(version)), title: "Deep <Courier>",
      size: 9, installedAt: try #require(Timestamp("2026-11-30T10:00:00Z")),
      newer: newer.flatMap(H5Version.init))
  }

  private func version(_ sizes: [String: Int64], needsIsolation: Bool = false) throws -> RecordedVersion {
    let digest = try #require(SHA256Digest(hex: String(repeating: "ab", count: 32)))
    return RecordedVersion(
      files: sizes.sorted { $0.key < $1.key }.map {
        RecordedFile(path: $0.key, size: $0.value, sha256: digest, modifiedAtNanoseconds: 0)
      }, needsIsolation: needsIsolation)
  }

  private func json(_ answer: MirrorFolder.Answer) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
  }

  @Test func aPageIsToldWhatItIsAndWhatItsFilesAre() async throws {
    let record = ScriptedRecord(
      recorded: [try game(newer: "1.2")],
      versions: ["courier 1.1": try version(["index.html": 4, "a.png": 5])])
    let mirror = try MirrorFolder(record: record)
    let answer = try await mirror.answer("/play/courier/_depot/game.json")
    #expect(answer.status == 200)
    #expect(answer.fields["Content-Type"] == "application/json")
    #expect(
      answer.body == #"{"current":"1.1","files":[{"path":"a.png","size":5},{"path":"index.html","size":4}],"#
        + #""gameId":"courier","h5Version":"1.1","newer":"1.2","size":9,"title":"Deep <Courier>"}"#)
    let again = try await mirror.answer(
      "/play/courier/_depot/game.json", ["If-None-Match": try #require(answer.fields["ETag"])])
    #expect(again.status == 304)
  }

  @Test func aPageOfAnOlderVersionIsToldThatAReloadGivesAnother() async throws {
    let mirror = try MirrorFolder(record: ScriptedRecord(recorded: [try game()]))
    let answer = try json(
      try await mirror.answer(
        "/play/courier/_depot/game.json", ["Cookie": "depot-version=1.0", "Sec-Fetch-Dest": "empty"]))
    #expect(answer["h5Version"] as? String == "1.0")
    #expect(answer["current"] as? String == "1.1")
    #expect(answer["newer"] is NSNull)
  }

  @Test func itIsAtTheRootOfAGamesOwnOrigin() async throws {
    let mirror = try MirrorFolder(record: nil)
    let answer = try await mirror.answer("/_depot/game.json", ["Host": "courier.localhost:8081"])
    #expect(try json(answer)["gameId"] as? String == "courier")
    #expect(try json(answer)["title"] as? String == "courier", "nothing is recorded")
    #expect((try json(answer)["files"] as? [[String: Any]])?.map { $0["path"] as? String } == ["index.html"])
  }

  @Test(arguments: [
    ("http://localhost:1/play/courier/", "/play/courier/_depot/game.json"),
    ("http://localhost:1/play/courier/a/b.html?x#y", "/play/courier/_depot/game.json"),
  ])
  func aPageThatAsksAtTheRootIsSentToItsOwn(referrer: String, target: String) async throws {
    let answer = try await MirrorFolder().answer("/_depot/game.json", ["Referer": referrer])
    #expect(answer.status == 307)
    #expect(answer.fields["Location"] == target)
  }

  @Test(arguments: ["http://localhost:1/", "/play/courier/", "http://a/play/../x/", "http://a/play/%zz/", ""])
  func whoIsNoGameIsToldNothingAtTheRoot(referrer: String) async throws {
    #expect(try await MirrorFolder().answer("/_depot/game.json", ["Referer": referrer]).status == 404)
    #expect(try await MirrorFolder().answer("/play/none/_depot/game.json").status == 404)
  }

  @Test func aRecordThatKnowsNothingLeavesWhatTheDiskTells() async throws {
    let mirror = try MirrorFolder(record: ScriptedRecord())
    let answer = try await mirror.answer("/play/courier/_depot/game.json")
    #expect(try json(answer)["h5Version"] as? String == "1.1")
    #expect(try await mirror.answer("/play/courier/").status == 200)
    #expect(try await mirror.answer("/").body.contains("/play/courier/"))
  }

  @Test func theFrontPageTellsWhatIsRecorded() async throws {
    let mirror = try MirrorFolder(record: ScriptedRecord(recorded: [try game()]))
    let page = try await mirror.answer("/").body
    #expect(page.contains("<h2>Deep &lt;Courier&gt;</h2>"))
    #expect(page.contains("2026-11-30"))
  }

  @Test func aGameThatNeedsThreadsIsIsolated() async throws {
    let record = ScriptedRecord(
      recorded: [try game()],
      versions: ["courier 1.1": try version(["index.html": 12], needsIsolation: true)])
    let answer = try await MirrorFolder(record: record).answer("/play/courier/")
    #expect(answer.fields["Cross-Origin-Opener-Policy"] == "same-origin")
    #expect(answer.fields["Cross-Origin-Embedder-Policy"] == "require-corp")
  }

  @Test func anOriginWithoutAnIconSaysSoInSilence() async throws {
    let mirror = try MirrorFolder()
    #expect(try await mirror.answer("/favicon.ico").status == 204)
    #expect(try await mirror.answer("/favicon.ico", ["Host": "courier.localhost"]).status == 204)
    try mirror.put("icon", "favicon.ico")
    #expect(try await mirror.answer("/favicon.ico", ["Host": "courier.localhost"]).body == "icon")
  }
}
