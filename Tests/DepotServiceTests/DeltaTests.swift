import Catalogue
import DepotModel
import DepotService
import HTTPWire
import ReadAPI
import SQLite
import TestSupport
import Testing
import ZipArchive

/// What a mirror asks before it updates: `delta.json` and the index.
@Suite struct DeltaTests {
  private static let zip = ZipBuilder(
    [ZipEntry("game/index.html", "<title>x</title>"), ZipEntry("game/.DS_Store", "j")]
      + (0..<20).map { ZipEntry("game/levels/\($0).json", "[\($0)]") }
  ).build()
  private static let index = "/games/a/versions/1/index"
  private static let delta = "/games/a/versions/1/delta.json"

  private func fixture(_ change: (inout DepotSettings) -> Void = { _ in }) async throws -> DepotFixture {
    let fixture = try DepotFixture(change)
    #expect(try await fixture.publish("gameId=a&h5Version=1", Self.zip).status == 201)
    return fixture
  }

  private func database(_ fixture: DepotFixture) throws -> Database {
    try Database(path: "\(fixture.path)/catalogue.sqlite", mode: .readWrite(create: false))
  }

  @Test func tellsWhatAnUpdateNeedsInFewBytes() async throws {
    let fixture = try await fixture()
    let reply = try await fixture.ask(Self.delta)
    #expect(reply.status == 200)
    #expect(reply.fields["Cache-Control"] == "private, no-cache")
    #expect(reply.fields["Content-Type"] == "application/json")
    #expect(reply.bytes.count < 800)
    let index = try await fixture.ask(Self.index).bytes
    let expected = """
      {"blocks":null,"encrypted":false,"fileCount":21,"h5Down":"http://depot.test/games/a/versions/1/package.zip",\
      "h5Md5":"\(Samples.md5(Self.zip))","h5Sha256":"\(Samples.sha256(Self.zip))","h5Size":\(Self.zip.count),\
      "h5Version":"1","index":{"sha256":"\(Samples.sha256(index))","size":\(index.count),\
      "url":"http://depot.test/games/a/versions/1/index"},"namesEncoding":"utf-8","patches":[],"root":"game/",\
      "unpackedSize":86}
      """
    #expect(reply.text == expected)
    let again = try await fixture.ask("GET", Self.delta, ["If-None-Match": reply.fields["ETag"] ?? ""])
    #expect(again.status == 304)
  }

  @Test func answersAgainFromMemory() async throws {
    let fixture = try await fixture()
    let first = try await fixture.ask(Self.delta)
    #expect(!first.wasInline)
    let second = try await fixture.ask(Self.delta)
    #expect(second.wasInline)
    #expect(second.bytes == first.bytes)
  }

  @Test func namesThePublicURL() async throws {
    let fixture = try await fixture { $0.publicURL = PublicURL("https://games.example/depot") }
    let reply = try await fixture.ask(Self.delta)
    #expect(reply.fields["Cache-Control"] == "public, no-cache")
    let delta = try JSON.decode(DeltaDescription.self, from: reply.bytes)
    #expect(delta.index?.url == "https://games.example/depot/games/a/versions/1/index")
    #expect(delta.h5Down == "https://games.example/depot/games/a/versions/1/package.zip")
  }

  @Test func givesTheIndexForEver() async throws {
    let fixture = try await fixture()
    let reply = try await fixture.ask("GET", Self.index, ["Accept-Encoding": "gzip"])
    #expect(reply.status == 200)
    #expect(reply.fields["Content-Type"] == "application/octet-stream")
    #expect(reply.fields["Content-Encoding"] == nil)
    #expect(reply.fields["Cache-Control"] == "public, max-age=31536000, immutable, no-transform")
    #expect(reply.fields["ETag"] == "\"\(Samples.sha256(reply.bytes))\"")
    #expect(reply.fields["Repr-Digest"]?.hasPrefix("sha-256=:") == true)
    #expect(reply.fields["Access-Control-Allow-Origin"] == "*")
    let index = try PackageIndex(decoding: reply.bytes, limits: .standard)
    #expect(index.packageSize == Int64(Self.zip.count))
    #expect(index.fileCount == 22)
    let head = try await fixture.ask("HEAD", Self.index)
    #expect(head.status == 200)
    #expect(head.fields["Content-Length"] == "\(reply.bytes.count)")
    let etag = reply.fields["ETag"] ?? ""
    #expect(try await fixture.ask("GET", Self.index, ["If-None-Match": etag]).status == 304)
    #expect(try await fixture.ask("GET", Self.index, ["If-Match": "\"other\""]).status == 412)
  }

