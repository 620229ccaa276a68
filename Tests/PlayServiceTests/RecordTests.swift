import DepotModel
import Foundation
import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import PlayService

/// What the mirror wrote down, beside what the disk tells.
@Suite struct RecordTests {
  /// A record that knows what a test says, and how often it was asked.
  private final class Notes: MirrorRecord {
    let versions = Mutex<[String: RecordedVersion]>([:])
    let questions = Mutex(0)

    func games() -> [RecordedGame] { [] }
    func game(_ id: GameID) -> RecordedGame? { nil }

    func version(_ id: GameID, _ version: H5Version) -> RecordedVersion? {
      questions.withLock { $0 += 1 }
      return versions.withLock { $0["\(id) \(version)"] }
    }
  }

  private let notes = Notes()
  private let mirror: MirrorFolder
  private let script = String(decoding: MirrorFolder.script, as: UTF8.self)

  init() throws {
    mirror = try MirrorFolder(record: notes)
    try mirror.put(script, "main.js")
  }

  private func note(_ names: String..., size: Int64? = nil, modified: Int64 = 0) throws {
    let files = try names.map { name in
      let file = try File(path: "\(mirror.folder)/\(name)", mode: .read)
      let status = try file.status
      let digest = Hash.digest(of: try file.bytes(at: 0, count: Int(status.size)), .sha256)
      return RecordedFile(
        path: name, size: size ?? status.size, sha256: try #require(SHA256Digest(bytes: digest)),
        modifiedAtNanoseconds: status.modifiedAtNanoseconds + modified)
    }
    notes.versions.withLock { $0["courier 1.1"] = RecordedVersion(files: files) }
  }

  private var digest: String {
    Hash.digest(of: Array(script.utf8), .sha256).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    .joined()
  }

  @Test func theTagOfAFileIsItsRecordedDigest() async throws {
    try note("main.js", "index.html")
    let plain = try await mirror.answer("/play/courier/main.js")
    #expect(plain.fields["ETag"] == "\"\(digest)\"")
    let small = try await mirror.answer("/play/courier/main.js", ["Accept-Encoding": "gzip"])
    #expect(small.fields["ETag"] == "\"\(digest)-gzip\"")
    _ = try await mirror.answer("/play/courier/")
    #expect(notes.questions.withLock { $0 } == 1, "asked once a version")
  }

  /// Somebody wrote into the mirror: `verify` would say so.
  @Test(arguments: [(nil, 1), (7, 0)] as [(Int64?, Int64)])
  func theTagOfAnotherFileIsThatOfTheDisk(_ size: Int64?, _ modified: Int64) async throws {
    try note("main.js", size: size, modified: modified)
    let answer = try await mirror.answer("/play/courier/main.js")
    #expect(answer.status == 200)
    #expect(answer.fields["ETag"]?.hasPrefix("\"1.1-") == true)
    #expect(answer.body == script)
  }

  @Test func namesAreFoundByTheRecordToo() async throws {
    try mirror.put("found", "Assets/Hero.PNG")
    try note("main.js", "Assets/Hero.PNG")
    #expect(try await mirror.answer("/play/courier/assets/hero.png").body == "found")
    #expect(try await mirror.answer("/play/courier/index.html").status == 200, "also what was not recorded")
  }

  @Test func aGameThatIsNotRecordedPlaysByWhatTheDiskTells() async throws {
    #expect(try await mirror.answer("/play/courier/MAIN.js").body == script)
    #expect(try await mirror.answer("/play/courier/main.js").fields["ETag"]?.hasPrefix("\"1.1-") == true)
  }

  /// A sync writes it down after the files are in their place.
  @Test func whatIsRecordedLaterIsSeen() async throws {
    let (id, number) = (try #require(GameID("courier")), try #require(H5Version("1.1")))
    let games = InstalledGames(folder: try Directory(path: "\(mirror.path)/games"))
    let version = try #require(try ServedVersions(games) { _ in }.version(id, number))
    let walked = ServedVersion.Contents(index: nil, needsIsolation: false, isRecorded: false)
    #expect(version.contents(now: 0) == nil)
    await version.readContents(now: 0) { known in
      #expect(known == nil)
      return walked
    }
    #expect(version.contents(now: 1999) != nil)
    #expect(version.contents(now: 2000) == nil, "the record is asked again")
    await version.readContents(now: 2000) { known in
      #expect(known != nil, "but the folder is not walked again")
      return ServedVersion.Contents(index: nil, needsIsolation: true, isRecorded: true)
    }
    #expect(version.contents(now: 1_000_000)?.needsIsolation == true)
  }
}
