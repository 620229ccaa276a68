import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import Platform
import TestSupport
import Testing

/// tus 1.0.0 at /uploads.
@Suite struct ResumableUploadTests {
  let fixture: DepotFixture
  let zip = Samples.large(100_000)

  init() throws { fixture = try DepotFixture() }

  func ask(
    _ method: String, _ target: String, _ fields: KeyValuePairs<String, String> = [:],
    token: String? = "publish",
    body: [UInt8]? = nil, type: String? = "application/offset+octet-stream", version: String? = "1.0.0",
    on other: DepotFixture? = nil, ending: RequestBodyError? = nil
  ) async throws -> Reply {
    var wire = "\(method) \(target) HTTP/1.1\r\nHost: depot.test\r\n"
    if let version { wire += "Tus-Resumable: \(version)\r\n" }
    if let token { wire += "Authorization: Bearer \(token)-token\r\n" }
    for (name, value) in fields { wire += "\(name): \(value)\r\n" }
    if let body {
      if let type { wire += "Content-Type: \(type)\r\n" }
      wire += "Content-Length: \(body.count)\r\n"
    }
    let head = try request(wire: wire + "\r\n")
    let handler = (other ?? fixture).handler
    handler.prepareBatch()
    switch handler.respond(to: head) {
    case .respond(let response), .repeatable(let response): return Reply(response, wasInline: true)
    case .later(let work):
      return Reply(await work(CutBody(body ?? [], ending: ending)), wasInline: false)
    }
  }

  /// A body that ends with an error where one is given.
  private final class CutBody: RequestBody {
    private let rest: Rest
    private let ending: RequestBodyError?

    private final class Rest: @unchecked Sendable {
      var bytes: ArraySlice<UInt8>
      init(_ bytes: [UInt8]) { self.bytes = bytes[...] }
    }

    init(_ bytes: [UInt8], ending: RequestBodyError?) {
      rest = Rest(bytes)
      self.ending = ending
    }

    func next() async throws(RequestBodyError) -> [UInt8]? {
      guard !rest.bytes.isEmpty else {
        if let ending { throw ending }
        return nil
      }
      defer { rest.bytes = rest.bytes.dropFirst(700) }
      return Array(rest.bytes.prefix(700))
    }
  }

  private func metadata(_ values: KeyValuePairs<String, String>) -> String {
    values.map { "\($0.key) \(Base64.encode(Array($0.value.utf8)))" }.joined(separator: ",")
  }

  func create(
    _ id: String = "a", length: Int? = nil, token: String = "publish", on other: DepotFixture? = nil
  ) async throws -> String {
    let reply = try await ask(
      "POST", "/uploads",
      [
        "Upload-Length": "\(length ?? zip.count)",
        "Upload-Metadata": metadata(["gameId": id, "h5Version": "1", "filename": "ä.zip"]) + ",extra",
      ], token: token, on: other)
    #expect(reply.status == 201)
    #expect(reply.fields["Tus-Resumable"] == "1.0.0")
    #expect(reply.fields["Upload-Expires"]?.hasSuffix("GMT") == true)
    return try #require(reply.fields["Location"])
  }

  func patch(
    _ location: String, _ bytes: some Collection<UInt8>, at offset: Int, checksum: String? = nil,
    on other: DepotFixture? = nil, ending: RequestBodyError? = nil
  ) async throws -> Reply {
    let fields: KeyValuePairs =
      if let checksum { ["Upload-Offset": "\(offset)", "Upload-Checksum": checksum] } else {
        ["Upload-Offset": "\(offset)"]
      }
    return try await ask("PATCH", location, fields, body: Array(bytes), on: other, ending: ending)
  }

  func offset(_ location: String, on other: DepotFixture? = nil) async throws -> Int? {
    try await ask("HEAD", location, on: other).fields["Upload-Offset"].flatMap { Int($0) }
  }

