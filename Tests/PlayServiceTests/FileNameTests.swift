import DepotModel
import Foundation
import HTTPWire
import Platform
import TestSupport
import Testing

@testable import PlayService

/// Names of files as games spell them.
@Suite struct FileNameTests {
  private let mirror: MirrorFolder

  init() throws { mirror = try MirrorFolder() }

  @Test func exactBytesComeFirst() async throws {
    try mirror.put("small", "a/file.txt")
    try mirror.put("large", "a/File.txt")
    try mirror.put("composed", "caf\u{e9}.txt")
    try mirror.put("decomposed", "cafe\u{301}.txt")
    #expect(try await mirror.answer("/play/courier/a/file.txt").body == "small")
    #expect(try await mirror.answer("/play/courier/a/File.txt").body == "large")
    #expect(try await mirror.answer("/play/courier/caf%C3%A9.txt").body == "composed")
    #expect(try await mirror.answer("/play/courier/cafe%CC%81.txt").body == "decomposed")
    #expect(try await mirror.answer("/play/courier/a/FILE.txt").status == 404, "which of both?")
  }

  /// macOS makes the one form, the web the other.
  @Test(arguments: [("caf\u{e9}", "cafe%CC%81"), ("cafe\u{301}", "caf%C3%A9")])
  func anotherUnicodeFormIsTheSameName(_ name: String, _ asked: String) async throws {
    try mirror.put("found", "\(name)/bild.txt")
    #expect(try await mirror.answer("/play/courier/\(asked)/bild.txt").body == "found")
    #expect(try await mirror.answer("/play/courier/\(asked)").status == 308)
  }

  @Test func bytesAboveASCIINeedNoPercent() async throws {
    try mirror.put("found", "图片/主角.txt")
    #expect(
      try await mirror.answer("/play/courier/%E5%9B%BE%E7%89%87/%E4%B8%BB%E8%A7%92.txt").body == "found")
  }

  @Test func anotherCaseIsFoundIfNothingElseCanBeMeant() async throws {
    try mirror.put("found", "Assets/IMG/Hero.PNG")
    try mirror.put("page", "Levels/index.html")
    let answer = try await mirror.answer("/play/courier/assets/img/hero.png")
    #expect(answer.body == "found")
    #expect(answer.fields["Content-Type"] == "image/png")
    #expect(try await mirror.answer("/play/courier/levels").fields["Location"] == "/play/courier/levels/")
    #expect(try await mirror.answer("/play/courier/levels/").body == "page")
    #expect(try await mirror.answer("/play/courier/INDEX.HTML").body == "<h1>new</h1>")
  }

  @Test func anotherCaseIsToldOnce() async throws {
    let file = try File(path: "\(mirror.path)/log", mode: .createNew)
    let mirror = try MirrorFolder(logger: Logger(format: .text, minimum: .notice, descriptor: file.number))
    try mirror.put("found", "Hero.PNG")
    for _ in 0..<3 { #expect(try await mirror.answer("/play/courier/hero.png").status == 200) }
    #expect(try await mirror.answer("/play/courier/HERO.png").status == 200)
    #expect(try await mirror.answer("/play/courier/nothing.png").status == 404)
    let log = String(decoding: try file.bytes(at: 0, count: 10_000), as: UTF8.self)
    #expect(log.split(separator: "\n").count == 2)
    #expect(log.contains(#"asked="hero.png" found="Hero.PNG""#))
  }

  @Test func aNameThatWasFoundOtherwiseMayBeGone() async throws {
    try mirror.put("found", "Hero.PNG")
    #expect(try await mirror.answer("/play/courier/hero.png").status == 200)
    try FileManager.default.removeItem(atPath: "\(mirror.folder)/Hero.PNG")
    #expect(try await mirror.answer("/play/courier/hero.png").status == 404)
  }

  @Test(arguments: [
    ("Straße.txt", "STRASSE.txt"), ("ΟΔΟΣ.txt", "οδος.txt"), ("ÉCOLE.txt", "école.txt"),
    ("ÉCOLE.txt", "e\u{301}cole.TXT"), ("ДОМ.txt", "дом.txt"),
  ])
  func caseIsThatOfUnicode(_ name: String, _ asked: String) throws {
    let index = try #require(FileIndex([entry(name)]))
    #expect(index.match(asked) == .otherCase(path: name))
    #expect(index.file(at: asked) == nil)
  }

  @Test func anIndexHoldsNoMoreThanItsLimit() throws {
    let many = (0...FileIndex.limit).map { entry("\($0)") }
    #expect(FileIndex(many) == nil)
    #expect(FileIndex(many.dropLast()) != nil)
    #expect(FileIndex([] as [FileIndex.Entry])?.match("a") == nil)
  }

  private func entry(_ path: String) -> FileIndex.Entry {
    .init(path: path, size: 1, sha256: nil, modifiedAtNanoseconds: nil)
  }

  @Test func aFolderIsWalkedWithoutItsLinks() throws {
    try mirror.put("x", "a/b/c.txt")
    try FileManager.default.createSymbolicLink(atPath: "\(mirror.folder)/loop", withDestinationPath: ".")
    try FileManager.default.createSymbolicLink(
      atPath: "\(mirror.folder)/leak.txt", withDestinationPath: "/etc/passwd")
    let folder = try Directory(path: mirror.folder)
    let files = try #require(FolderWalk.files(in: folder, limit: 100))
    #expect(Set(files.map(\.path)) == ["a/b/c.txt", "index.html"])
    #expect(FolderWalk.files(in: folder, limit: 3) == nil)
  }

  @Test func thousandsOfFilesThatAreNotThereCostNoFolderBeingRead() async throws {
    _ = try await mirror.answer("/play/courier/")
    for number in 0..<1000 {
      #expect(try mirror.isReady("/play/courier/missing-\(number).png"))
    }
  }

  // MARK: Pages that route by themselves

  private func singlePage() throws -> MirrorFolder {
    var settings = PlaySettings()
    settings.singlePage = [try #require(GameID("courier"))]
    let mirror = try MirrorFolder(settings)
    try mirror.put("script", "app/main.js")
    return mirror
  }

  @Test(arguments: ["level/3", "level/3/", "settings", "app/", "app"])
  func aPathOfThePagesOwnIsThePage(_ path: String) async throws {
    let answer = try await singlePage().answer("/play/courier/\(path)")
    if path == "app" {
      #expect(answer.status == 308)
    } else {
      #expect(answer.status == 200)
      #expect(answer.body == "<h1>new</h1>")
    }
    #expect(try await mirror.answer("/play/courier/\(path)").status == 404, "not without being asked for")
  }

  @Test func aFileThatIsMissingIsMissingThereToo() async throws {
    let mirror = try singlePage()
    #expect(try await mirror.answer("/play/courier/app/main.js").body == "script")
    #expect(try await mirror.answer("/play/courier/app/lost.js").status == 404)
    #expect(try await mirror.answer("/play/courier/level/3", ["Sec-Fetch-Mode": "cors"]).status == 404)
    let route = try await mirror.answer("/play/courier/user/jo.doe", ["Sec-Fetch-Mode": "navigate"])
    #expect(route.body == "<h1>new</h1>")
    try FileManager.default.removeItem(atPath: "\(mirror.folder)/index.html")
    #expect(try await mirror.answer("/play/courier/level/3").status == 404)
    #expect(try await mirror.answer("/play/courier/").status == 404)
  }
}
