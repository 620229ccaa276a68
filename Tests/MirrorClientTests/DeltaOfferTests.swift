import DepotModel
import HTTPClient
import Synchronization
import Testing

@testable import MirrorClient

@Suite struct DeltaOfferTests {
  private static let sha256 = String(repeating: "ab", count: 32)
  private static let md5 = String(repeating: "cd", count: 16)
  private static let indexSHA256 = String(repeating: "12", count: 32)

  private static let good: [String: String] = [
    "h5Version": "\"1.0+2\"", "h5Sha256": "\"\(sha256)\"", "h5Md5": "\"\(md5)\"", "h5Size": "1000",
    "h5Down": "\"https://cdn.test/a.zip\"", "root": "\"game/\"", "namesEncoding": "\"gb18030\"",
    "unpackedSize": "4000", "fileCount": "7", "encrypted": "false", "patches": "[]",
    "index": "{\"url\":\"https://cdn.test/a.index\",\"size\":90,\"sha256\":\"\(indexSHA256)\"}",
  ]

  /// `delta.json` with some members as given; an empty one is left out.
  private static func text(_ changes: KeyValuePairs<String, String> = [:]) -> String {
    var members = good
    for (name, value) in changes { members[name] = value.isEmpty ? nil : value }
    return "{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
  }

