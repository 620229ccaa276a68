import Foundation
import HTTPWire
import Platform
import PlayService
import TestSupport
import Testing

@Suite struct PlayHandlerTests {
  private let mirror: MirrorFolder

  init() throws {
    mirror = try MirrorFolder()
    try mirror.put("0123456789", "media/theme.ogg")
    try mirror.put("let a = 1", "js/主程序.mjs")
    try FileManager.default.createSymbolicLink(
      atPath: "\(mirror.folder)/leak", withDestinationPath: "../../../secret.txt")
  }

  @Test func playsTheCurrentVersion() async throws {
    let page = try await mirror.answer("/play/courier/")
    #expect(page.status == 200)
    #expect(page.body == "<h1>new</h1>")
    #expect(page.fields["Content-Type"] == "text/html; charset=utf-8")
    #expect(page.fields["X-Content-Type-Options"] == "nosniff")
    #expect(page.fields["Cache-Control"] == "no-cache")
  }

  @Test func aFlipOfCurrentIsSeenByTheNextRequest() async throws {
    let link = "\(mirror.path)/games/courier/current"
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "versions/1.0")
    #expect(try await mirror.answer("/play/courier/index.html").body == "<h1>old</h1>")
  }

  @Test func listsWhatIsInstalled() async throws {
    let page = try await mirror.answer("/")
    #expect(page.status == 200)
    #expect(page.body.contains(#"<a class="play" href="/play/courier/""#))
    #expect(page.body.contains("Version 1.1"))
    #expect(!page.body.contains("empty"))
    #expect(
      page.fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
  }

  @Test(arguments: [
    ("/play/courier/media/theme.ogg", "audio/ogg"),
    ("/play/courier/js/%E4%B8%BB%E7%A8%8B%E5%BA%8F.mjs", "text/javascript; charset=utf-8"),
  ])
  func tellsWhatAFileIs(target: String, type: String) async throws {
    let file = try await mirror.answer(target)
    #expect(file.status == 200)
    #expect(file.fields["Content-Type"] == type)
  }

  @Test func sendsFoldersWithoutASlashToTheirSlash() async throws {
    #expect(try await mirror.answer("/play/courier").fields["Location"] == "/play/courier/")
    #expect(
      try await mirror.answer("/play/courier/media?x=1").fields["Location"] == "/play/courier/media/?x=1")
    #expect(try await mirror.answer("/play/courier/media").status == 308)
  }

  @Test(arguments: [
    "/play/courier/missing.png", "/play/courier/media/", "/play/nobody/", "/play/empty/",
    "/play/courier/leak",
    "/play/courier/index.html/", "/play/courier/index.html/x", "/play/courier//index.html", "/other",
    "/play/",
    "/play/courier/%2Fetc%2Fpasswd", "/play/courier/..%2F%CC%81etc", "/play/courier/%2F%CC%81etc",
    "/play/-bad/",
  ])
  func answers404ForWhatIsNoFileOfTheGame(target: String) async throws {
    #expect(try await mirror.answer(target).status == 404)
  }

  @Test(arguments: [
    "/play/courier/../../secret.txt", "/play/courier/%2e%2e/versions/1.0/index.html", "/play/%zz/",
  ])
  func refusesPathsThatLeadElsewhere(target: String) async throws {
    #expect(try await mirror.answer(target).status == 400)
  }

  @Test func sendsRangesForMedia() async throws {
    let part = try await mirror.answer("/play/courier/media/theme.ogg", ["Range": "bytes=2-4"])
    #expect(part.status == 206)
    #expect(part.body == "234")
    #expect(part.fields["Content-Range"] == "bytes 2-4/10")
    #expect(try await mirror.answer("/play/courier/media/theme.ogg", ["Range": "bytes=-3"]).body == "789")
    // By the tag, but not by the date: another version can have been installed in the same second.
    let tag = try #require(part.fields["ETag"])
    let date = try #require(part.fields["Last-Modified"])
    for (validator, status) in [(tag, 206), (date, 200)] {
      let fields: KeyValuePairs = ["Range": "bytes=2-4", "If-Range": validator]
      #expect(try await mirror.answer("/play/courier/media/theme.ogg", fields).status == status)
    }
    let parts = try await mirror.answer("/play/courier/media/theme.ogg", ["Range": "bytes=0-0,5-6"])
    #expect(parts.fields["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
    #expect(parts.body.contains("Content-Range: bytes 5-6/10\r\n\r\n56\r\n"))
    let outside = try await mirror.answer("/play/courier/media/theme.ogg", ["Range": "bytes=10-"])
    #expect(outside.status == 416)
    #expect(outside.fields["Content-Range"] == "bytes */10")
  }

  @Test func answers304ForAFileThatIsKnown() async throws {
    let tag = try #require(try await mirror.answer("/play/courier/").fields["ETag"])
    #expect(try await mirror.answer("/play/courier/", ["If-None-Match": tag]).status == 304)
    #expect(try await mirror.answer("/play/courier/", ["If-None-Match": "\"other\""]).status == 200)
    #expect(try await mirror.answer("/play/courier/", ["If-Match": "\"other\""]).status == 412)
  }

  @Test func takesNothingButReads() async throws {
    let refusal = try await mirror.answer("/play/courier/", method: "POST")
    #expect(refusal.status == 405)
    #expect(refusal.fields["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try await mirror.answer("/", method: "OPTIONS").status == 204)
    #expect(try await mirror.answer("/play/courier/", method: "HEAD").status == 200)
  }

  @Test func ignoresACurrentThatLeavesTheGame() async throws {
    let link = "\(mirror.path)/games/courier/current"
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../../..")
    #expect(try await mirror.answer("/play/courier/games/secret.txt").status == 404)
  }

  @Test func refusesAFolderThatIsNoMirror() {
    let error = #expect(throws: SystemError.self) {
      try PlayHandler(mirrorAt: "/nonexistent", record: nil, settings: PlaySettings(), logger: .silent)
    }
    #expect(error?.description == "open /nonexistent: No such file or directory")
  }
}
