import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import TestSupport
import Testing

@Suite struct PackageTests {
  private static let zip = Samples.large(5000)
  private static let url = "/games/a/versions/1.0+2/package.zip"

  private func fixture() async throws -> DepotFixture {
    let fixture = try DepotFixture()
    #expect(try await fixture.publish("gameId=a&h5Version=1.0+2", Self.zip).status == 201)
    return fixture
  }

  private var etag: String { "\"\(Samples.sha256(Self.zip))\"" }

  private func expectIdentity(_ reply: Reply) {
    #expect(reply.fields["ETag"] == etag)
    #expect(reply.fields["X-H5-Md5"] == Samples.md5(Self.zip))
    #expect(reply.fields["X-H5-Version"] == "1.0+2")
    #expect(reply.fields["Access-Control-Allow-Origin"] == "*")
    let exposed = "ETag, Content-Range, X-H5-Md5, X-H5-Version, Repr-Digest, Link"
    #expect(reply.fields["Access-Control-Expose-Headers"] == exposed)
  }

  private func expectRepresentation(_ reply: Reply) throws {
    let sha256 = try #require(SHA256Digest(hex: Samples.sha256(Self.zip))).base64
    #expect(reply.fields["Repr-Digest"] == "sha-256=:\(sha256):, md5=:\(Samples.md5Base64(Self.zip)):")
    #expect(reply.fields["Accept-Ranges"] == "bytes")
    #expect(reply.fields["Content-Disposition"] == "attachment; filename=\"a-1.0+2.zip\"")
  }

  @Test func givesTheWholePackageWithItsChecksums() async throws {
    let fixture = try await fixture()
    for method in ["GET", "HEAD"] {
      for _ in 0..<2 {
        let reply = try await fixture.ask(method, Self.url)
        #expect(reply.status == 200)
        #expect(reply.bytes == Self.zip, "HEAD has the length of GET; the server leaves the body out")
        expectIdentity(reply)
        try expectRepresentation(reply)
        #expect(reply.fields["Content-MD5"] == Samples.md5Base64(Self.zip))
        #expect(reply.fields["Content-Length"] == "\(Self.zip.count)")
        #expect(reply.fields["Content-Type"] == "application/zip")
        #expect(reply.fields["Cache-Control"] == "public, max-age=31536000, immutable, no-transform")
        #expect(reply.fields["Last-Modified"] == "Mon, 02 Feb 2026 02:40:00 GMT")
        #expect(reply.fields["Vary"] == nil)
        #expect(reply.wasInline)
      }
    }
  }

  @Test func saysNoCacheWhereTheBytesMayChange() async throws {
    let fixture = try await fixture()
    for target in [
      "/games/a/package.zip", "/games/a/package.zip?version=1.0+2", "/games/a/package.zip?channel=stable",
    ] {
      let reply = try await fixture.ask(target)
      #expect(reply.bytes == Self.zip)
      #expect(reply.fields["Cache-Control"] == "no-cache")
    }
    #expect(try await fixture.ask("/games/a/package.zip?version=%20")["field"] == "version")
  }

