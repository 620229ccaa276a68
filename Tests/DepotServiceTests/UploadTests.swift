import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import ReadAPI
import TestSupport
import Testing

/// What a publisher gets for a package that is in order.
@Suite struct UploadTests {
  @Test func publishesAZipBodyWithFieldsInTheQuery() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.game()
    let reply = try await fixture.publish(
      "gameId=deep-courier&h5Version=1.0.0+b2&title=Deep%20Courier&mandatory=true&minHostVersion=2.1&notes=New",
      zip)
    #expect(reply.status == 201)
    #expect(reply.fields["Location"] == "/games/deep-courier/versions/1.0.0+b2")
    #expect(reply["gameId"] == "deep-courier")
    #expect(reply["title"] == "Deep Courier")
    let spaced = try await fixture.publish("gameId=other&h5Version=1+b&title=C%2B%2B+Quest&notes=a+b")
    #expect(spaced["title"] == "C++ Quest")
    #expect(spaced["notes"] == "a b")
    #expect(spaced["h5Version"] == "1+b")
    #expect(reply["h5Version"] == "1.0.0+b2")
    #expect(reply["h5Down"] == "http://depot.test/games/deep-courier/versions/1.0.0+b2/package.zip")
    #expect(reply["h5Md5"] == Samples.md5(zip))
    #expect(reply["h5Sha256"] == Samples.sha256(zip))
    #expect(reply.json["h5Size"] as? Int == zip.count)
    #expect(reply["publishedAt"] == fixture.clock.now.description)
    #expect(reply.json["mandatory"] as? Bool == true)
    #expect(reply["minHostVersion"] == "2.1")
    #expect(reply["notes"] == "New")
    #expect(reply["channel"] == "stable")
    #expect(reply.json["findings"] is [Any])
    #expect(!reply.wasInline)
  }

  @Test(arguments: [1, 7, 100, 1 << 20])
  func publishesAFormCutAnywhere(pieceSize: Int) async throws {
    let fixture = try DepotFixture()
    let zip = Samples.game()
    let form = Samples.form(
      ["gameId": "a", "title": ""], package: zip, after: ["h5Version": "1", "extra": "x"])
    let reply = try await fixture.publish(form: form, pieceSize: pieceSize)
    #expect(reply.status == 201)
    #expect(reply["h5Sha256"] == Samples.sha256(zip))
    #expect(reply["title"] == "a", "an input left empty counts as absent")
    #expect(reply.json["notes"] is NSNull)
  }

  @Test func storesThePackageByItsDigestReadOnlyAndLeavesNothingInIngest() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.game()
    try await fixture.publish("gameId=a&h5Version=1", zip)
    let hex = Samples.sha256(zip)
    #expect(fixture.blobNames == [hex])
    let file = "\(fixture.path)/blobs/sha256/\(hex.prefix(2))/\(hex)"
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o444)
    #expect(FileManager.default.contents(atPath: file) == Data(zip))
    #expect(fixture.names(in: "ingest").isEmpty)
  }

  @Test func answers200AndChangesNothingWhenTheSameBytesAreThere() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1&title=First")
    try await fixture.publish("gameId=a&h5Version=2", Samples.game("two"))
    let before = try fixture.depot.catalogue.revision()
    let reply = try await fixture.publish("gameId=a&h5Version=1&title=Other&mandatory=true")
    #expect(reply.status == 200)
    #expect(reply["title"] == "First")
    #expect(reply.fields["Location"] == "/games/a/versions/1")
    #expect(try fixture.depot.catalogue.revision() == before)
    #expect(try await fixture.ask("/games/a")["h5Version"] == "2", "the channel does not move")
    #expect(fixture.names(in: "ingest").isEmpty)
  }

  @Test func readsNamesInOtherEncodingsAndSaysSo() async throws {
    let fixture = try DepotFixture()
    // 背景.js in GBK.
    let name: [UInt8] = [0xB1, 0xB3, 0xBE, 0xB0, 0x2E, 0x6A, 0x73]
    let zip = ZipBuilder([ZipEntry("index.html", "x"), ZipEntry(name, "x")]).build()
    let reply = try await fixture.publish("gameId=a&h5Version=1", zip)
    #expect(reply.status == 201)
    let findings = try #require(reply.json["findings"] as? [[String: Any]])
    #expect(findings.map { $0["rule"] as? String } == ["names-encoding"])
    #expect(findings.first?["severity"] as? String == "notice")
    let manifest = try await fixture.ask("/games/a/manifest")
    #expect(manifest["namesEncoding"] == "gb18030")
    #expect(manifest.text.contains("\"path\":\"背景.js\""))
  }

  @Test(arguments: ["CP437", "ibm437"]) func readsNamesAsItsPublisherSays(encoding: String) async throws {
    let fixture = try DepotFixture()
    let zip = ZipBuilder([ZipEntry("index.html", "x"), ZipEntry([0xB1, 0xB3, 0xBE, 0xB0], "x")]).build()
    let form = Samples.form(
      ["gameId": "a", "h5Version": "1", "namesEncoding": encoding], package: zip, after: [:])
    let reply = try await fixture.publish(form: form, pieceSize: 1000)
    #expect(reply.status == 201)
    #expect(reply.json["findings"] as? [String] == [], "what was said is no finding")
    let manifest = try await fixture.ask("/games/a/manifest")
    #expect(manifest["namesEncoding"] == "cp437")
    #expect(manifest.text.contains("▒│╛░"))
    // Under another encoding these bytes are no names.
    let refused = try await fixture.publish("gameId=a&h5Version=2&namesEncoding=utf-8", zip)
    #expect(refused.status == 422)
    #expect(refused.text.contains("name-encoding"))
  }

  @Test func warningsComeBackWithThe201() async throws {
    let fixture = try DepotFixture()
    let zip = ZipBuilder([ZipEntry("game/index.html", "x"), ZipEntry("__MACOSX/._a", "x")]).build()
    let reply = try await fixture.publish("gameId=a&h5Version=1", zip)
    #expect(reply.status == 201)
    let findings = try #require(reply.json["findings"] as? [[String: Any]])
    #expect(findings.compactMap { $0["rule"] as? String } == ["junk", "wrapper-folder"])
    #expect(findings.allSatisfy { $0["severity"] as? String == "warning" })
  }

  @Test func bringsBackALostPackageWithTheSameUpload() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.game()
    try await fixture.publish("gameId=a&h5Version=1", zip)
    let hex = Samples.sha256(zip)
    try FileManager.default.removeItem(atPath: "\(fixture.path)/blobs/sha256/\(hex.prefix(2))/\(hex)")
    let other = try DepotFixture(reopening: fixture)
    #expect(try await other.ask("/games/a/package.zip").status == 500)
    #expect(try await other.publish("gameId=a&h5Version=1", zip).status == 200)
    #expect(try await other.ask("/games/a/package.zip").bytes == zip)
  }

  @Test func acceptsMatchingChecksumsInEveryPlace() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.game()
    let upper = Samples.md5(zip).uppercased()
    #expect(
      try await fixture.publish(
        "gameId=a&h5Version=1&h5Md5=\(upper)", zip, fields: ["Content-MD5": Samples.md5Base64(zip)]
      ).status == 201)
    let form = Samples.form(["gameId": "b", "h5Version": "1", "h5Md5": upper], package: zip)
    #expect(
      try await fixture.publish(form: form, fields: ["Content-MD5": Samples.md5Base64(zip)]).status == 201,
      "of the package")
    let second = Samples.form(["gameId": "c", "h5Version": "1"], package: zip)
    #expect(
      try await fixture.publish(form: second, fields: ["Content-MD5": Samples.md5Base64(second)]).status
        == 201,
      "of the body")
  }

  @Test func movesTheChannelThatTheUploadNames() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    #expect(try await fixture.publish("gameId=a&h5Version=2&channel=beta", Samples.game("two")).status == 201)
    #expect(try await fixture.ask("/games/a")["h5Version"] == "1")
    #expect(try await fixture.ask("/games/a?channel=beta")["h5Version"] == "2")
  }

  @Test func takesAChunkedBody() async throws {
    let fixture = try DepotFixture()
    #expect(try await fixture.publish("gameId=a&h5Version=1", isChunked: true).status == 201)
  }

  @Test func tellsTheWarningsOfTheCheck() async throws {
    let fixture = try DepotFixture()
    let zip = ZipBuilder.zip(["game/index.html": "<p>", "game/.DS_Store": "x"])
    let reply = try await fixture.publish("gameId=a&h5Version=1", zip)
    #expect(reply.status == 201)
    #expect(Set(reply.rules) == ["junk", "wrapper-folder"])
    let kept = try await fixture.publish("gameId=b&h5Version=1&keepWrapper=true", zip)
    #expect(kept.status == 201)
    #expect(!kept.rules.contains("wrapper-folder"))
  }

  @Test func usesThePublicURLAndItsPath() async throws {
    let fixture = try DepotFixture { $0.publicURL = .init("https://games.example/depot/") }
    let reply = try await fixture.publish("gameId=a&h5Version=1")
    #expect(reply["h5Down"] == "https://games.example/depot/games/a/versions/1/package.zip")
    #expect(reply.fields["Location"] == "/depot/games/a/versions/1")
  }

  @Test func neverLetsOtherOriginsReadTheAnswer() async throws {
    let fixture = try DepotFixture()
    #expect(try await fixture.publish("gameId=a&h5Version=1").fields["Access-Control-Allow-Origin"] == nil)
    #expect(
      try await fixture.publish("gameId=a&h5Version=1", token: nil).fields["Access-Control-Allow-Origin"]
        == nil)
  }
}