  @Test func tellsWhatItSpeaks() async throws {
    let reply = try await ask("OPTIONS", "/uploads", token: nil, version: nil)
    #expect(reply.status == 204)
    #expect(reply.fields["Tus-Version"] == "1.0.0")
    #expect(reply.fields["Tus-Max-Size"] == "\(2 << 30)")
    #expect(
      reply.fields["Tus-Extension"] == "creation,creation-with-upload,termination,checksum,expiration")
    #expect(reply.fields["Tus-Checksum-Algorithm"] == "sha1,sha256,md5")
    #expect(reply.fields["Access-Control-Allow-Origin"] == nil)
  }

  @Test func publishesWithTheLastBytes() async throws {
    let location = try await create()
    #expect(try await offset(location) == 0)
    let first = try await patch(location, zip[..<40_000], at: 0)
    #expect(first.status == 204)
    #expect(first.fields["Upload-Offset"] == "40000")
    #expect(first.fields["Location"] == nil)
    let head = try await ask("HEAD", location)
    #expect(head.status == 200)
    #expect(head.fields["Upload-Offset"] == "40000")
    #expect(head.fields["Upload-Length"] == "\(zip.count)")
    #expect(head.fields["Cache-Control"] == "no-store")
    #expect(head.fields["Upload-Metadata"]?.hasSuffix(",extra") == true)
    #expect(try await fixture.ask("/games/a").status == 404, "nothing half published is visible")
    let last = try await patch(location, zip[40_000...], at: 40_000)
    #expect(last.status == 204)
    #expect(last.fields["Upload-Offset"] == "\(zip.count)")
    #expect(last.fields["Location"] == "/games/a/versions/1")
    #expect(try await fixture.ask("/games/a/package.zip").bytes == zip)
    let report = try await ask("GET", location, version: nil)
    #expect(report["state"] == "published")
    #expect(report["location"] == "/games/a/versions/1")
    #expect(report.json["offset"] as? Int == zip.count)
    #expect(try await offset(location) == zip.count)
    #expect(try await patch(location, [], at: zip.count).fields["Location"] == "/games/a/versions/1")
    #expect(fixture.names(in: "uploads").map { $0.suffix(5) } == [".json"])
    #expect(try fixture.depot.catalogue.audit(actor: "publish", limit: 9).count == 1)
  }

  @Test func beginsWithBytesAndMayEndThere() async throws {
    let fields: KeyValuePairs = [
      "Upload-Length": "\(zip.count)", "Upload-Metadata": metadata(["gameId": "a", "h5Version": "1"]),
    ]
    let reply = try await ask("POST", "/uploads", fields, body: zip)
    #expect(reply.status == 201)
    #expect(reply.fields["Upload-Offset"] == "\(zip.count)")
    #expect(reply.fields["Location"]?.hasPrefix("/uploads/") == true)
    #expect(try await fixture.ask("/games/a").status == 200)
    #expect(try await ask("POST", "/uploads", fields, body: zip, type: "text/plain").status == 415)
  }

  @Test(arguments: [0, 1, 699, 700, 50_000, 99_999])
  func keepsWhatCameBeforeTheLineBroke(count: Int) async throws {
    let location = try await create()
    let cut = try await patch(location, zip[..<count], at: 0, ending: .disconnected)
    #expect(cut.response.closesConnection)
    #expect(try await offset(location) == count)
    // Another process goes on: nothing is known from memory.
    let other = try DepotFixture(reopening: fixture)
    #expect(try await offset(location, on: other) == count)
    let rest = try await patch(location, zip[count...], at: count, on: other)
    #expect(rest.fields["Location"] == "/games/a/versions/1")
    #expect(try await fixture.ask("/games/a/package.zip").bytes == zip)
  }

  @Test func takesTheLastByteAgainFromWhoMissedTheAnswer() async throws {
    let location = try await create()
    _ = try await patch(location, zip.dropLast(10), at: 0)
    // A server killed between the last byte and the publication leaves the whole package.
    let id = String(location.dropFirst("/uploads/".count))
    let file = try File(path: "\(fixture.path)/uploads/\(id).part", mode: .readWrite)
    try SystemVolume().write(Array(zip.suffix(10)), to: file, at: Int64(zip.count - 10))
    let other = try DepotFixture(reopening: fixture)
    #expect(try await offset(location, on: other) == zip.count - 1)
    let last = try await patch(location, zip.suffix(1), at: zip.count - 1, on: other)
    #expect(last.fields["Location"] == "/games/a/versions/1")
  }

  @Test func refusesAnotherOffsetAndTellsTheRightOne() async throws {
    let location = try await create()
    _ = try await patch(location, zip[..<1000], at: 0)
    for wrong in [0, 999, 1001] {
      let reply = try await patch(location, zip[..<10], at: wrong)
      #expect(reply.status == 409)
      #expect(reply.slug == "upload-offset")
      #expect(reply.json["offset"] as? Int == 1000)
    }
    #expect(try await offset(location) == 1000)
  }

  @Test func refusesMoreThanItsLength() async throws {
    let location = try await create()
    #expect(try await patch(location, zip + [0], at: 0).status == 413)
    #expect(try await offset(location) == 0)
  }

  @Test func takesNoBytesThatTheirChecksumDoesNotName() async throws {
    let location = try await create()
    let piece = Array(zip[..<5000])
    for (name, function) in [("sha1", Hash.Function.sha1), ("sha256", .sha256), ("md5", .md5)] {
      let wrong = Base64.encode(Hash.digest(of: [1], function))
      let reply = try await patch(location, piece, at: 0, checksum: "\(name) \(wrong)")
      #expect(reply.status == 460)
      #expect(reply.slug == "chunk-mismatch")
      #expect(try await offset(location) == 0)
    }
    let sum = "sha1 \(Base64.encode(Hash.digest(of: piece, .sha1)))"
    let cut = try await patch(
      location, piece.dropLast(), at: 0, checksum: sum, ending: .disconnected)
    #expect(cut.response.closesConnection)
    #expect(try await offset(location) == 0, "what is not proven does not count")
    #expect(try await patch(location, piece, at: 0, checksum: sum).status == 204)
    #expect(try await offset(location) == 5000)
    for unreadable in ["crc32 AAAA", "sha1", "sha1 AAAA", "sha1 !"] {
      let reply = try await patch(location, piece, at: 5000, checksum: unreadable)
      #expect(reply.slug == "bad-field")
    }
  }

  @Test func forgetsUnprovenBytesOfAServerThatWasKilled() async throws {
    let location = try await create()
    _ = try await patch(location, zip[..<1000], at: 0)
    let id = String(location.dropFirst("/uploads/".count))
    let path = "\(fixture.path)/uploads/\(id)"
    var record = try String(contentsOfFile: "\(path).json", encoding: .utf8)
    record.removeLast()
    try (record + #","provenSize":1000}"#).write(toFile: "\(path).json", atomically: true, encoding: .utf8)
    try SystemVolume().write([1, 2, 3], to: File(path: "\(path).part", mode: .readWrite), at: 1000)
    #expect(try await offset(location, on: DepotFixture(reopening: fixture)) == 1000)
  }

  @Test func answersWithThePackagesProblemNowAndLater() async throws {
    let broken = Array(repeating: UInt8(7), count: 3000)
    let location = try await create(length: 3000)
    let reply = try await patch(location, broken, at: 0)
    #expect(reply.status == 422)
    #expect(reply.slug == "package-refused")
    #expect(!reply.rules.isEmpty)
    #expect(reply.fields["Tus-Resumable"] == "1.0.0")
    #expect(try await ask("HEAD", location).status == 422)
    let again = try await patch(location, [], at: 3000)
    #expect(again.rules == reply.rules)
    let report = try await ask("GET", location)
    #expect(report["state"] == "refused")
    let problem = try #require(report.json["problem"] as? [String: Any])
    #expect(problem["type"] as? String == "urn:game-depot:problem:package-refused")
    #expect(fixture.names(in: "uploads").map { $0.suffix(5) } == [".json"])
    #expect(fixture.blobNames.isEmpty)
  }

  @Test func refusesAVersionOfOtherBytesAsPOSTDoes() async throws {
    let location = try await create()
    _ = try await fixture.publish("gameId=a&h5Version=1")
    let reply = try await patch(location, zip, at: 0)
    #expect(reply.status == 409)
    #expect(reply.slug == "version-exists")
    #expect(reply["h5Md5"] == Samples.md5(Samples.game()))
  }

  @Test func theSameBytesAgainAreNoNewVersion() async throws {
    _ = try await fixture.publish("gameId=a&h5Version=1", zip)
    let location = try await create()
    #expect(try await patch(location, zip, at: 0).fields["Location"] == "/games/a/versions/1")
    #expect(try await ask("GET", location).json["isNew"] as? Bool == false)
    #expect(fixture.names(in: "uploads").count == 1)
  }

  @Test func onlyItsCreatorAndAdminsMayTouchIt() async throws {
    let location = try await create()
    try fixture.depot.catalogue.createToken(
      name: "other", scope: .publish, expiresAt: nil, hash: AccessToken(presented: "other-token").hash)
    for method in ["HEAD", "GET", "DELETE"] {
      #expect(try await ask(method, location, token: "other").status == 403)
      #expect(try await ask(method, location, token: nil).status == 401)
      #expect(try await ask(method, location, token: "read").status == 403)
    }
    #expect(try await ask("HEAD", location, token: "admin").status == 200)
    #expect(try await ask("DELETE", location, token: "admin").status == 204)
    #expect(try await ask("HEAD", location).status == 404)
    #expect(fixture.names(in: "uploads").isEmpty)
    // A token of the same name is another one.
    let second = try await create()
    try fixture.depot.catalogue.revokeToken(name: "publish")
    try fixture.depot.catalogue.createToken(
      name: "publish", scope: .publish, expiresAt: nil, hash: AccessToken(presented: "new-token").hash)
    #expect(try await ask("HEAD", second, token: "new").status == 403)
  }

  @Test func isGivenUpAtItsExpiryAndForgottenLater() async throws {
    let location = try await create()
    fixture.clock.advance(by: 86_000)
    _ = try await patch(location, zip[..<1000], at: 0)
    fixture.clock.advance(by: 86_399)
    fixture.handler.keepUp()
    #expect(try await offset(location) == 1000, "each chunk prolongs it")
    fixture.clock.advance(by: 1)
    #expect(try await patch(location, zip[1000...], at: 1000).status == 410)
    #expect(try await ask("HEAD", location).status == 410)
    fixture.handler.keepUp()
    #expect(fixture.names(in: "uploads").count == 1, "its bytes are gone")
    #expect(try await patch(location, zip[1000...], at: 1000).slug == "upload-expired")
    fixture.clock.advance(by: 86_400)
    fixture.handler.keepUp()
    #expect(try await ask("HEAD", location).status == 404)
    #expect(try await ask("GET", location).slug == "unknown-upload")
    #expect(fixture.names(in: "uploads").isEmpty)
  }

  @Test func wantsItsVersionAndItsType() async throws {
    let location = try await create()
    for version in [nil, "0.2.2", "2.0.0"] {
      for method in ["HEAD", "PATCH", "DELETE"] {
        let reply = try await ask(
          method, location, ["Upload-Offset": "0"], body: method == "PATCH" ? [1] : nil, version: version)
        #expect(reply.status == 412)
        #expect(reply.fields["Tus-Version"] == "1.0.0")
        #expect(reply.wasInline)
      }
      #expect(try await ask("POST", "/uploads", ["Upload-Length": "1"], version: version).status == 412)
    }
    #expect(
      try await ask("PATCH", location, ["Upload-Offset": "0"], body: [1], type: "application/zip").status
        == 415)
    #expect(try await ask("PATCH", location, body: [1]).slug == "bad-field")
    #expect(try await ask("PATCH", location, ["Upload-Offset": "-1"], body: [1]).slug == "bad-field")
    #expect(try await ask("PUT", location, body: [1]).status == 405)
    #expect(try await ask("GET", "/uploads").status == 405)
    #expect(try await ask("HEAD", "/uploads/nothing").status == 404)
  }

  @Test func hearsAMethodThatTheClientCannotSend() async throws {
    let location = try await create()
    let reply = try await ask(
      "POST", location, ["X-HTTP-Method-Override": "PATCH", "Upload-Offset": "0"], body: Array(zip[..<10]))
    #expect(reply.fields["Upload-Offset"] == "10")
    #expect(try await ask("POST", location, ["X-HTTP-Method-Override": "DELETE"]).status == 204)
    #expect(try await ask("POST", location).status == 405)
  }

  @Test(
    arguments: [
      ("gameId YQ==,h5Version MQ==", nil, "Upload-Length"),
      ("gameId YQ==,h5Version MQ==", "0", "Upload-Length"),
      ("gameId YQ==,h5Version MQ==", "-1", "Upload-Length"), ("gameId YQ==", "9", "h5Version"),
      ("", "9", "gameId"), ("gameId !,h5Version MQ==", "9", "gameId"),
      ("gameId YQ==,gameId YQ==,h5Version MQ==", "9", "gameId"),
      ("gameId YQ== x,h5Version MQ==", "9", "Upload-Metadata"),
      ("gameId YQ==,,h5Version MQ==", "9", "Upload-Metadata"), ("gameId /w==,h5Version MQ==", "9", "gameId"),
      ("gameId YQ==,h5Version MQ==,mandatory eA==", "9", "mandatory"),
    ] as [(String, String?, String)])
  func namesTheFieldThatIsWrong(metadata: String, length: String?, field: String) async throws {
    let reply =
      if let length {
        try await ask("POST", "/uploads", ["Upload-Length": length, "Upload-Metadata": metadata])
      } else {
        try await ask("POST", "/uploads", ["Upload-Defer-Length": "1", "Upload-Metadata": metadata])
      }
    #expect(reply.slug == "bad-field")
    #expect(reply["field"] == field)
    #expect(fixture.names(in: "uploads").isEmpty)
  }

  @Test func refusesAtTheBeginningWhatCannotEndWell() async throws {
    let fields: KeyValuePairs = [
      "Upload-Length": "\(zip.count)", "Upload-Metadata": metadata(["gameId": "a", "h5Version": "1"]),
    ]
    let small = try DepotFixture { $0.maxUpload = 1000 }
    #expect(try await ask("POST", "/uploads", fields, on: small).slug == "package-too-large")
    let full = try DepotFixture { $0.diskFloor = 1 << 60 }
    #expect(try await ask("POST", "/uploads", fields, on: full).status == 507)
    let busy = try DepotFixture { $0.heldUploads = 1 }
    #expect(try await ask("POST", "/uploads", fields, on: busy).status == 201)
    let refusal = try await ask("POST", "/uploads", fields, on: busy)
    #expect(refusal.status == 429)
    #expect(refusal.fields["Retry-After"] != nil)
    try fixture.depot.catalogue.createToken(
      name: "ours", scope: .publish, games: [#require(GameID("b"))], expiresAt: nil,
      hash: AccessToken(presented: "ours-token").hash)
    #expect(try await ask("POST", "/uploads", fields, token: "ours").status == 403)
    #expect(try await ask("POST", "/uploads", fields, token: "read").status == 403)
  }
}