  @Test func neverLooksOlderAfterARollback() async throws {
    let fixture = try await fixture()
    func modified() async throws -> Int64 {
      let field = try await fixture.ask("/games/a/package.zip").fields["Last-Modified"] ?? ""
      return try #require(HTTPDate(field, near: 1_770_000_000)).seconds
    }
    let first = try await modified()
    try await fixture.publish("gameId=a&h5Version=2", Samples.game("two"))
    let second = try await modified()
    _ = try await fixture.send(
      "PUT", "/games/a/channels/stable", json: #"{"h5Version":"1.0+2"}"#, token: "admin")
    let third = try await modified()
    #expect(first < second)
    #expect(second < third)
  }

  @Test(
    arguments: [
      ("bytes=0-99", 0..<100), ("bytes=100-", 100..<Self.zip.count),
      ("bytes=-100", Self.zip.count - 100..<Self.zip.count),
      ("bytes=0-999999", 0..<Self.zip.count), ("bytes=-999999", 0..<Self.zip.count),
      ("bytes=0-9,10-19", 0..<20), ("bytes=5-9,0-6", 0..<10), ("bytes=0-0", 0..<1),
      ("bytes=10-99999999999999999999999", 10..<Self.zip.count), ("bytes=0-9,99999-", 0..<10),
    ] as [(String, Range<Int>)])
  func sendsOneRange(field: String, range: Range<Int>) async throws {
    let reply = try await fixture().ask("GET", Self.url, ["Range": field])
    #expect(reply.status == 206)
    #expect(reply.bytes == Array(Self.zip[range]))
    #expect(
      reply.fields["Content-Range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.zip.count)")
    #expect(reply.fields["Content-Length"] == "\(range.count)")
    #expect(reply.fields["Content-Type"] == "application/zip")
    #expect(reply.fields["Content-MD5"] == nil, "it covers the body, and this is a part")
    expectIdentity(reply)
    try expectRepresentation(reply)
  }

  @Test func sendsSeveralRanges() async throws {
    let reply = try await fixture().ask("GET", Self.url, ["Range": "bytes=0-9, 100-109, -5"])
    #expect(reply.status == 206)
    #expect(reply.fields["Content-Range"] == nil)
    #expect(reply.fields["Content-MD5"] == nil)
    expectIdentity(reply)
    let type = try #require(reply.fields["Content-Type"].flatMap { MediaType($0) })
    #expect(type.essence == "multipart/byteranges")
    let boundary = try #require(type.parameters["boundary"])
    let size = Self.zip.count
    var expected: [UInt8] = []
    for range in [0..<10, 100..<110, size - 5..<size] {
      expected += "\r\n--\(boundary)\r\nContent-Type: application/zip\r\n".utf8
      expected += "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)\r\n\r\n".utf8
      expected += Self.zip[range]
    }
    expected += "\r\n--\(boundary)--\r\n".utf8
    #expect(reply.bytes == expected)
    #expect(reply.fields["Content-Length"] == "\(expected.count)")
  }

  @Test(arguments: ["bytes=", "bytes=a-b", "bytes=9-5", "bytes 0-5", "lines=0-5", "bytes=0-5,x", "bytes=--5"])
  func ignoresUnreadableRanges(field: String) async throws {
    let reply = try await fixture().ask("GET", Self.url, ["Range": field])
    #expect(reply.status == 200)
    #expect(reply.bytes == Self.zip)
  }

  @Test(arguments: ["bytes=99999-", "bytes=-0", "bytes=99999999999999999999999-", "bytes=6000-7000,8000-"])
  func refusesRangesOutsideThePackage(field: String) async throws {
    let reply = try await fixture().ask("GET", Self.url, ["Range": field])
    #expect(reply.status == 416)
    #expect(reply.slug == "range-not-satisfiable")
    #expect(reply.fields["Content-Range"] == "bytes */\(Self.zip.count)")
  }

  @Test func ignoresARangeOfHEADAndOfAnOtherVersion() async throws {
    let fixture = try await fixture()
    #expect(try await fixture.ask("HEAD", Self.url, ["Range": "bytes=0-1"]).status == 200)
    let stale = try await fixture.ask("GET", Self.url, ["Range": "bytes=0-1", "If-Range": "\"other\""])
    #expect(stale.status == 200)
    let weak = try await fixture.ask("GET", Self.url, ["Range": "bytes=0-1", "If-Range": "W/\(etag)"])
    #expect(weak.status == 200)
    #expect(try await fixture.ask("GET", Self.url, ["Range": "bytes=0-1", "If-Range": etag]).status == 206)
    let date = "Mon, 02 Feb 2026 02:40:00 GMT"
    #expect(try await fixture.ask("GET", Self.url, ["Range": "bytes=0-1", "If-Range": date]).status == 206)
    let older = "Mon, 02 Feb 2026 02:39:59 GMT"
    #expect(try await fixture.ask("GET", Self.url, ["Range": "bytes=0-1", "If-Range": older]).status == 200)
  }

  @Test func judgesPreconditionsInTheirOrder() async throws {
    let fixture = try await fixture()
    let now = "Mon, 02 Feb 2026 02:40:00 GMT"
    let before = "Mon, 02 Feb 2026 02:39:59 GMT"
    let table: [(KeyValuePairs<String, String>, Int)] = [
      (["If-None-Match": etag], 304), (["If-None-Match": "W/\(etag)"], 304),
      (["If-None-Match": "\"a\", \(etag)"], 304),
      (["If-None-Match": "*"], 304), (["If-None-Match": "\"a\""], 200), (["If-Modified-Since": now], 304),
      (["If-Modified-Since": before], 200), (["If-Modified-Since": "nonsense"], 200),
      (["If-None-Match": "\"a\"", "If-Modified-Since": now], 200), (["If-Match": etag], 200),
      (["If-Match": "*"], 200),
      (["If-Match": "\"a\""], 412), (["If-Match": "W/\(etag)"], 412), (["If-Unmodified-Since": now], 200),
      (["If-Unmodified-Since": before], 412), (["If-Match": etag, "If-Unmodified-Since": before], 200),
      (["If-Match": "\"a\"", "If-None-Match": etag], 412), (["If-Match": etag, "If-None-Match": etag], 304),
      (["If-None-Match": etag, "Range": "bytes=0-1"], 304),
      (["If-Match": "\"a\"", "Range": "bytes=99999-"], 412),
    ]
    for (fields, status) in table {
      let reply = try await fixture.ask("GET", Self.url, fields)
      #expect(reply.status == status, "\(fields)")
      if status == 304 {
        expectIdentity(reply)
        #expect(reply.bytes.isEmpty)
        #expect(reply.fields["Cache-Control"] == "public, max-age=31536000, immutable, no-transform")
        #expect(reply.fields["Content-Length"] == nil)
        #expect(reply.fields["Content-MD5"] == nil)
      }
      if status == 412 { #expect(reply.slug == "precondition-failed") }
    }
  }

  @Test func goesOnSendingAPackageWhoseGameIsRemoved() async throws {
    let fixture = try await fixture()
    let reply = try await fixture.ask(Self.url)
    _ = try await fixture.ask("DELETE", "/games/a", ["Authorization": "Bearer admin-token"])
    #expect(reply.bytes == Self.zip)
    #expect(try await fixture.ask(Self.url).slug == "unknown-game")
  }

  @Test func saysNothingOfDisksWhenAPackageIsLost() async throws {
    let fixture = try await fixture()
    for name in fixture.blobNames {
      try FileManager.default.removeItem(atPath: "\(fixture.path)/blobs/sha256/\(name.prefix(2))/\(name)")
    }
    let other = try DepotFixture(reopening: fixture)
    let reply = try await other.ask(Self.url)
    #expect(reply.status == 500)
    #expect(reply.slug == "internal")
    #expect(!reply.text.contains(fixture.path))
    #expect(!reply.text.contains("blobs"))
  }
}