  private func release() throws -> Release {
    Release(
      id: try game("a"), title: "A", version: try version("1.0+2"),
      url: try #require(WebURL("https://cdn.test/a.zip")),
      sha256: try #require(SHA256Digest(hex: Self.sha256)),
      md5: try #require(MD5Digest(hex: Self.md5)), size: 1000, publishedAt: Timestamp(seconds: 0))
  }

  private func offer(
    _ body: String, status: Int = 200, server: String = "https://depot.test/base/"
  ) async throws -> DeltaOffer? {
    let asked = Mutex<[String]>([])
    let depot = HTTPDepot(server: try #require(WebURL(server))) { (url, _) async throws(TransferError) in
      asked.withLock { $0.append(url.text) }
      return (status, Array(body.utf8))
    }
    let offer = try await depot.delta(of: try release())
    #expect(asked.withLock { $0 } == ["\(server)games/a/versions/1.0%2B2/delta.json"])
    return offer
  }

  @Test func readsWhatAnUpdateNeeds() async throws {
    let offer = try #require(try await offer(Self.text()))
    #expect(offer.root == "game/" && offer.namesEncoding == "gb18030")
    #expect(offer.contents == PackageContents(unpackedSize: 4000, fileCount: 7, isEncrypted: false))
    #expect(offer.index?.url.text == "https://cdn.test/a.index")
    #expect(offer.index?.size == 90 && offer.index?.sha256.hex == Self.indexSHA256)
  }

  @Test(arguments: ["unpackedSize", "fileCount", "encrypted"])
  func theContentsAreKnownOnlyWhenAllOfThemAre(member: String) async throws {
    let offer = try #require(try await offer(Self.text([member: ""])))
    #expect(offer.contents == nil && offer.index != nil)
  }

  @Test func anIndexMayBeMissing() async throws {
    #expect(try await #require(offer(Self.text(["index": "null"]))).index == nil)
    #expect(try await #require(offer(Self.text(["index": ""]))).index == nil)
  }

  @Test func anIndexMayStandBesideDeltaJSON() async throws {
    let text = Self.text(["index": "{\"url\":\"index\",\"size\":1,\"sha256\":\"\(Self.indexSHA256)\"}"])
    let offer = try #require(try await offer(text))
    #expect(offer.index?.url.text == "https://depot.test/base/games/a/versions/1.0%2B2/index")
  }

  @Test func checksumsOfBlocksAreTakenWhenTheyAreOfAKindThatIsKnown() async throws {
    func sums(_ size: Int, _ blockSize: Int) async throws -> DeltaOffer.Sums? {
      let text = Self.text(["blocks": "{\"url\":\"blocks\",\"size\":\(size),\"blockSize\":\(blockSize)}"])
      return try await #require(offer(text)).sums
    }
    #expect(
      try await sums(8, 4096)?.url.text == "https://depot.test/base/games/a/versions/1.0%2B2/blocks")
    #expect(try await sums(8, 8192) == nil)
    #expect(try await sums(16 << 20 + 1, 4096) == nil)
    #expect(try await #require(offer(Self.text(["blocks": "null"]))).sums == nil)
    #expect(
      try await offer(Self.text(["blocks": "{\"url\":\"ftp://x/\",\"size\":4,\"blockSize\":4096}"])) == nil)
    #expect(try await offer(Self.text(["blocks": "{\"url\":\"b\",\"size\":0,\"blockSize\":4096}"])) == nil)
  }

  @Test func anIndexBeyondTheLimitIsNotTaken() async throws {
    for (size, isTaken) in [(32 << 20, true), (32 << 20 + 1, false), (Int.max, false)] {
      let text = Self.text([
        "index": "{\"url\":\"https://cdn.test/i\",\"size\":\(size),\"sha256\":\"\(Self.indexSHA256)\"}"
      ])
      #expect(try await (#require(offer(text)).index != nil) == isTaken, "\(size)")
    }
  }

  @Test(arguments: [
    ("h5Version", "\"1.0\""), ("h5Sha256", "\"\(String(repeating: "0", count: 64))\""),
    ("h5Md5", "\"\(String(repeating: "0", count: 32))\""), ("h5Size", "1001"), ("h5Size", "-1"),
    ("h5Size", "1e99"), ("root", ""), ("root", "\"\(String(repeating: "x", count: 1025))\""),
    ("namesEncoding", "\"\""), ("namesEncoding", "\"../x\""), ("unpackedSize", "-1"), ("fileCount", "-1"),
    ("fileCount", "9999999999999999999999"), ("encrypted", "1"), ("index", "7"),
    ("index", "{\"url\":\"file:///etc/passwd\",\"size\":9,\"sha256\":\"\(indexSHA256)\"}"),
    ("index", "{\"url\":\"https://user:pw@cdn.test/i\",\"size\":9,\"sha256\":\"\(indexSHA256)\"}"),
    ("index", "{\"url\":\"http://cdn.test/i\",\"size\":9,\"sha256\":\"\(indexSHA256)\"}"),
    ("index", "{\"url\":\"https://cdn.test/i\",\"size\":0,\"sha256\":\"\(indexSHA256)\"}"),
    ("index", "{\"url\":\"https://cdn.test/i\",\"size\":-9,\"sha256\":\"\(indexSHA256)\"}"),
    ("index", "{\"url\":\"https://cdn.test/i\",\"size\":9,\"sha256\":\"12\"}"),
  ])
  func nothingIsBelievedOfAnAnswerThatCannotBe(member: String, value: String) async throws {
    #expect(try await offer(Self.text([member: value])) == nil)
  }

  @Test func anHTTPServerMayNameAnHTTPIndex() async throws {
    let index = "{\"url\":\"http://cdn.test/i\",\"size\":9,\"sha256\":\"\(Self.indexSHA256)\"}"
    #expect(try await offer(Self.text(["index": index]), server: "http://depot.test/") != nil)
  }

  @Test(arguments: [204, 301, 400, 401, 403, 404, 410, 500])
  func aServerWithoutItIsNoError(status: Int) async throws {
    #expect(try await offer(Self.text(), status: status) == nil)
  }

  @Test(arguments: ["", "[]", "null", "{", "\u{0}", "{\"h5Version\":{}}"])
  func whatIsNoJSONIsNoError(body: String) async throws { #expect(try await offer(body) == nil) }

  @Test func aServerThatCannotBeReachedIsOne() async throws {
    let depot = HTTPDepot(server: try #require(WebURL("http://depot.test"))) {
      (_, _) async throws(TransferError) in
      throw .network(code: 7, text: "refused")
    }
    let release = try release()
    await #expect {
      try await depot.delta(of: release)
    } throws: { error in
      if case .unreachable? = error as? MirrorError { true } else { false }
    }
  }

  @Test func blocksMustFitThePackage() async throws {
    func blocks(_ size: Int, _ count: Int) async throws -> PackageBlocks? {
      let digests = [String](repeating: "\"\(Self.sha256)\"", count: count).joined(separator: ",")
      let body = """
        {"gameId":"a","h5Version":"1.0+2","h5Sha256":"\(Self.sha256)","h5Size":1000,"blockSize":\(size),"blocks":[\(digests)]}
        """
      let depot = HTTPDepot(server: try #require(WebURL("http://depot.test"))) {
        (_, _) async throws(TransferError) in (200, Array(body.utf8))
      }
      return try await depot.blocks(of: try release())
    }
    #expect(try await blocks(65_536, 1)?.range(of: 0) == 0..<1000)
    #expect(try await blocks(65_536, 2) == nil)
    #expect(try await blocks(65_536, 0) == nil)
    #expect(try await blocks(1000, 1) == nil)
    #expect(try await blocks(0, 1) == nil)
    #expect(try await blocks(-1, 1) == nil)
    #expect(PackageBlocks(packageSize: 0, blockSize: 1 << 20, digests: []) == nil)
  }
}
