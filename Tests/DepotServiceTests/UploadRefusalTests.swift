import Catalogue
import DepotModel
import DepotService
import HTTPWire
import Synchronization
import TestSupport
import Testing

/// Every row of the table of refusals, and that none of them leaves anything behind.
@Suite struct UploadRefusalTests {
  private func expectNothing(in fixture: DepotFixture) throws {
    #expect(fixture.names(in: "ingest").isEmpty)
    #expect(fixture.blobNames.isEmpty)
    #expect(try fixture.depot.catalogue.revision() == 0)
  }

  @Test(arguments: [
    ("h5Version=1", "gameId"), ("gameId=&h5Version=1", "gameId"), ("gameId=-a&h5Version=1", "gameId"),
    ("gameId=.a&h5Version=1", "gameId"), ("gameId=a%2Fb&h5Version=1", "gameId"),
    ("gameId=check&h5Version=1", "gameId"),
    ("gameId=uploads&h5Version=1", "gameId"),
    ("gameId=\(String(repeating: "a", count: 129))&h5Version=1", "gameId"),
    ("gameId=a", "h5Version"), ("gameId=a&h5Version=+1", "h5Version"),
    ("gameId=a&h5Version=1%202", "h5Version"),
    ("gameId=a&h5Version=\(String(repeating: "1", count: 65))", "h5Version"),
    ("gameId=a&h5Version=1&channel=no%20spaces", "channel"), ("gameId=a&h5Version=1&rollout=50", "rollout"),
    ("gameId=a&h5Version=1&rollout=x", "rollout"), ("gameId=a&h5Version=1&mandatory=maybe", "mandatory"),
    ("gameId=a&h5Version=1&minHostVersion=%0A", "minHostVersion"),
    ("gameId=a&h5Version=1&title=%01", "title"),
    ("gameId=a&h5Version=1&title=\(String(repeating: "t", count: 201))", "title"),
    ("gameId=a&h5Version=1&notes=%00", "notes"),
    ("gameId=a&h5Version=1&h5Md5=abc", "h5Md5"),
    ("gameId=a&h5Version=1&namesEncoding=latin1", "namesEncoding"),
    ("gameId=a&h5Version=1&keepWrapper=2", "keepWrapper"),
    ("gameId=a&h5Version=1&requireIndex=2", "requireIndex"),
    ("gameId=a&gameId=b&h5Version=1", "gameId"),
  ])
  func namesTheFieldThatIsWrong(query: String, field: String) async throws {
    let fixture = try DepotFixture()
    let reply = try await fixture.publish(query)
    #expect(reply.status == 400)
    #expect(reply.slug == "bad-field")
    #expect(reply["field"] == field)
    #expect(reply.response.closesConnection)
    #expect(reply.wasInline, "before anything of the body is read")
    try expectNothing(in: fixture)
  }

  @Test(
    arguments: [
      (["gameId": "a"], "h5Version"), (["h5Version": "1"], "gameId"),
      (["gameId": "a b", "h5Version": "1"], "gameId"),
      (["gameId": "a", "h5Version": "1", "mandatory": "on"], "mandatory"),
      (["gameId": "a", "h5Version": "1", "notes": String(repeating: "n", count: 10_001)], "notes"),
    ] as [(KeyValuePairs<String, String>, String)])
  func namesTheFieldOfAFormThatIsWrong(fields: KeyValuePairs<String, String>, field: String) async throws {
    let fixture = try DepotFixture()
    for form in [
      Samples.form(fields, package: Samples.game()),
      Samples.form([:], package: Samples.game(), after: fields),
    ] {
      let reply = try await fixture.publish(form: form)
      #expect(reply.status == 400)
      #expect(reply.slug == "bad-field")
      #expect(reply["field"] == field)
      try expectNothing(in: fixture)
    }
  }