  @Test func givesTheIndexByRanges() async throws {
    let fixture = try await fixture()
    let whole = try await fixture.ask(Self.index)
    let size = whole.bytes.count
    let etag = whole.fields["ETag"] ?? ""
    let one = try await fixture.ask("GET", Self.index, ["Range": "bytes=10-19", "If-Range": etag])
    #expect(one.status == 206)
    #expect(one.fields["Content-Range"] == "bytes 10-19/\(size)")
    #expect(one.bytes == Array(whole.bytes[10..<20]))
    #expect(one.fields["ETag"] == etag)
    let several = try await fixture.ask("GET", Self.index, ["Range": "bytes=0-1,10-11"])
    #expect(several.status == 206)
    #expect(several.fields["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
    let other = try await fixture.ask("GET", Self.index, ["Range": "bytes=10-19", "If-Range": "\"other\""])
    #expect(other.status == 200 && other.bytes == whole.bytes)
    let beyond = try await fixture.ask("GET", Self.index, ["Range": "bytes=\(size)-"])
    #expect(beyond.status == 416)
    #expect(beyond.fields["Content-Range"] == "bytes */\(size)")
  }

  @Test(arguments: ["delta.json", "index", "blocks"])
  func saysWhatIsUnknown(part: String) async throws {
    let fixture = try await fixture()
    #expect(try await fixture.ask("/games/b/versions/1/\(part)").slug == "unknown-game")
    #expect(try await fixture.ask("/games/a/versions/2/\(part)").slug == "unknown-version")
    #expect(try await fixture.ask("/games/a/versions/*/\(part)").slug == "unknown-version")
  }

