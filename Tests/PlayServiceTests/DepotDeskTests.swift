import DepotModel
import Foundation
import HTTPWire
import PlayService
import ReadAPI
import TestSupport
import Testing

/// The read half of the depot's API over a mirror's catalogue.
@Suite struct DepotDeskTests {
  private let folder: TemporaryFolder
  private var catalogue = ScriptedCatalogue()

  init() throws { folder = try TemporaryFolder() }

  private func mirror(_ settings: PlaySettings = PlaySettings()) throws -> MirrorFolder {
    try MirrorFolder(settings, catalogue: catalogue)
  }

  private func json(_ answer: MirrorFolder.Answer) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any])
  }

  private func names(_ list: Any?, _ key: String) -> [String] {
    (list as? [[String: Any]])?.compactMap { $0[key] as? String } ?? []
  }

  @Test func listsPageByPageWithLinksOfItsOwn() async throws {
    var copy = self
    for id in ["b", "a", "c"] { try copy.catalogue.add(id, "1.0") }
    let mirror = try copy.mirror()
    let answer = try await mirror.answer("/games?limit=2")
    #expect(answer.status == 200)
    #expect(answer.fields["Cache-Control"] == "private, no-cache")
    #expect(answer.fields["Access-Control-Allow-Origin"] == "*")
    #expect(answer.fields["Link"] == "<http://localhost:8081/games?limit=2&after=b>; rel=\"next\"")
    let page = try json(answer)
    #expect(page["catalogue"] as? String == "6f9619ff-8b86-4011-b42d-00c04fc964ff")
    #expect(page["revision"] as? Int == 9 && page["next"] as? String == "b")
    #expect(
      names(page["games"], "h5Down")
        == ["a", "b"].map { "http://localhost:8081/games/\($0)/versions/1.0/package.zip" })
    let rest = try json(try await mirror.answer("/games?limit=2&after=b"))
    #expect(names(rest["games"], "gameId") == ["c"] && rest["next"] is NSNull)
    let found = try json(try await mirror.answer("/games?q=The+b"))
    #expect(names(found["games"], "gameId") == ["b"])
    let other = try json(try await mirror.answer("/games?channel=beta"))
    #expect(names(other["games"], "gameId") == [], "only the channel it follows exists")
  }

  @Test func tellsWhatChangedSinceARevisionOfItsOwn() async throws {
    var copy = self
    for id in ["a", "b"] { try copy.catalogue.add(id, "1.0") }
    try copy.catalogue.remove("c")
    let mirror = try copy.mirror()
    let since = "6F9619FF-8b86-4011-b42d-00c04fc964ff:0"
    let first = try json(try await mirror.answer("/games?since=\(since)&limit=2"))
    #expect(names(first["changed"], "gameId") == ["a", "b"] && first["next"] as? String == "2:b")
    let second = try json(try await mirror.answer("/games?since=\(since)&limit=2&after=2:b"))
    #expect(second["removed"] as? [String] == ["c"] && second["next"] is NSNull)
    let none = try json(try await mirror.answer("/games?since=9"))
    #expect(names(none["changed"], "gameId") == [] && none["revision"] as? Int == 9)
    for gone in ["10", "00000000-0000-0000-0000-000000000000:1", "99999999999999999999"] {
      let answer = try await mirror.answer("/games?since=\(gone)")
      #expect(answer.status == 410)
      #expect(try json(answer)["type"] as? String == "urn:game-depot:problem:revision-gone")
    }
    for bad in ["since=x", "since=:1", "since=1&after=x", "after=%20", "limit=0", "wait=1"] {
      #expect(try await mirror.answer("/games?\(bad)").status == 400, "\(bad)")
    }
  }

  @Test func answersConditionsAndHeadAndGzipAsADepot() async throws {
    var copy = self
    for id in 0..<20 { try copy.catalogue.add("game\(id)", "1.0") }
    let mirror = try copy.mirror()
    let plain = try await mirror.answer("/games")
    let packed = try await mirror.answer("/games", ["Accept-Encoding": "gzip"])
    #expect(packed.fields["Content-Encoding"] == "gzip" && packed.fields["Vary"] == "Accept-Encoding")
    #expect(packed.fields["ETag"] != plain.fields["ETag"])
    let tag = try #require(plain.fields["ETag"])
    #expect(try await mirror.answer("/games", ["If-None-Match": tag]).status == 304)
    #expect(try await mirror.answer("/games", ["If-Match": "\"other\""]).status == 412)
    #expect(try await mirror.answer("/games", method: "HEAD").status == 200)
  }

  @Test func tellsOfOneGameAndItsVersionsNewestFirst() async throws {
    var copy = self
    try copy.catalogue.add("a", "1.0", isCurrent: false, publishedAt: "2026-11-01T00:00:00Z", in: folder.path)
    try copy.catalogue.add("a", "1.1", publishedAt: "2026-11-02T00:00:00Z", in: folder.path)
    let mirror = try copy.mirror()
    let game = try json(try await mirror.answer("/games/a"))
    #expect(game["h5Version"] as? String == "1.1" && game["channel"] as? String == "stable")
    #expect(game["versionCount"] as? Int == 2)
    #expect(names(game["channels"], "movedAt") == ["2026-12-01T00:00:00Z"])
    let first = try json(try await mirror.answer("/games/a/versions?limit=1"))
    #expect(names(first["versions"], "h5Version") == ["1.1"])
    let next = try #require(first["next"] as? String)
    let second = try json(try await mirror.answer("/games/a/versions?limit=1&after=\(next)"))
    #expect(names(second["versions"], "h5Version") == ["1.0"] && second["next"] is NSNull)
    #expect(names(second["versions"], "state") == ["published"])
    #expect(try json(try await mirror.answer("/games/a/versions/1.0"))["channel"] is NSNull)
    #expect(try await mirror.answer("/games/a/versions/0.9").status == 404)
    #expect(try await mirror.answer("/games/a?channel=beta").status == 404)
    #expect(try await mirror.answer("/games/b").status == 404)
    #expect(try await mirror.answer("/games/a/versions?after=x").status == 400)
  }

  @Test(arguments: [
    ("/games/a/check", "new_version"), ("/games/a/check?h5Version=1.1", "up_to_date"),
    ("/games/a/check?h5Version=1.1&h5Md5=00000000000000000000000000000000", "checksum_differs"),
    ("/games/a/check?h5Version=1.2", "rolled_back"), ("/games/a/check?h5Version=7", "new_version"),
    ("/games/gone/check", "game_removed"), ("/games/never/check", "unknown_game"),
  ])
  func checksAsADepot(_ target: String, _ reason: String) async throws {
    var copy = self
    try copy.catalogue.add("a", "1.2", isCurrent: false, publishedAt: "2026-11-03T00:00:00Z", in: folder.path)
    try copy.catalogue.add("a", "1.1", publishedAt: "2026-11-02T00:00:00Z", in: folder.path)
    try copy.catalogue.remove("gone")
    #expect(try json(try await copy.mirror().answer(target))["reason"] as? String == reason)
  }

  @Test func checksManyGamesAtOnce() async throws {
    var copy = self
    try copy.catalogue.add("a", "1.1")
    try copy.catalogue.add("b", "1.0")
    try copy.catalogue.remove("gone")
    let mirror = try copy.mirror()
    let answer = try await mirror.answer(
      "/games/check", method: "POST", ["Content-Type": "application/json"],
      body: #"{"installed":[{"gameId":"a","h5Version":"1.0"},{"gameId":"b","h5Version":"1.0"},"#
        + #"{"gameId":"gone","h5Version":"1"},{"gameId":"never","h5Version":"1"}]}"#)
    let reply = try json(answer)
    #expect(
      names(reply["updates"], "gameId") == ["a"] && names(reply["updates"], "reason") == ["new_version"])
    #expect(reply["removed"] as? [String] == ["gone", "never"] && reply["upToDate"] as? Int == 1)
    #expect(try await mirror.answer("/games/check", method: "POST", body: "{").status == 400)
    #expect(
      try await mirror.answer("/games/check", method: "POST", ["Content-Type": "text/plain"], body: "{}")
        .status
        == 415)
  }

  @Test func givesPackagesWholeAndInParts() async throws {
    var copy = self
    try copy.catalogue.add("a", "1.1", in: folder.path)
    let mirror = try copy.mirror()
    let zip = [UInt8](try Data(contentsOf: URL(filePath: "\(folder.path)/a-1.1.zip")))
    let whole = try await mirror.answer("/games/a/package.zip")
    #expect(whole.bytes == zip)
    #expect(whole.fields["Cache-Control"] == "no-cache" && whole.fields["X-H5-Version"] == "1.1")
    #expect(whole.fields["Last-Modified"] == "Tue, 01 Dec 2026 00:00:00 GMT")
    #expect(whole.fields["Content-Disposition"] == "attachment; filename=\"a-1.1.zip\"")
    #expect(whole.fields["Content-MD5"] != nil && whole.fields["Repr-Digest"] != nil)
    let versioned = try await mirror.answer("/games/a/versions/1.1/package.zip", ["Range": "bytes=2-4"])
    #expect(versioned.status == 206 && versioned.bytes == Array(zip[2...4]))
    #expect(versioned.fields["Last-Modified"] == "Mon, 30 Nov 2026 10:00:00 GMT")
    #expect(versioned.fields["Content-MD5"] == nil)
    let tag = try #require(whole.fields["ETag"])
    #expect(try await mirror.answer("/games/a/package.zip", ["If-None-Match": tag]).status == 304)
    #expect(try await mirror.answer("/games/a/package.zip", ["Range": "bytes=999999-"]).status == 416)
  }

  @Test func tellsWhatIsInAPackageFromThePackageItself() async throws {
    var copy = self
    try copy.catalogue.add("a", "1.1", in: folder.path)
    let mirror = try copy.mirror()
    let manifest = try json(try await mirror.answer("/games/a/manifest"))
    #expect(manifest["root"] as? String == "w/" && manifest["namesEncoding"] as? String == "utf-8")
    #expect(names(manifest["files"], "path") == ["index.html", "data.bin"])
    #expect((manifest["blocks"] as? [String])?.count == 1)
    let delta = try json(try await mirror.answer("/games/a/versions/1.1/delta.json"))
    #expect(delta["fileCount"] as? Int == 2 && delta["encrypted"] as? Bool == false)
    let index = try #require(delta["index"] as? [String: Any])
    #expect(index["url"] as? String == "http://localhost:8081/games/a/versions/1.1/index")
    let bytes = try await mirror.answer("/games/a/versions/1.1/index")
    #expect(bytes.bytes.count == index["size"] as? Int)
    #expect(bytes.fields["ETag"] == "\"\(index["sha256"] as? String ?? "")\"")
    #expect(try await mirror.answer("/games/a/versions/1.1/blocks").status == 200)
    let patch = "/games/a/versions/1.1/patches/\(String(repeating: "0", count: 64))"
    #expect(try await mirror.answer(patch).status == 404)
  }

  @Test func aPackageThatIsMissingIsNotFoundAndSaysSo() async throws {
    var copy = self
    try copy.catalogue.add("a", "1.1")
    let mirror = try copy.mirror()
    for route in ["package.zip", "manifest", "versions/1.1/delta.json", "versions/1.1/index"] {
      let answer = try await mirror.answer("/games/a/\(route)")
      #expect(answer.status == 404, "\(route)")
      #expect(answer.fields["Content-Type"] == "application/problem+json")
      #expect(answer.body.contains("is missing here"), "\(answer.body)")
    }
    #expect(try await mirror.answer("/games/a").status == 200)
  }

  @Test func aDamagedPackageIsAFaultOfThisMirror() async throws {
    var copy = self
    try copy.catalogue.add("a", "1.1", in: folder.path)
    try Data([1, 2, 3]).write(to: URL(filePath: "\(folder.path)/a-1.1.zip"))
    let mirror = try copy.mirror()
    #expect(try await mirror.answer("/games/a/manifest").status == 500)
    #expect(try await mirror.answer("/games/a/versions/1.1/delta.json").status == 500)
  }

  @Test func whatCannotBeReadNowIsUnavailable() async throws {
    var copy = self
    copy.catalogue.failure = MirrorCatalogueFailure(reason: "it was written by an earlier version")
    let mirror = try copy.mirror()
    for route in ["/games", "/games?since=1", "/games/a", "/games/a/package.zip", "/readyz"] {
      let answer = try await mirror.answer(route)
      #expect(answer.status == 503 && answer.fields["Retry-After"] == "5", "\(route)")
      #expect(answer.body.contains("it was written by an earlier version"))
    }
    #expect(try await mirror.answer("/healthz").status == 200)
    #expect(try await mirror.answer("/play/courier/").body == "<h1>new</h1>", "games are played all the same")
  }

  @Test(arguments: [
    ("POST", "/games", "GET, HEAD, OPTIONS"), ("DELETE", "/games/a", "GET, HEAD, OPTIONS"),
    ("PUT", "/games/a/channels/stable", "OPTIONS"), ("GET", "/games/check", "POST, OPTIONS"),
  ])
  func takesNothing(_ method: String, _ target: String, _ allow: String) async throws {
    let answer = try await mirror().answer(target, method: method)
    #expect(answer.status == 405 && answer.fields["Allow"] == allow)
    let options = try await mirror().answer(target, method: "OPTIONS")
    #expect(options.status == 204 && options.fields["Allow"] == allow)
  }

  @Test func pagesOfOtherOriginsMayReadAndCheck() async throws {
    let answer = try await mirror().answer(
      "/games/check", method: "OPTIONS", ["Origin": "https://a", "Access-Control-Request-Method": "POST"])
    #expect(answer.fields["Access-Control-Allow-Methods"] == "POST")
    let write = try await mirror().answer(
      "/games", method: "OPTIONS", ["Origin": "https://a", "Access-Control-Request-Method": "POST"])
    #expect(write.fields["Access-Control-Allow-Methods"] == nil)
  }

  @Test func linksBeginWithTheOperatorsURL() async throws {
    var copy = self
    try copy.catalogue.add("a", "1.0")
    var settings = PlaySettings()
    settings.publicURL = .init("https://games.example/m/")
    let answer = try await copy.mirror(settings).answer("/games")
    #expect(answer.fields["Cache-Control"] == "public, no-cache")
    #expect(
      names(try json(answer)["games"], "h5Down")
        == ["https://games.example/m/games/a/versions/1.0/package.zip"])
  }

  @Test func isThereOnlyUnderTheNamesOfTheMirrorItself() async throws {
    let mirror = try mirror()
    #expect(try await mirror.answer("/games", ["Host": "attacker.example"]).status == 421)
    #expect(try await mirror.answer("/games", ["Host": "courier.localhost"]).status == 404)
    #expect(try await MirrorFolder().answer("/games").status == 404, "without a catalogue there is no API")
    for path in ["/games/", "/games/a/b", "/healthz/x", "/games/%2e%2e/x", "/openapi.yaml"] {
      #expect([400, 404].contains(try await mirror.answer(path).status), "\(path)")
    }
  }
}
