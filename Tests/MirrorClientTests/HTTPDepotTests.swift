import DepotModel
import HTTPClient
import Synchronization
import Testing

@testable import MirrorClient

@Suite struct HTTPDepotTests {
  private static let sha256 = String(repeating: "ab", count: 32)
  private static let md5 = String(repeating: "cd", count: 16)

  private static func game(
    _ id: String = "\"a\"", url: String = "https://cdn.test/a.zip", size: String = "5",
    version: String = "\"1.0+2\""
  ) -> String {
    """
    {"gameId":\(id),"title":"A\\u001b[31m","h5Version":\(version),"h5Down":"\(url)","h5Md5":"\(md5)","h5Sha256":"\(sha256)",
    "h5Size":\(size),"publishedAt":"2026-03-01T12:00:00Z","mandatory":false,"minHostVersion":null,"channel":"stable","notes":null}
    """
  }

  private static func listing(_ games: String..., revision: String = "7", next: String = "null") -> String {
    "{\"catalogue\":\"u-1\",\"revision\":\(revision),\"games\":[\(games.joined(separator: ","))],\"next\":\(next)}"
  }

  private final class Server: Sendable {
    let asked = Mutex<[String]>([])
    let status: Int
    let body: String

    init(_ status: Int, _ body: String) {
      self.status = status
      self.body = body
    }

    func depot(_ address: String = "https://depot.test/base/") throws -> HTTPDepot {
      HTTPDepot(server: try #require(WebURL(address))) { [self] (url, _) async throws(TransferError) in
        asked.withLock { $0.append(url.text) }
        return (status, Array(body.utf8))
      }
    }
  }

  private func page(_ body: String) async throws -> ListingPage {
    try await Server(200, body).depot().listing(channel: .stable, after: nil)
  }