  /// Large files that changed in a few places are found again by these.
  @Test func givesTheSumsOfLargePayloads() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.large(100_000)
    #expect(try await fixture.publish("gameId=a&h5Version=1", zip).status == 201)
    let index = try PackageIndex(decoding: await fixture.ask(Self.index).bytes, limits: .standard)
    let size = BlockSums(of: index).size
    #expect(size >= 24 * 4)
    let delta = try JSON.decode(DeltaDescription.self, from: await fixture.ask(Self.delta).bytes)
    let expected = DeltaDescription.Blocks(
      url: "http://depot.test/games/a/versions/1/blocks", size: size, blockSize: 4096)
    #expect(delta.blocks == expected)
    let reply = try await fixture.ask("/games/a/versions/1/blocks")
    #expect(reply.status == 200)
    #expect(reply.bytes.count == size)
    #expect(reply.fields["Cache-Control"] == "public, max-age=31536000, immutable, no-transform")
    let part = try await fixture.ask("GET", "/games/a/versions/1/blocks", ["Range": "bytes=4-7"])
    #expect(part.status == 206)
    #expect(part.bytes == Array(reply.bytes[4..<8]))
    try database(fixture).execute("UPDATE release_indexes SET block_sums = NULL")
    #expect(try await fixture.ask("/games/a/versions/1/blocks").slug == "not-found")
    #expect(try fixture.depot.makeMissingIndexes() == 1)
    try database(fixture).execute("UPDATE release_indexes SET block_sums = zeroblob(\(size))")
    #expect(try fixture.depot.verify(repairing: true).damages.count == 1)
    #expect(try await fixture.ask("/games/a/versions/1/blocks").bytes == reply.bytes)
  }

  @Test func hasNoPatches() async throws {
    let fixture = try await fixture()
    let hex = String(repeating: "0a", count: 32)
    #expect(try await fixture.ask("/games/a/versions/1/patches/\(hex)").slug == "not-found")
    #expect(try await fixture.ask("/games/a/versions/2/patches/\(hex)").slug == "unknown-version")
    #expect(try await fixture.ask("/games/a/versions/1/patches/abc").slug == "not-found")
    #expect(try await fixture.ask("/games/a/versions/1/patches").slug == "not-found")
  }

  /// Published before there were indexes: mirrors do without, until one is made.
  @Test func makesIndexesForWhatIsThere() async throws {
    let fixture = try await fixture()
    let published = try await fixture.ask(Self.index).bytes
    let revision = try fixture.depot.catalogue.revision()
    try database(fixture).execute("DELETE FROM release_indexes")
    let without = try await fixture.ask(Self.delta)
    #expect(try JSON.decode(DeltaDescription.self, from: without.bytes).index == nil)
    #expect(without.text.contains("\"index\":null"))
    #expect(try await fixture.ask(Self.index).slug == "not-found")
    #expect(try fixture.depot.makeMissingIndexes(isCancelled: { true }) == 0)
    #expect(try fixture.depot.makeMissingIndexes() == 1)
    #expect(try fixture.depot.makeMissingIndexes() == 0)
    #expect(try await fixture.ask(Self.index).bytes == published)
    let with = try await fixture.ask(Self.delta)
    #expect(with.fields["ETag"] != without.fields["ETag"])
    #expect(try JSON.decode(DeltaDescription.self, from: with.bytes).index != nil)
    #expect(try fixture.depot.catalogue.revision() == revision)
  }

  @Test func leavesNothingOfARemovedGame() async throws {
    let fixture = try await fixture()
    let reply = try await fixture.ask("DELETE", "/games/a", ["Authorization": "Bearer admin-token"])
    #expect(reply.status == 204)
    #expect(try await fixture.ask(Self.index).status == 404)
    #expect(try await fixture.ask(Self.delta).status == 404)
    let left = try database(fixture).first("SELECT count(*) FROM release_indexes") {
      (row) throws(SQLiteError) in try row.int(0)
    }
    #expect(left == 0)
  }

  @Test(arguments: [
    "UPDATE release_indexes SET bytes = zeroblob(100)",
    "UPDATE release_indexes SET bytes = x'474449010100', sha256 = x'\(Samples.sha256([0x47, 0x44, 0x49, 1, 1, 0]))'",
  ])
  func mendsADamagedIndex(damage: String) async throws {
    let fixture = try await fixture()
    let published = try await fixture.ask(Self.index).bytes
    #expect(try fixture.depot.verify(repairing: false).damages.isEmpty)
    try database(fixture).execute(damage)
    let found = try fixture.depot.verify(repairing: false)
    guard case .index(_, isMended: false)? = found.damages.first?.kind else {
      Issue.record("\(found)")
      return
    }
    let mended = try fixture.depot.verify(repairing: true)
    guard case .index(_, isMended: true)? = mended.damages.first?.kind, mended.damages.count == 1 else {
      Issue.record("\(mended)")
      return
    }
    #expect(try fixture.depot.verify(repairing: false).damages.isEmpty)
    #expect(try await fixture.ask(Self.index).bytes == published)
  }

  @Test func makesAMissingIndexWhenRepairing() async throws {
    let fixture = try await fixture()
    try database(fixture).execute("DELETE FROM release_indexes")
    #expect(try fixture.depot.verify(repairing: false).damages.isEmpty)
    #expect(try await fixture.ask(Self.index).status == 404)
    #expect(try fixture.depot.verify(repairing: true).damages.isEmpty)
    #expect(try await fixture.ask(Self.index).status == 200)
  }

  /// An index that tells another package than the one that is there.
  @Test func findsAnIndexOfAnotherPackage() async throws {
    let fixture = try await fixture()
    #expect(try await fixture.publish("gameId=b&h5Version=1", Samples.game()).status == 201)
    try database(fixture).execute(
      """
      UPDATE release_indexes SET (bytes, sha256) = (SELECT bytes, sha256 FROM release_indexes WHERE release = 2)
      WHERE release = 1
      """)
    let found = try fixture.depot.verify(repairing: true)
    #expect(found.damages.map(\.kind) == [.index("it is that of another package", isMended: true)])
    #expect(try fixture.depot.verify(repairing: false).damages.isEmpty)
  }
}
