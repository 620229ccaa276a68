import DepotModel
import Foundation
import HTTPWire
import TestSupport
import Testing

@testable import PlayService

@Suite struct FrontPageTests {
  private func game(
    _ id: String, title: String? = nil, size: Int64? = nil, installed: String? = nil, cover: String? = nil
  ) throws -> FrontGame {
    FrontGame(
      id: try #require(GameID(id)), version: try #require(H5Version("1.2")), title: title ?? id, size: size,
      installedAt: installed.flatMap(Timestamp.init), cover: cover)
  }

  private func page(
    _ games: [FrontGame], _ target: String = "/", language: FrontLanguage = .english, ownOrigin: Bool = false
  ) throws -> String {
    let origin: @Sendable (GameID) -> String? = { id in GameLabel.of(id).map { "http://\($0).localhost:1/" } }
    let page = FrontPage(
      games: games, question: FrontPage.Question(try request("GET", target)), language: language,
      ownOrigin: ownOrigin ? origin : nil)
    return String(decoding: try page.response(to: try request("GET", target)).body.content(), as: UTF8.self)
  }

  @Test func tellsTitleVersionSizeAndDateAndShowsTheCover() throws {
    let html = try page([
      game(
        "courier", title: "Deep Courier", size: 1_572_864, installed: "2026-11-30T10:00:00Z",
        cover: "img/一 icon.png")
    ])
    #expect(html.contains("<h2>Deep Courier</h2>"))
    #expect(
      html.contains(
        "<span>Version 1.2</span> · <span>1.5 MiB</span> · <span>Installed <time datetime=\"2026-11-30\">2026-11-30</time>"
      ))
    #expect(html.contains(#"<a class="play" href="/play/courier/" aria-label="Play: Deep Courier">Play</a>"#))
    #expect(html.contains(#"src="/play/courier/img/%E4%B8%80%20icon.png""#))
  }

  @Test func aGameOfWhichNothingIsRecordedIsStillPlayable() throws {
    let html = try page([game("courier")])
    #expect(html.contains("<h2>courier</h2>"))
    #expect(html.contains(#"<p class="facts"><span>Version 1.2</span></p>"#))
    #expect(html.contains(#"<span class="cover" aria-hidden="true">c</span>"#))
  }

  @Test func titlesAndSearchesAreTextNeverMarkup() throws {
    let many = try (0..<9).map { try game("g\($0)", title: "<script>alert(\"\($0)\")</script>&\u{0}") }
    let html = try page(many, "/?q=%22%3E%3Cscript")
    #expect(!html.contains("<script"))
    #expect(html.contains(#"value="&quot;&gt;&lt;script""#))
    #expect(try page(many).contains("&lt;script&gt;alert(&quot;0&quot;)&lt;/script&gt;&amp;\u{FFFD}"))
  }

  @Test func sortsByTitleWithoutRegardToCase() throws {
    let html = try page([game("a", title: "zebra"), game("b", title: "Apple"), game("c", title: "mango")])
    let places = try ["Apple", "mango", "zebra"].map { try #require(html.range(of: "<h2>\($0)")).lowerBound }
    #expect(places == places.sorted())
  }

  @Test func aSearchFindsTitlesAndIds() throws {
    let games = try [game("one", title: "Deep Sea"), game("two", title: "High Hills")]
    #expect(try page(games, "/?q=SEA").contains("/play/one/"))
    #expect(try !page(games, "/?q=SEA").contains("/play/two/"))
    #expect(try page(games, "/?q=two").contains("/play/two/"))
    #expect(try page(games, "/?q=deep+sea").contains("/play/one/"))
    #expect(try page(games, "/?q=none").contains("No game has this in its name."))
  }

  @Test func manyGamesComeInPagesThatKeepTheSearch() throws {
    let games = try (1000..<1250).map { try game("g\($0)") }
    let first = try page(games, "/?q=g")
    #expect(first.components(separatedBy: "<li>").count - 1 == 120)
    #expect(first.contains(#"<a rel="next" href="/?q=g&amp;page=2">Next</a>"#))
    #expect(!first.contains(#"rel="prev""#))
    let last = try page(games, "/?page=3")
    #expect(last.components(separatedBy: "<li>").count - 1 == 10)
    #expect(last.contains(#"<a rel="prev" href="/?page=2">Previous</a>"#))
    for odd in ["0", "-1", "99", "9223372036854775808", "x"] {
      #expect(try page(games, "/?page=\(odd)").contains("<li>"))
    }
  }

  @Test func anEmptyMirrorSaysSo() throws {
    #expect(try page([]).contains("<p>No game is installed yet.</p>"))
    #expect(try page([], language: .chinese).contains("<p>还没有安装游戏。</p>"))
  }

  @Test func offersAnOwnOriginOnlyToIdsThatAreHostLabels() throws {
    let games = try [game("Courier-2"), game("with.dot"), game("under_score"), game("ends-")]
    let html = try page(games, ownOrigin: true)
    #expect(html.contains(#"href="http://courier-2.localhost:1/""#))
    #expect(html.components(separatedBy: ".localhost").count == 2)
    #expect(try !page(games).contains(".localhost"))
  }

  @Test(arguments: [
    ("zh-CN,zh;q=0.9,en;q=0.8", "zh"), ("en-GB,zh;q=0.9", "en"), ("fr, ZH-Hant;q=0.2, en;q=0.1", "zh"),
    ("fr", "en"),
    ("zh;q=0", "en"), ("zh;q=nan,en;q=0.1", "en"), ("zh;q=x", "en"), (";;,,", "en"), ("zho", "en"),
  ])
  func speaksTheLanguageOfTheBrowser(accepted: String, language: String) throws {
    let asking = try request("GET", "/", ["Accept-Language": accepted])
    #expect(FrontLanguage.preferred(by: asking, asked: nil).rawValue == language)
    #expect(FrontLanguage.preferred(by: asking, asked: .chinese) == .chinese)
  }

  @Test func aChosenLanguageStaysThroughLinks() throws {
    let games = try (1000..<1250).map { try game("g\($0)") }
    let html = try page(games, "/?lang=zh", language: .chinese)
    #expect(html.contains(#"<html lang="zh">"#))
    #expect(html.contains(#"href="/?page=2&amp;lang=zh">下一页"#))
    #expect(html.contains(#"<a lang="en" hreflang="en" href="/?lang=en">English</a>"#))
    #expect(html.contains(#"<input type="hidden" name="lang" value="zh">"#))
  }
}
