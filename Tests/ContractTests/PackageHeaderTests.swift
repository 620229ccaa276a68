import Foundation
import Platform
import TestSupport
import Testing

/// Every field that the contract promises of a package, as it comes over a socket.
@Suite struct PackageHeaderTests {
  private static let zip = ZipBuilder([
    ZipEntry("index.html", .repeating(0x78, count: 5000)), .stored("a.txt", "abc"),
  ]).build()
  private static let sha256 = Hash.digest(of: zip, .sha256)
  private static let md5 = Hash.digest(of: zip, .md5)
  private static let sha256Hex = hex(sha256)
  private static let md5Hex = hex(md5)
  private static let targets = [
    ("/games/a-b/package.zip", "no-cache"), ("/games/a-b/package.zip?channel=stable", "no-cache"),
    ("/games/a-b/package.zip?version=1.0%2B1", "no-cache"),
    ("/games/a-b/versions/1.0+1/package.zip", "public, max-age=31536000, immutable, no-transform"),
  ]

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }

  private func withPackage(_ body: (LiveDepot) throws -> Void) async throws {
    try await withLiveDepot { live in
      let wire = Wire.upload("gameId=a-b&h5Version=1.0%2B1", length: Self.zip.count)
      #expect(try live.exchange(wire, body: Self.zip).status == 201)
      try body(live)
    }
  }

  /// What a 200, a 206, a HEAD and a 304 all say.
  private func expectCommon(_ answer: RawResponse, _ cacheControl: String) {
    #expect(answer["ETag"] == "\"\(Self.sha256Hex)\"")
    #expect(answer["X-H5-Md5"] == Self.md5Hex)
    #expect(answer["X-H5-Version"] == "1.0+1")
    #expect(answer["Cache-Control"] == cacheControl)
    #expect(answer["Access-Control-Allow-Origin"] == "*")
    #expect(answer["X-Request-Id"]?.isEmpty == false)
    #expect(answer["Content-Encoding"] == nil)
    #expect(answer["Vary"] == nil)
  }

  /// What a 200, a 206 and a HEAD say further.
  private func expectWhole(_ answer: RawResponse) {
    let sha256 = Data(Self.sha256).base64EncodedString()
    let md5 = Data(Self.md5).base64EncodedString()
    #expect(answer["Repr-Digest"] == "sha-256=:\(sha256):, md5=:\(md5):")
    #expect(answer["Accept-Ranges"] == "bytes")
    #expect(answer["Content-Disposition"] == #"attachment; filename="a-b-1.0+1.zip""#)
    #expect(answer["Last-Modified"]?.hasSuffix(" GMT") == true)
  }

  @Test(arguments: targets)
  func comesWhole(target: String, cacheControl: String) async throws {
    try await withPackage { live in
      for isHead in [false, true] {
        let wire = Wire.get(target, "Accept-Encoding: gzip\r\n").replacing(
          "GET", with: isHead ? "HEAD" : "GET")
        let answer = try live.exchange(wire, toHead: isHead)
        #expect(answer.status == 200)
        expectCommon(answer, cacheControl)
        expectWhole(answer)
        #expect(answer["Content-MD5"] == Data(Self.md5).base64EncodedString())
        #expect(answer["Content-Type"] == "application/zip")
        #expect(answer["Content-Length"] == "\(Self.zip.count)")
        #expect(answer["Content-Range"] == nil)
        #expect(answer.body == (isHead ? [] : Self.zip))
      }
    }
  }

  @Test(arguments: targets)
  func comesInPart(target: String, cacheControl: String) async throws {
    try await withPackage { live in
      let answer = try live.exchange(Wire.get(target, "Range: bytes=1-10\r\n"))
      #expect(answer.status == 206)
      expectCommon(answer, cacheControl)
      expectWhole(answer)
      #expect(answer["Content-MD5"] == nil, "RFC 1864 means the body that is sent")
      #expect(answer["Content-Range"] == "bytes 1-10/\(Self.zip.count)")
      #expect(answer["Content-Length"] == "10")
      #expect(answer["Content-Type"] == "application/zip")
      #expect(answer.body == Array(Self.zip[1...10]))

      let parts = try live.exchange(Wire.get(target, "Range: bytes=0-0,-1\r\n"))
      #expect(parts.status == 206)
      expectCommon(parts, cacheControl)
      expectWhole(parts)
      #expect(parts["Content-MD5"] == nil)
      #expect(parts["Content-Range"] == nil)
      #expect(parts["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
      #expect(parts["Content-Length"] == "\(parts.body.count)")
    }
  }

  @Test(arguments: targets)
  func isNotSentAgain(target: String, cacheControl: String) async throws {
    try await withPackage { live in
      let answer = try live.exchange(Wire.get(target, "If-None-Match: \"\(Self.sha256Hex)\"\r\n"))
      #expect(answer.status == 304)
      expectCommon(answer, cacheControl)
      for name in ["Content-Length", "Content-Type", "Content-MD5", "Content-Range"] {
        #expect(answer[name] == nil)
      }
    }
  }

  @Test func aRangeBeyondTheEndTellsTheSize() async throws {
    try await withPackage { live in
      let answer = try live.exchange(
        Wire.get("/games/a-b/package.zip", "Range: bytes=\(Self.zip.count)-\r\n"))
      #expect(answer.status == 416)
      #expect(answer["Content-Range"] == "bytes */\(Self.zip.count)")
      #expect(answer["Content-Type"] == "application/problem+json")
    }
  }
}