  @Test func refusesFormsThatAreNone() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.game()
    let whole = Samples.form(["gameId": "a", "h5Version": "1"], package: zip)
    let truncated = try await fixture.publish(form: Array(whole.dropLast(20)))
    #expect(truncated.slug == "bad-multipart")
    let other = try await fixture.publish(form: whole, boundary: "other")
    #expect(other.slug == "bad-multipart")
    let twice = Samples.form(["gameId": "a", "h5Version": "1"], package: zip, boundary: "edge").dropLast(10)
    let double = try await fixture.publish(form: twice + Samples.form([:], package: zip))
    #expect(double.slug == "bad-multipart")
    let missing = try await fixture.publish(
      form: Samples.form(["gameId": "a", "h5Version": "1"], package: nil))
    #expect(missing.slug == "bad-field")
    #expect(missing["field"] == "package")
    let repeated = Samples.form(["gameId": "a", "gameId": "b", "h5Version": "1"], package: zip)
    #expect(try await fixture.publish(form: repeated)["field"] == "gameId")
    let long = Samples.form(["gameId": "a", "notes": String(repeating: "n", count: 70_000)], package: zip)
    #expect(try await fixture.publish(form: long)["field"] == "notes")
    try expectNothing(in: fixture)
  }

  @Test func wantsOneOfTheTwoForms() async throws {
    let fixture = try DepotFixture()
    for type in ["application/json", "text/plain", "multipart/mixed; boundary=a", "nonsense"] {
      let reply = try await fixture.send("POST", "/games", json: "{}", token: "publish", type: type)
      #expect(reply.status == 415)
      #expect(reply.slug == "unsupported-media-type")
      #expect(reply.response.closesConnection)
    }
    let bare = try await fixture.ask("POST", "/games", ["Authorization": "Bearer publish-token"])
    #expect(bare.slug == "unsupported-media-type")
  }

  @Test(arguments: [
    "multipart/form-data", "multipart/form-data; boundary=", "Multipart/Form-Data; boundary=a; boundary=b",
    "multipart/form-data; boundary=\(String(repeating: "b", count: 71))",
  ])
  func wantsAFormToNameOneBoundary(type: String) async throws {
    let reply = try await DepotFixture().send("POST", "/games", json: "{}", token: "publish", type: type)
    #expect(reply.status == 400)
    #expect(reply.slug == "bad-multipart")
    #expect(reply.response.closesConnection)
  }

  @Test func refusesAnUnreadableContentMD5() async throws {
    let fixture = try DepotFixture()
    for value in ["nonsense", "YWJj", Samples.md5(Samples.game())] {
      let reply = try await fixture.publish("gameId=a&h5Version=1", fields: ["Content-MD5": value])
      #expect(reply.status == 400)
      #expect(reply.slug == "bad-field")
      #expect(reply["field"] == "Content-MD5")
    }
    try expectNothing(in: fixture)
  }

  @Test func refusesBytesThatAreNotWhatTheChecksumSays() async throws {
    let fixture = try DepotFixture()
    let wrong = Samples.md5(Samples.game("other"))
    let field = try await fixture.publish("gameId=a&h5Version=1&h5Md5=\(wrong)")
    let header = try await fixture.publish(
      "gameId=a&h5Version=1", fields: ["Content-MD5": Samples.md5Base64(Samples.game("other"))])
    let form = try await fixture.publish(
      form: Samples.form(["gameId": "a", "h5Version": "1"], package: Samples.game()),
      fields: ["Content-MD5": Samples.md5Base64(Samples.game("other"))])
    for reply in [field, header, form] {
      #expect(reply.status == 422)
      #expect(reply.slug == "checksum-mismatch")
      #expect(reply.rules == ["checksum-mismatch"])
    }
    try expectNothing(in: fixture)
  }

  @Test func refusesADamagedZipWithEveryFinding() async throws {
    let fixture = try DepotFixture()
    let whole = Samples.game()
    let truncated = try await fixture.publish("gameId=a&h5Version=1", Array(whole.dropLast(30)))
    #expect(truncated.status == 422)
    #expect(truncated.slug == "package-refused")
    #expect(!truncated.rules.isEmpty)
    var entry = ZipEntry("index.html", "<p>")
    entry.crc32 ^= 1
    let corrupt = ZipBuilder([entry, ZipEntry("../x", "y")]).build()
    let reply = try await fixture.publish("gameId=a&h5Version=1", corrupt)
    #expect(reply.status == 422)
    #expect(Set(reply.rules).isSuperset(of: ["crc-mismatch", "parent-path"]))
    let empty = try await fixture.publish("gameId=a&h5Version=1", [])
    #expect(empty.slug == "package-refused")
    let index = ZipBuilder.zip(["a.txt": "a"])
    #expect(try await fixture.publish("gameId=b&h5Version=1&requireIndex=true", index).rules == ["no-index"])
    try expectNothing(in: fixture)
  }

  @Test func refusesOtherBytesUnderAUsedVersion() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.game()
    try await fixture.publish("gameId=a&h5Version=1", zip)
    let reply = try await fixture.publish("gameId=a&h5Version=1", Samples.game("two"))
    #expect(reply.status == 409)
    #expect(reply.slug == "version-exists")
    #expect(reply["h5Md5"] == Samples.md5(zip))
    let announced = try await fixture.publish(
      "gameId=a&h5Version=1&h5Md5=\(Samples.md5(Samples.game("two")))", Samples.game("two"))
    #expect(announced.slug == "version-exists")
    #expect(announced.wasInline, "the checksum rules it out before the body is read")
    #expect(fixture.blobNames.count == 1)
    #expect(fixture.names(in: "ingest").isEmpty)
  }

  @Test func keepsTheVersionsOfARemovedGameBurnt() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.game()
    try await fixture.publish("gameId=a&h5Version=1", zip)
    #expect(
      try await fixture.ask("DELETE", "/games/a", ["Authorization": "Bearer admin-token"]).status == 204)
    let reply = try await fixture.publish("gameId=a&h5Version=1", Samples.game("two"))
    #expect(reply.status == 409)
    #expect(reply.slug == "version-burnt")
    #expect(reply["h5Md5"] == Samples.md5(zip))
    #expect(
      try await fixture.publish("gameId=a&h5Version=1", zip).status == 201, "the same bytes may come back")
  }

  @Test func refusesAnIdThatDiffersOnlyByCase() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=Deep&h5Version=1")
    let reply = try await fixture.publish("gameId=deep&h5Version=1")
    #expect(reply.status == 409)
    #expect(reply.slug == "id-case-conflict")
    #expect(reply["detail"]?.contains("Deep") == true)
  }

  @Test func refusesPackagesOverTheLimit() async throws {
    let fixture = try DepotFixture { $0.maxUpload = 2000 }
    let zip = Samples.large(3000)
    let told = try await fixture.publish("gameId=a&h5Version=1", zip)
    #expect(told.status == 413)
    #expect(told.slug == "package-too-large")
    #expect(told.json["limit"] as? Int == 2000)
    #expect(told.wasInline, "by its length, before the body is read")
    #expect(told.response.closesConnection)
    let found = try await fixture.publish("gameId=a&h5Version=1", zip, isChunked: true)
    #expect(found.slug == "package-too-large")
    #expect(found.response.closesConnection)
    let form = try await fixture.publish(form: Samples.form(["gameId": "a", "h5Version": "1"], package: zip))
    #expect(form.slug == "package-too-large")
    let huge = try await fixture.respond(
      to: request(
        wire: "POST /games?gameId=a&h5Version=1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/zip\r\n"
          + "Authorization: Bearer publish-token\r\nContent-Length: 18446744073709551615\r\n\r\n"))
    #expect(huge.slug == "package-too-large")
    try expectNothing(in: fixture)
  }

  @Test func refusesWhatWouldTakeTheDiskBelowItsFloor() async throws {
    let fixture = try DepotFixture { $0.diskFloor = 1 << 60 }
    let zip = Samples.game()
    let told = try await fixture.publish("gameId=a&h5Version=1", zip)
    #expect(told.status == 507)
    #expect(told.slug == "disk-floor")
    #expect(told.json["needed"] as? Int == 1 << 60 + zip.count)
    #expect((told.json["available"] as? Int ?? 0) > 0)
    #expect(told.wasInline)
    #expect(told.response.closesConnection)
    #expect(try await fixture.ask("/readyz").slug == "unavailable")
    #expect(try await fixture.ask("/games").status == 200, "reads go on")
    try expectNothing(in: fixture)
  }

  @Test func countsTheFieldsOfAFormTogether() async throws {
    let fixture = try DepotFixture()
    let half = String(repeating: "n", count: 33 << 10)
    let form = Samples.form(
      ["gameId": "a", "h5Version": "1", "title": half, "notes": half], package: Samples.game())
    let reply = try await fixture.publish(form: form)
    #expect(reply.status == 400)
    #expect(reply.slug == "bad-field")
    #expect(reply["field"] == "notes")
    #expect(fixture.names(in: "ingest").isEmpty)
  }

  @Test func leavesNothingWhenTheClientGoesAway() async throws {
    let fixture = try DepotFixture()
    for (failure, status) in [(RequestBodyError.disconnected, 400), (.timedOut, 408), (.malformed, 400)] {
      let head = try request(
        wire: "POST /games?gameId=a&h5Version=1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/zip\r\n"
          + "Authorization: Bearer publish-token\r\nContent-Length: 9999\r\n\r\n")
      let reply = await fixture.respond(
        to: head, body: BytesBody(Samples.game(), pieceSize: 50, failure: failure))
      #expect(reply.status == status)
      #expect(reply.response.closesConnection)
      try expectNothing(in: fixture)
    }
  }
}
