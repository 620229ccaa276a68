import Catalogue
import DepotModel
import Foundation
import SQLite
import Synchronization
import Testing

/// A clock that stands still until told otherwise.
final class TestClock: Sendable {
  private let seconds = Mutex<Int64>(1_000_000)

  var now: Timestamp { Timestamp(seconds: seconds.withLock { $0 }) }
  func set(_ value: Int64) { seconds.withLock { $0 = value } }
}

/// A catalogue in a folder of its own, removed with everything in it.
final class Fixture: Sendable {
  let folder: URL
  let clock = TestClock()
  let catalogue: Catalogue
  var path: String { folder.appending(path: "catalogue.sqlite").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "catalogue-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let clock = clock
    catalogue = try Catalogue(
      path: folder.appending(path: "catalogue.sqlite").path, clock: { clock.now })
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The file as another process sees it.
  func another() throws -> Catalogue {
    let clock = clock
    return try Catalogue(path: path, clock: { clock.now })
  }

  /// Publishes a package whose bytes are told apart by `seed`.
  @discardableResult
  func publish(
    _ id: String, _ version: String, seed: UInt8? = nil, title: String? = nil, channel: String = "stable",
    mandatory: Bool = false, minHostVersion: String? = nil, notes: String? = nil, token: String? = nil,
    package: PackageFacts? = nil, into other: Catalogue? = nil
  ) throws -> PublishOutcome {
    let release = try NewRelease(
      gameID: game(id), version: h5(version), title: title, channel: channelName(channel),
      mandatory: mandatory, minHostVersion: minHostVersion, notes: notes,
      md5: md5(seed ?? UInt8(truncatingIfNeeded: version.utf8.reduce(0) { $0 &+ Int($1) })),
      sha256: sha256(seed ?? UInt8(truncatingIfNeeded: version.utf8.reduce(0) { $0 &+ Int($1) })),
      size: 1000, publishedAt: clock.now, package: package ?? facts(),
      author: token.map { Author(name: $0, origin: "192.0.2.7") })
    return try (other ?? catalogue).publish(release)
  }

  @discardableResult
  func set(
    _ id: String, _ channel: String, to version: String, mandatory: Bool = false,
    minHostVersion: String? = nil, actor: Author? = nil
  ) throws -> Release {
    try catalogue.setChannel(
      game(id), channelName(channel), to: h5(version), mandatory: mandatory, minHostVersion: minHostVersion,
      actor: actor)
  }

  func stable(_ id: String) throws -> Release? { try catalogue.release(game(id), channel: .stable) }

  /// Changes in a few words: `id=version` for changed games, `-id` for removed ones.
  func changes(since: Int64, channel: String = "stable") throws -> [String] {
    let page = try catalogue.changes(since: since, channel: channelName(channel), after: nil, limit: 1000)
    #expect(page.next == nil)
    #expect(try page.revision == catalogue.revision())
    return page.changed.map { "\($0.gameID)=\($0.version)" } + page.removed.map { "-\($0)" }
  }

  func audit() throws -> [String] {
    try Database(path: path, mode: .readOnly).query(
      "SELECT actor, action, subject, version, channel, detail FROM audit_log ORDER BY id"
    ) { (row) throws(SQLiteError) in
      var words: [String] = []
      for column in 0..<6 { words.append(try row.optionalText(column) ?? "-") }
      return words.joined(separator: " ")
    }
  }
}

func game(_ text: String) throws -> GameID { try #require(GameID(text)) }
func h5(_ text: String) throws -> H5Version { try #require(H5Version(text)) }
func channelName(_ text: String) throws -> ChannelName { try #require(ChannelName(text)) }
func md5(_ seed: UInt8) throws -> MD5Digest {
  try #require(MD5Digest(bytes: Array(repeating: seed, count: 16)))
}
func sha256(_ seed: UInt8) throws -> SHA256Digest {
  try #require(SHA256Digest(bytes: Array(repeating: seed, count: 32)))
}

func facts(files: Int = 1) throws -> PackageFacts {
  PackageFacts(
    root: "game/", namesEncoding: "utf-8", unpackedSize: Int64(files), blockSize: 1 << 20,
    blocks: [try sha256(1), try sha256(2)],
    files: try (0..<files).map { number in
      Manifest.File(
        path: "assets/\(number).bin", size: 1, sha256: number == 0 ? nil : try sha256(3),
        md5: number == 0 ? nil : try md5(3), crc32: "0000cafe", method: number % 2 * 8, compressedSize: 1,
        headerOffset: Int64(number) * 100, dataOffset: Int64(number) * 100 + 40,
        compressedSha256: try sha256(4), encrypted: number == 0)
    },
    ignored: [
      Manifest.Ignored(path: "__MACOSX/a", reason: "junk"),
      Manifest.Ignored(path: ".DS_Store", reason: "junk"),
    ])
}

extension Fixture {
  /// Marks a version as withdrawn, as a later command will.
  func yank(_ id: String, _ version: String) throws {
    try Database(path: path, mode: .readWrite(create: false)).run(
      "UPDATE releases SET state = 'yanked' WHERE game = ? AND version = ?", .text(id), .text(version))
  }
}
