import Foundation
import HTTPWire
import PlayService
import TestSupport
import Testing

/// A flip while somebody plays.
@Suite struct VersionPinTests {
  private let mirror: MirrorFolder
  private static let document: KeyValuePairs = ["Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"]

  init() throws {
    mirror = try MirrorFolder()
    for version in ["1.0", "1.1"] {
      let folder = "\(mirror.path)/games/courier/versions/\(version)"
      try MirrorFolder.write("script \(version)", "\(folder)/main.js")
      try MirrorFolder.write("worker \(version)", "\(folder)/sw.js")
      try MirrorFolder.write("level \(version)", "\(folder)/level.html")
    }
    try mirror.flip(to: "versions/1.0")
  }

  private func cookie(_ answer: MirrorFolder.Answer) -> String? {
    answer.fields["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }
  }

  @Test func aPageKeepsItsVersionAndAReloadGetsTheNewOne() async throws {
    let page = try await mirror.answer("/play/courier/", Self.document)
    #expect(page.body == "<h1>old</h1>")
    #expect(page.fields["Set-Cookie"] == "depot-version=1.0; Path=/play/courier/; HttpOnly; SameSite=Lax")
    let old = try #require(cookie(page))
    try mirror.flip(to: "versions/1.1")
    for dest in ["script", "empty", "image", "audio", "worker", "style", "font", "video", "track"] {
      let file = try await mirror.answer("/play/courier/main.js", ["Sec-Fetch-Dest": dest, "Cookie": old])
      #expect(file.body == "script 1.0", "\(dest)")
      #expect(file.fields["Set-Cookie"] == nil)
    }
    let reloaded = try await mirror.answer(
      "/play/courier/", ["Sec-Fetch-Dest": "document", "Cookie": "a=b; \(old); c=d"])
    #expect(reloaded.body == "<h1>new</h1>")
    let new = try #require(cookie(reloaded))
    #expect(new == "depot-version=1.1")
    let script = try await mirror.answer(
      "/play/courier/main.js", ["Sec-Fetch-Dest": "script", "Cookie": new])
    #expect(script.body == "script 1.1")
    let again = try await mirror.answer("/play/courier/", ["Sec-Fetch-Dest": "document", "Cookie": new])
    #expect(again.fields["Set-Cookie"] == nil, "it has it already")
  }

  @Test func aVersionThatIsGoneIsLetGo() async throws {
    try mirror.flip(to: "versions/1.1")
    let fields: KeyValuePairs = ["Sec-Fetch-Dest": "script", "Cookie": "depot-version=1.0"]
    #expect(try await mirror.answer("/play/courier/main.js", fields).body == "script 1.0")
    try FileManager.default.removeItem(atPath: "\(mirror.path)/games/courier/versions/1.0")
    #expect(try await mirror.answer("/play/courier/main.js", fields).body == "script 1.1")
  }

  /// A sync can put other bytes under the same version.
  @Test func aVersionThatWasReplacedIsServedAnew() async throws {
    let versions = "\(mirror.path)/games/courier/versions"
    #expect(try await mirror.answer("/play/courier/main.js").body == "script 1.0")
    try MirrorFolder.write("script 1.0 again", "\(versions)/.new/main.js")
    try FileManager.default.moveItem(atPath: "\(versions)/1.0", toPath: "\(versions)/.old")
    try FileManager.default.moveItem(atPath: "\(versions)/.new", toPath: "\(versions)/1.0")
    #expect(try await mirror.answer("/play/courier/main.js").body == "script 1.0 again")
    #expect(try await mirror.answer("/play/courier/level.html").status == 404)
  }

  @Test(arguments: ["2.0", "../1.1", "", "1.0/../1.1", ".hidden", "1.0;", "%31.0", "\"1.0\""])
  func aCookieThatNamesNoVersionMeansNothing(_ value: String) async throws {
    try mirror.flip(to: "versions/1.1")
    let file = try await mirror.answer(
      "/play/courier/main.js", ["Sec-Fetch-Dest": "script", "Cookie": "depot-version=\(value)"])
    #expect(file.body == (value == "1.0;" ? "script 1.0" : "script 1.1"))
  }

  /// An address in the LAN is none that a browser sends Sec-Fetch-Dest to.
  @Test func withoutAWordFromTheBrowserPagesAreToldByTheirNames() async throws {
    try mirror.flip(to: "versions/1.1")
    let old: KeyValuePairs = ["Cookie": "depot-version=1.0"]
    #expect(try await mirror.answer("/play/courier/", old).body == "<h1>new</h1>")
    #expect(cookie(try await mirror.answer("/play/courier/level.html", old)) == "depot-version=1.1")
    #expect(try await mirror.answer("/play/courier/main.js", old).body == "script 1.0")
  }

  @Test func aFrameOfTheGameItselfStaysAndOneAroundItDoesNot() async throws {
    try mirror.flip(to: "versions/1.1")
    func frame(_ site: String, _ referrer: String) async throws -> String {
      try await mirror.answer(
        "/play/courier/level.html",
        [
          "Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": site, "Referer": referrer,
          "Cookie": "depot-version=1.0",
        ]
      ).body
    }
    #expect(try await frame("same-origin", "http://localhost:8081/play/courier/") == "level 1.0")
    #expect(try await frame("same-origin", "http://localhost:8081/play/courier/level.html?x") == "level 1.0")
    #expect(try await frame("same-origin", "http://localhost:8081/") == "level 1.1")
    #expect(try await frame("same-origin", "http://localhost:8081/play/courier2/") == "level 1.1")
    #expect(try await frame("cross-site", "http://app.example/play/courier/") == "level 1.1")
  }

  /// What it keeps when it is installed must be of the version of its script.
  @Test func aServiceWorkerBeginsWithTheCurrentVersion() async throws {
    try mirror.flip(to: "versions/1.1")
    let worker = try await mirror.answer(
      "/play/courier/sw.js", ["Sec-Fetch-Dest": "serviceworker", "Cookie": "depot-version=1.0"])
    #expect(worker.body == "worker 1.1")
    #expect(cookie(worker) == "depot-version=1.1")
  }

  @Test func aGameOnItsOwnHostHasItsOwnCookie() async throws {
    let page = try await mirror.answer("/", ["Host": "courier.localhost", "Sec-Fetch-Dest": "document"])
    #expect(page.fields["Set-Cookie"] == "depot-version=1.0; Path=/; HttpOnly; SameSite=Lax")
    try mirror.flip(to: "versions/1.1")
    let script = try await mirror.answer(
      "/main.js",
      ["Host": "courier.localhost", "Sec-Fetch-Dest": "script", "Cookie": "depot-version=1.0"])
    #expect(script.body == "script 1.0")
  }

  @Test func whatIsNotThereSetsNothing() async throws {
    #expect(try await mirror.answer("/play/courier/lost.html", Self.document).fields["Set-Cookie"] == nil)
    #expect(try await mirror.answer("/", Self.document).fields["Set-Cookie"] == nil)
  }

  @Test func aPageThatIsKnownStillTellsItsVersion() async throws {
    let tag = try #require(try await mirror.answer("/play/courier/", Self.document).fields["ETag"])
    let known = try await mirror.answer(
      "/play/courier/", ["Sec-Fetch-Dest": "document", "If-None-Match": tag])
    #expect(known.status == 304)
    #expect(cookie(known) == "depot-version=1.0")
  }
}