  @Test func readsAListing() async throws {
    let server = Server(200, Self.listing(Self.game(), next: "\"a/b&c\""))
    let page = try await server.depot().listing(channel: .stable, after: "x y")
    #expect(
      server.asked.withLock { $0 } == ["https://depot.test/base/games?channel=stable&limit=1000&after=x%20y"])
    #expect(page.catalogue == "u-1" && page.revision == 7 && page.next == "a/b&c")
    let release = try #require(try page.games.first?.get())
    #expect(release.version.text == "1.0+2" && release.size == 5)
    #expect(!release.title.contains("\u{1b}"))
  }

  @Test func asksWhatChanged() async throws {
    let server = Server(
      200, "{\"revision\":9,\"changed\":[\(Self.game())],\"removed\":[\"b\",\"../x\"],\"next\":null}")
    let point = CataloguePoint(catalogue: "u-1", revision: 7)
    guard case .page(let page) = try await server.depot().changes(since: point, channel: .stable, after: nil)
    else {
      Issue.record("no page")
      return
    }
    #expect(
      server.asked.withLock { $0 } == [
        "https://depot.test/base/games?channel=stable&limit=1000&since=u-1%3A7"
      ])
    #expect(page.removed.map(\.text) == ["b"])
    #expect(page.changed.count == 2)
  }

  @Test func aHistoryThatIsGoneIsNoError() async throws {
    let point = CataloguePoint(catalogue: "u-1", revision: 7)
    guard case .gone = try await Server(410, "").depot().changes(since: point, channel: .stable, after: nil)
    else {
      Issue.record("410 is not gone")
      return
    }
  }

  @Test(arguments: [
    game("\"../evil\""), game("\"a/b\""), game("\".\""), game("7"), game("null"), game("\"check\""),
    game(version: "\"..\""), game(version: "\"1/2\""), game(version: "null"), game(size: "-1"),
    game(size: "0"),
    game(size: "\"5\""), game(size: "1.5"), game(size: "9223372036854775808"), game(size: "1e400"),
    game(url: "file:///etc/passwd"),
    game(url: "http://cdn.test/a.zip"), game(url: "https://user:pw@cdn.test/a.zip"), game(url: "a.zip"), "{}",
    "7", "null", "[]",
  ])
  func aBadGameIsSetAside(text: String) async throws {
    let page = try await page(Self.listing(text, Self.game("\"good\"")))
    #expect(page.games.count == 2)
    #expect(throws: UnreadableGame.self) { try page.games.first?.get() }
    #expect(try page.games.last?.get().id.text == "good")
  }

  @Test(arguments: [
    "", "<html>", "null", "[]", "{}", listing(revision: "-1"), listing(revision: "1.5"),
    listing(revision: "\"1\""),
    listing(next: "\"\""), listing(next: "7"),
    "{\"catalogue\":\"a b\",\"revision\":1,\"games\":[],\"next\":null}",
    "{\"catalogue\":\"\",\"revision\":1,\"games\":[],\"next\":null}",
    "{\"catalogue\":\"c\",\"revision\":1,\"games\":{},\"next\":null}",
    listing().dropLast().description, String(repeating: "[", count: 100_000),
  ])
  func anAnswerThatIsNoneIsRefused(body: String) async throws {
    do {
      _ = try await page(body)
      Issue.record("read: \(body.prefix(60))")
    } catch let error as MirrorError {
      #expect(error.exitCode == 69)
      #expect(!error.description.contains("\n"))
    }
  }

  @Test(arguments: zip([401, 403, 404, 410, 500, 503], [77, 77, 69, 69, 69, 69] as [Int32]))
  func statusesHaveTheirExitCodes(status: Int, code: Int32) async throws {
    do {
      _ = try await Server(status, "").depot().listing(channel: .stable, after: nil)
      Issue.record("\(status) was taken")
    } catch let error as MirrorError {
      #expect(error.exitCode == code)
    }
  }

  @Test func transferFailuresHaveTheirs() async throws {
    for (failure, code) in [
      (TransferError.tooLarge(limit: 5), 69), (.network(code: 7, text: "refused"), 69), (.cancelled, 130),
    ] as [(TransferError, Int32)] {
      let depot = HTTPDepot(server: try #require(WebURL("http://d.test"))) {
        (_, _) async throws(TransferError) in throw failure
      }
      do {
        _ = try await depot.listing(channel: .stable, after: nil)
        Issue.record("\(failure) was taken")
      } catch {
        #expect(error.exitCode == code)
      }
    }
  }

  private func manifest(_ id: String, _ sha256: String, _ more: String) async throws -> UnpackingFacts {
    let release = try #require(try await page(Self.listing(Self.game())).games.first?.get())
    let body =
      "{\"gameId\":\"\(id)\",\"h5Version\":\"1.0+2\",\"h5Sha256\":\"\(sha256)\",\"h5Size\":5,\(more)}"
    let server = Server(200, body)
    let facts = try await server.depot().manifest(of: release)
    #expect(server.asked.withLock { $0 } == ["https://depot.test/base/games/a/versions/1.0%2B2/manifest"])
    return facts
  }

  @Test func readsWhatUnpackingNeeds() async throws {
    let rest =
      "\"root\":\"game/\",\"namesEncoding\":\"utf-8\",\"unpackedSize\":12,\"files\":[{\"path\":\"a\"},{}]"
    let facts = try await manifest("a", Self.sha256, rest)
    #expect(
      facts
        == UnpackingFacts(
          root: "game/", namesEncoding: "utf-8", unpackedSize: 12, fileCount: 2, isEncrypted: false))
  }

  @Test(arguments: [
    ("b", sha256, "\"root\":\"\",\"namesEncoding\":\"utf-8\",\"unpackedSize\":1,\"files\":[]"),
    (
      "a", String(repeating: "00", count: 32),
      "\"root\":\"\",\"namesEncoding\":\"utf-8\",\"unpackedSize\":1,\"files\":[]"
    ),
    ("a", sha256, "\"root\":\"\",\"namesEncoding\":\"utf-8\",\"unpackedSize\":-1,\"files\":[]"),
    ("a", sha256, "\"root\":\"\",\"namesEncoding\":\"\\u001b\",\"unpackedSize\":1,\"files\":[]"),
    ("a", sha256, "\"root\":null,\"namesEncoding\":\"utf-8\",\"unpackedSize\":1,\"files\":[]"),
  ])
  func aManifestOfSomethingElseIsRefused(id: String, sha256: String, rest: String) async throws {
    await #expect(throws: MirrorError.self) { try await manifest(id, sha256, rest) }
  }
}
