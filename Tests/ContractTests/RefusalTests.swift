import Catalogue
import DepotModel
import DepotService
import Foundation
import Platform
import TestSupport
import Testing

/// Every refusal of the contract over a real socket: status, slug, what is left behind, and a server that goes on.
@Suite struct RefusalTests {
  static let zip = ZipBuilder.zip(["index.html": "<p>one</p>", "js/app.js": "run()"])

  /// A request that is turned down.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let wire: String
    var body: [UInt8] = []
    let status: Int
    let slug: String

    var testDescription: String { name }
  }

  private static func upload(
    _ name: String, _ query: String, _ body: [UInt8], _ status: Int, _ slug: String,
    token: String? = "publish-token",
    type: String = "application/zip", fields: String = ""
  ) -> Case {
    Case(
      name: name,
      wire: Wire.upload(query, length: body.count, token: token, type: type, fields: fields), body: body,
      status: status, slug: slug)
  }

  static let cases: [Case] = {
    var truncated = zip
    truncated.removeLast(30)
    var corrupt = zip
    corrupt[zip.count / 3] ^= 0x55
    let good = "gameId=new&h5Version=1.0"
    let traversal = ZipBuilder([ZipEntry("../evil.txt", "x")]).build()
    return [
      upload("no token", good, zip, 401, "unauthorized", token: nil),
      upload("unknown token", good, zip, 401, "unauthorized", token: "nobody"),
      upload("token of another scope", good, zip, 403, "forbidden", token: "read-token"),
      upload("no game id", "h5Version=1", zip, 400, "bad-field"),
      upload("no version", "gameId=a", zip, 400, "bad-field"),
      upload("bad game id", "gameId=-a&h5Version=1", zip, 400, "bad-field"),
      upload("reserved game id", "gameId=check&h5Version=1", zip, 400, "bad-field"),
      upload("bad version", "gameId=a&h5Version=%2F", zip, 400, "bad-field"),
      upload("neither form", good, zip, 415, "unsupported-media-type", type: "text/plain"),
      upload("multipart without a boundary", good, zip, 400, "bad-multipart", type: "multipart/form-data"),
      upload(
        "multipart that is none", good, zip, 400, "bad-multipart", type: "multipart/form-data; boundary=x"),
      upload("no zip", good, Array("hello".utf8), 422, "package-refused"),
      upload("empty body", good, [], 422, "package-refused"),
      upload("truncated zip", good, truncated, 422, "package-refused"),
      upload("corrupt zip", good, corrupt, 422, "package-refused"),
      upload("path traversal in the zip", good, traversal, 422, "package-refused"),
      upload(
        "another checksum in the query", "\(good)&h5Md5=\(String(repeating: "0", count: 32))", zip, 422,
        "checksum-mismatch"),
      upload(
        "another checksum in the head", good, zip, 422, "checksum-mismatch",
        fields: "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==\r\n"),
      upload("unreadable checksum", good, zip, 400, "bad-field", fields: "Content-MD5: ?\r\n"),
      upload("version with other bytes", "gameId=there&h5Version=1.0", zip, 409, "version-exists"),
      upload("id that differs by case", "gameId=There&h5Version=2.0", zip, 409, "id-case-conflict"),
      Case(name: "unknown path", wire: Wire.get("/nothing"), status: 404, slug: "not-found"),
      Case(name: "unknown game", wire: Wire.get("/games/nobody"), status: 404, slug: "unknown-game"),
      Case(
        name: "unknown version", wire: Wire.get("/games/there/versions/9/package.zip"), status: 404,
        slug: "unknown-version"),
      Case(
        name: "unknown channel", wire: Wire.get("/games/there?channel=x"), status: 404,
        slug: "unknown-channel"),
      Case(name: "limit out of range", wire: Wire.get("/games?limit=0"), status: 400, slug: "bad-field"),
      Case(
        name: "revision of the future", wire: Wire.get("/games?since=999999"), status: 410,
        slug: "revision-gone"),
      Case(
        name: "bad host", wire: "GET /games HTTP/1.1\r\nHost: a b\r\n\r\n", status: 400, slug: "bad-request"),
      Case(
        name: "range beyond the end",
        wire: Wire.get("/games/there/package.zip", "Range: bytes=99999999-\r\n"), status: 416,
        slug: "range-not-satisfiable"),
      Case(
        name: "condition that fails", wire: Wire.get("/games/there/package.zip", "If-Match: \"x\"\r\n"),
        status: 412,
        slug: "precondition-failed"),
      Case(
        name: "wrong method", wire: "PUT /games HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        status: 405,
        slug: "method-not-allowed"),
      Case(
        name: "check that is no JSON", wire: Wire.json("POST", "/games/check", "{", token: nil), status: 400,
        slug: "bad-request"),
      Case(
        name: "channel without a token",
        wire: Wire.json("PUT", "/games/there/channels/stable", #"{"h5Version":"1.0"}"#, token: nil),
        status: 401,
        slug: "unauthorized"),
      Case(
        name: "channel with a publisher's token",
        wire: Wire.json(
          "PUT", "/games/there/channels/stable", #"{"h5Version":"1.0"}"#, token: "publish-token"),
        status: 403, slug: "forbidden"),
      Case(
        name: "channel to a version that is not there",
        wire: Wire.json("PUT", "/games/there/channels/stable", #"{"h5Version":"7"}"#, token: "admin-token"),
        status: 404,
        slug: "unknown-version"),
      Case(
        name: "removal without a token", wire: "DELETE /games/there HTTP/1.1\r\nHost: a\r\n\r\n", status: 401,
        slug: "unauthorized"),
      Case(
        name: "removal of nothing",
        wire: "DELETE /games/nobody HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin-token\r\n\r\n",
        status: 404,
        slug: "unknown-game"),
    ]
  }()

  @Test(arguments: cases)
  func isToldOverASocketAndLeavesNothing(refusal: Case) async throws {
    try await withLiveDepot { live in
      let there = ZipBuilder.zip(["index.html": "there"])
      #expect(
        try live.exchange(Wire.upload("gameId=there&h5Version=1.0", length: there.count), body: there).status
          == 201)
      let revision = try live.depot.catalogue.revision()
      let answer = try live.exchange(refusal.wire, body: refusal.body)
      #expect(answer.status == refusal.status, "\(answer.text)")
      #expect(answer["Content-Type"] == "application/problem+json")
      let problem = try #require(JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
      #expect(problem["type"] as? String == "urn:game-depot:problem:\(refusal.slug)")
      #expect(problem["status"] as? Int == refusal.status)
      #expect((problem["detail"] as? String)?.isEmpty == false)
      #expect(answer["X-Request-Id"]?.isEmpty == false)
      #expect(live.names(in: "ingest").isEmpty)
      #expect(try live.depot.catalogue.revision() == revision)
      #expect(try live.exchange(Wire.get("/games/there/check")).status == 200, "the server goes on")
    }
  }

  @Test func aVersionOfARemovedGameStaysBurntForOtherBytes() async throws {
    try await withLiveDepot { live in
      let query = "gameId=gone&h5Version=1.0"
      #expect(try live.exchange(Wire.upload(query, length: Self.zip.count), body: Self.zip).status == 201)
      let removal = "DELETE /games/gone HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin-token\r\n\r\n"
      #expect(try live.exchange(removal).status == 204)
      let other = ZipBuilder.zip(["index.html": "other"])
      let refused = try live.exchange(Wire.upload(query, length: other.count), body: other)
      #expect(refused.status == 409)
      #expect(refused.text.contains("urn:game-depot:problem:version-burnt"))
      #expect(try live.exchange(Wire.upload(query, length: Self.zip.count), body: Self.zip).status == 201)
    }
  }

  @Test func anExpiredAndARevokedTokenAreNoTokens() async throws {
    try await withLiveDepot { live in
      for (name, expiry) in [("expired", Timestamp(seconds: 1)), ("revoked", nil)] {
        try live.depot.catalogue.createToken(
          name: name, scope: .admin, expiresAt: expiry, hash: AccessToken(presented: "\(name)-token").hash)
      }
      #expect(try live.depot.catalogue.revokeToken(name: "revoked"))
      for name in ["expired", "revoked"] {
        let wire = Wire.upload("gameId=a&h5Version=1", length: Self.zip.count, token: "\(name)-token")
        let answer = try live.exchange(wire, body: Self.zip)
        #expect(answer.status == 401)
        #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
      }
    }
  }

  @Test func aBodyOverTheLimitIsToldBeforeItIsSent() async throws {
    try await withLiveDepot({ $0.maxUpload = 1000 }) { live in
      let client = try live.client()
      try client.send(
        Wire.upload("gameId=a&h5Version=1", length: 1 << 30, fields: "Expect: 100-continue\r\n"))
      let answer = try client.response()
      #expect(answer.status == 413, "and no 100 before it")
      #expect(answer["Connection"] == "close")
      #expect(answer.text.contains(#""limit":1000"#))
    }
  }

  @Test func aChunkedBodyIsCutOffAtTheLimit() async throws {
    try await withLiveDepot({ $0.maxUpload = 100_000 }) { live in
      let client = try live.client()
      try client.send(
        "POST /games?gameId=a&h5Version=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer publish-token\r\n"
          + "Content-Type: application/zip\r\nTransfer-Encoding: chunked\r\n\r\n")
      let piece = Array("10000\r\n".utf8) + [UInt8](repeating: 0x50, count: 65536) + Array("\r\n".utf8)
      for _ in 0..<3 { try client.send(piece) }
      #expect(try client.response().status == 413)
      #expect(live.names(in: "ingest").isEmpty)
    }
  }

  @Test func aDiskAtItsFloorIsToldWithNumbers() async throws {
    try await withLiveDepot({ $0.diskFloor = .max / 2 }) { live in
      let answer = try live.exchange(
        Wire.upload("gameId=a&h5Version=1", length: 1000, fields: "Expect: 100-continue\r\n"))
      #expect(answer.status == 507)
      let problem = try #require(JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
      #expect(problem["needed"] is Int)
      #expect(problem["available"] is Int)
      #expect(try live.exchange(Wire.get("/readyz")).status == 503)
      #expect(try live.exchange(Wire.get("/healthz")).status == 200)
    }
  }

  @Test func aClientThatSendsAllTheSameStillSeesTheRefusal() async throws {
    try await withLiveDepot { live in
      let client = try live.client()
      let size = 4 << 20
      try client.send(Wire.upload("gameId=a&h5Version=1", length: size, token: nil))
      _ = client.sendWhatFits([UInt8](repeating: 0, count: size))
      #expect(try client.response().status == 401)
    }
  }

  @Test(arguments: [
    ("GET /games HTTP/1.1\r\n\r\n", 400), ("GET /games HTTP/3.0\r\nHost: a\r\n\r\n", 505),
    ("GET /games HTTP/1.1\nHost: a\n\n", 400),
    ("GET /games HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n", 431),
    ("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ("POST /games HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("GET /games HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n", 417),
  ])
  func whatIsNoRequestIsAProblemTooAndEndsTheConnection(wire: String, status: Int) async throws {
    try await withLiveDepot { live in
      let client = try live.client()
      try client.send(wire)
      let answer = try client.response()
      #expect(answer.status == status)
      #expect(answer["Content-Type"] == "application/problem+json")
      #expect(answer["Connection"] == "close")
      #expect(try client.isClosedByServer())
    }
  }
}
