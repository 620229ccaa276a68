import DepotModel
import HTTPWire
import Platform
import ReadAPI
import TestSupport
import Testing

@testable import DepotService

@Suite struct CodingTests {
  private static let gzip: KeyValuePairs = ["Accept-Encoding": "gzip"]
  /// Reads whose answer is over 1 KiB, with notes of that length.
  private static let targets = [
    "/games", "/games?since=0", "/games/a", "/games/a/versions", "/games/a/check?h5Version=0",
    "/games/a/check?h5Version=0&deviceId=d", "/games/a/manifest", "/games/a/versions/1/manifest",
  ]

  private func fixture(
    notes: Int = 1200, _ change: (inout DepotSettings) -> Void = { _ in }
  ) async throws -> DepotFixture {
    let fixture = try DepotFixture(change)
    let text = String(repeating: "n", count: notes)
    #expect(try await fixture.publish("gameId=a&h5Version=1&notes=\(text)").status == 201)
    return fixture
  }

  @Test(arguments: targets, [false, true])
  func twoFormsOfOneResource(target: String, compressedFirst: Bool) async throws {
    let fixture = try await fixture()
    if compressedFirst { _ = try await fixture.ask("GET", target, Self.gzip) }
    for _ in 0..<2 {
      let plain = try await fixture.ask(target)
      let small = try await fixture.ask("GET", target, Self.gzip)
      #expect(plain.bytes.count > 1024)
      #expect(plain.fields["Content-Encoding"] == nil)
      #expect(small.fields["Content-Encoding"] == "gzip")
      #expect(try gunzip(small.bytes) == plain.bytes)
      #expect(plain.fields["ETag"] != small.fields["ETag"])
      for reply in [plain, small] {
        #expect(reply.fields["Vary"] == "Accept-Encoding")
        #expect(reply.fields["Content-Length"] == "\(reply.bytes.count)")
        #expect(reply.fields["Content-Type"] == "application/json")
        #expect(reply.fields["Cache-Control"] == "private, no-cache")
        #expect(reply.fields.lines.count == Set(reply.fields.lines.map(\.name)).count, "each field once")
      }
      #expect(
        Set(small.fields.lines.map(\.name)) == Set(plain.fields.lines.map(\.name) + ["Content-Encoding"]))
      #expect(try await fixture.ask("HEAD", target).fields == plain.fields)
      #expect(try await fixture.ask("HEAD", target, Self.gzip).fields == small.fields)
    }
  }

  @Test(arguments: targets)
  func aTagIsOfOneFormAlone(target: String) async throws {
    let fixture = try await fixture()
    let plain = try #require(try await fixture.ask(target).fields["ETag"])
    let small = try #require(try await fixture.ask("GET", target, Self.gzip).fields["ETag"])
    for method in ["GET", "HEAD"] {
      for (tag, accepted, status) in [
        (plain, "identity", 304), (small, "gzip", 304), (small, "identity", 200), (plain, "gzip", 200),
      ] {
        let reply = try await fixture.ask(
          method, target, ["If-None-Match": tag, "Accept-Encoding": accepted])
        #expect(reply.status == status, "\(tag) \(accepted)")
        #expect(reply.fields["Vary"] == "Accept-Encoding")
        #expect(reply.fields["ETag"] == (accepted == "gzip" ? small : plain))
        let match = try await fixture.ask(method, target, ["If-Match": tag, "Accept-Encoding": accepted])
        #expect(match.status == (status == 304 ? 200 : 412))
      }
      let both = try await fixture.ask(
        method, target, ["If-None-Match": "\(plain), \(small)", "Accept-Encoding": "gzip"])
      #expect(both.status == 304)
      #expect(both.fields["ETag"] == small)
      #expect(both.fields["Content-Encoding"] == nil)
    }
  }

  @Test func whatIsSmallIsSentAsItIs() async throws {
    let fixture = try await fixture(notes: 1)
    for target in ["/games", "/games/a", "/games/a/check", "/openapi.yaml"] {
      let reply = try await fixture.ask("GET", target, Self.gzip)
      #expect(reply.status == 200)
      #expect(reply.bytes.count <= 1024)
      #expect(reply.fields["Content-Encoding"] == nil)
      #expect(reply.fields["Vary"] == "Accept-Encoding", "another answer of this resource may be larger")
    }
    #expect(try await fixture.ask("GET", "/healthz", Self.gzip).fields["Vary"] == nil)
    let problem = try await fixture.ask("GET", "/games/\(String(repeating: "x", count: 1500))", Self.gzip)
    #expect(problem.status == 404)
    #expect(problem.bytes.count > 1024)
    #expect(problem.fields["Content-Encoding"] == nil)
  }

  @Test func theBorderIsOneKibibyte() {
    for (count, isEncodable) in [(1024, false), (1025, true)] {
      let body = [UInt8](repeating: 0x20, count: count)
      #expect(
        ReadyAnswer(Answer(body, type: "text/plain", cacheControl: "no-cache")).isEncodable == isEncodable)
    }
  }

  @Test func packagesAreNeverEncoded() async throws {
    let fixture = try await fixture()
    let zip = Samples.large(100_000)
    try await fixture.publish("gameId=a&h5Version=2", zip)
    for target in ["/games/a/package.zip", "/games/a/versions/2/package.zip"] {
      let reply = try await fixture.ask("GET", target, Self.gzip)
      #expect(reply.bytes == zip)
      #expect(reply.fields["Content-Encoding"] == nil)
      #expect(reply.fields["Vary"] == nil)
    }
  }

  @Test func theDescriptionOfTheAPIIsCompressedToo() async throws {
    let fixture = try DepotFixture()
    let text = Array("openapi: 3.1.0\n\(String(repeating: "# more\n", count: 1000))".utf8)
    let handler = DepotHandler(depot: fixture.depot, logger: .silent, openAPI: text)
    guard case .respond(let response) = handler.respond(to: try request("GET", "/openapi.yaml", Self.gzip))
    else { return #expect(Bool(false), "at once") }
    let reply = Reply(response, wasInline: true)
    #expect(reply.fields["Content-Type"] == "application/yaml")
    #expect(reply.fields["Vary"] == "Accept-Encoding")
    #expect(try gunzip(reply.bytes) == text)
  }

  @Test func answersToPostsAndPutsAreCompressedOnce() async throws {
    let fixture = try await fixture()
    let notes = String(repeating: "n", count: 1200)
    let question = #"{"installed":[{"gameId":"a","h5Version":"0"}]}"#
    func post(_ target: String, _ body: String, _ fields: String, method: String = "POST") async throws
      -> Reply
    {
      let head = try request(
        wire: "\(method) \(target) HTTP/1.1\r\nHost: depot.test\r\nAuthorization: Bearer admin-token\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n")
      return await fixture.respond(to: head, body: BytesBody(body))
    }
    for (target, body, method) in [
      ("/games/check", question, "POST"), ("/games/a/channels/beta", #"{"h5Version":"1"}"#, "PUT"),
    ] {
      let plain = try await post(target, body, "", method: method)
      let small = try await post(target, body, "Accept-Encoding: gzip\r\n", method: method)
      #expect(plain.status == 200 && small.status == 200)
      #expect(plain.text.contains(notes))
      #expect(small.fields["Content-Encoding"] == "gzip")
      #expect(small.fields["Content-Length"] == "\(small.bytes.count)")
      #expect(try gunzip(small.bytes) == plain.bytes)
      #expect(small.fields["ETag"] == nil)
      #expect(plain.fields["Vary"] == "Accept-Encoding" && small.fields["Vary"] == "Accept-Encoding")
    }
    let published = try await fixture.publish(
      "gameId=b&h5Version=1&notes=\(notes)", fields: ["Accept-Encoding": "gzip"])
    #expect(published.status == 201)
    #expect(published.fields["Content-Encoding"] == "gzip")
    #expect(String(decoding: try gunzip(published.bytes), as: UTF8.self).contains(notes))
    let empty = try await post("/games/check", #"{"installed":[]}"#, "Accept-Encoding: gzip\r\n")
    #expect(empty.fields["Content-Encoding"] == nil)
  }

  @Test func aLoopCompressesOnlyWhatIsSmall() async throws {
    let fixture = try DepotFixture()
    let zip = ZipBuilder((0..<100).map { ZipEntry("levels/\($0).json", "[]") }).build()
    let notes = String(repeating: "n", count: 2000)
    try await fixture.publish("gameId=a&h5Version=1&notes=\(notes)", zip)
    for (target, isInline) in [("/games/a", true), ("/games/a/manifest", false)] {
      _ = try await fixture.ask(target)
      #expect(try await fixture.ask("GET", target, Self.gzip).wasInline == isInline)
      #expect(try await fixture.ask("GET", target, Self.gzip).wasInline, "it is kept")
      #expect(try await fixture.ask(target).wasInline, "and so is the other form")
    }
  }

  @Test func bothFormsCountForTheMemory() throws {
    var answer = ReadyAnswer(
      Answer([UInt8](repeating: 0x20, count: 5000), type: "application/json", cacheControl: "no-cache"))
    let plain = answer.weight
    #expect(plain > 5000)
    answer.compress()
    let small = try #require(answer.compressed)
    #expect(answer.weight == plain + small.weight)
    let weights = answer.keepable.map(\.weight)
    #expect(weights == weights.sorted(by: >))
    #expect(weights[1] < 1500 && weights[2] < weights[1])
  }
}

/// Answers that are larger than what is kept of one.
@Suite struct LargeAnswerTests {
  private static let target = "/games/a/manifest"

  /// An answer may take up to an eighth of the room: 16 KiB.
  private func fixture(entries: Int) async throws -> DepotFixture {
    let fixture = try DepotFixture { $0.cachedBytes = 128 << 10 }
    let zip = ZipBuilder((0..<entries).map { ZipEntry("levels/\($0).json", "[\($0)]") }).build()
    #expect(try await fixture.publish("gameId=a&h5Version=1", zip).status == 201)
    return fixture
  }

  @Test(arguments: [400, 60], ["identity", "gzip"])
  func giveHeadAndNotModifiedFromMemory(entries: Int, accepted: String) async throws {
    let fixture = try await fixture(entries: entries)
    let fields: KeyValuePairs = ["Accept-Encoding": accepted]
    let first = try await fixture.ask("GET", Self.target, fields)
    let tag = try #require(first.fields["ETag"])
    #expect(!first.wasInline)
    let head = try await fixture.ask("HEAD", Self.target, fields)
    #expect(head.wasInline)
    #expect(head.fields == first.fields)
    let unchanged = try await fixture.ask(
      "GET", Self.target, ["Accept-Encoding": accepted, "If-None-Match": tag])
    #expect(unchanged.wasInline)
    #expect(unchanged.status == 304)
    let again = try await fixture.ask("GET", Self.target, fields)
    #expect(again.bytes == first.bytes, "never a body that was not kept")
    // Of sixty entries the compressed form is small enough to be kept whole.
    #expect(again.wasInline == (entries == 60 && accepted == "gzip"))
    let other = try await fixture.ask(
      "GET", Self.target, ["Accept-Encoding": accepted, "If-None-Match": "\"other\""])
    #expect(other.status == 200)
    #expect(other.bytes == first.bytes)
  }

  @Test func makingOneFormAgainDoesNotForgetTheOther() async throws {
    let fixture = try await fixture(entries: 60)
    _ = try await fixture.ask("GET", Self.target, ["Accept-Encoding": "gzip"])
    #expect(try await !fixture.ask(Self.target).wasInline)
    #expect(try await fixture.ask("GET", Self.target, ["Accept-Encoding": "gzip"]).wasInline)
  }

  @Test func areForgottenWithTheCatalogue() async throws {
    let fixture = try await fixture(entries: 400)
    let tag = try #require(try await fixture.ask(Self.target).fields["ETag"])
    try await fixture.publish("gameId=a&h5Version=2", Samples.game("two"))
    let reply = try await fixture.ask("GET", Self.target, ["If-None-Match": tag])
    #expect(reply.status == 200)
    #expect(reply["h5Version"] == "2")
  }
}
