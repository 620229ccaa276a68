import Catalogue
import DepotModel
import DepotService
import HTTPWire
import TestSupport
import Testing
import ZipArchive

@Suite struct ManifestTests {
  private static let zip = ZipBuilder(
    [
      ZipEntry("game/index.html", "<title>x</title>"), .stored("game/a.txt", "abc"),
      ZipEntry("game/.DS_Store", "j"),
    ]
      + (0..<40).map { ZipEntry("game/levels/\($0).json", "[\($0)]") }
  ).build()

  private func fixture() async throws -> DepotFixture {
    let fixture = try DepotFixture()
    #expect(try await fixture.publish("gameId=a&h5Version=1", Self.zip).status == 201)
    return fixture
  }

  @Test func tellsEveryFileAndWhereItLies() async throws {
    let fixture = try await fixture()
    for target in [
      "/games/a/manifest", "/games/a/manifest?version=1", "/games/a/manifest?channel=stable",
      "/games/a/versions/1/manifest",
    ] {
      let reply = try await fixture.ask(target)
      #expect(reply.status == 200)
      #expect(reply.fields["Cache-Control"] == "private, no-cache")
      #expect(reply.fields["Vary"] == "Accept-Encoding")
      let manifest = try JSON.decode(Manifest.self, from: reply.bytes)
      #expect(manifest.h5Sha256.hex == Samples.sha256(Self.zip))
      #expect(manifest.h5Size == Int64(Self.zip.count))
      #expect(manifest.h5Down == "http://depot.test/games/a/versions/1/package.zip")
      #expect(manifest.root == "game/")
      #expect(manifest.namesEncoding == "utf-8")
      #expect(manifest.blockSize == 1 << 20)
      #expect(manifest.blocks.map(\.hex) == [Samples.sha256(Self.zip)])
      #expect(manifest.ignored.map(\.reason) == ["junk"])
      #expect(manifest.files.count == 42)
      let file = try #require(manifest.files.first { $0.path == "a.txt" })
      #expect(file.size == 3)
      #expect(file.sha256?.hex == Samples.sha256(Array("abc".utf8)))
      #expect(file.md5?.hex == Samples.md5(Array("abc".utf8)))
      #expect(file.compressedSha256.hex == Samples.sha256(Array("abc".utf8)))
      #expect(file.crc32 == "352441c2")
      #expect(file.method == 0)
      let start = Int(file.dataOffset)
      #expect(Array(Self.zip[start..<start + 3]) == Array("abc".utf8))
    }
  }

  @Test func compressesForWhoeverTakesIt() async throws {
    let fixture = try await fixture()
    let plain = try await fixture.ask("/games/a/manifest")
    for accepted in ["gzip", "deflate, GZIP;q=0.5", "*", "br;q=1, *;q=0.1"] {
      let reply = try await fixture.ask("GET", "/games/a/manifest", ["Accept-Encoding": accepted])
      #expect(reply.fields["Content-Encoding"] == "gzip", "\(accepted)")
      #expect(reply.fields["ETag"] != plain.fields["ETag"])
      #expect(reply.fields["Vary"] == "Accept-Encoding")
      #expect(reply.bytes.count < plain.bytes.count / 2)
      #expect(try gunzip(reply.bytes) == plain.bytes)
      let again = try await fixture.ask(
        "GET", "/games/a/manifest",
        ["Accept-Encoding": accepted, "If-None-Match": reply.fields["ETag"] ?? ""])
      #expect(again.status == 304)
    }
    for accepted in ["identity", "br", "gzip;q=0", "*;q=0", "gzip;q=0.000, *"] {
      let reply = try await fixture.ask("GET", "/games/a/manifest", ["Accept-Encoding": accepted])
      #expect(reply.fields["Content-Encoding"] == nil, "\(accepted)")
      #expect(reply.bytes == plain.bytes)
    }
  }

  @Test func cutsThePackageIntoBlocks() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.large((1 << 20) + 100)
    try await fixture.publish("gameId=a&h5Version=1", zip)
    let manifest = try JSON.decode(Manifest.self, from: try await fixture.ask("/games/a/manifest").bytes)
    let cut = 1 << 20
    #expect(
      manifest.blocks.map(\.hex) == [Samples.sha256(Array(zip[..<cut])), Samples.sha256(Array(zip[cut...]))])
  }
}
