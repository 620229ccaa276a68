internal import DepotModel
internal import HTTPWire
internal import Platform

/// The page at `/`: what is installed, each with a way to play it. It needs no script and nothing from outside.
struct FrontPage: Sendable {
  /// What the page was asked for: `q`, a part of a title or id; `page`, from 1; `lang`, one it speaks. What it cannot
  /// read counts as not said: a page for people has better things to show than an error.
  struct Question: Sendable {
    var search = ""
    var page = 1
    var language: FrontLanguage?

    init() {}

    init(_ request: HTTPRequest) {
      for item in request.queryString?.items ?? [] {
        switch item.name {
        case "q": search = String(item.formValue.prefix(100))
        case "page": page = Int(item.value).map { max(1, $0) } ?? 1
        case "lang": language = FrontLanguage(rawValue: item.value)
        default: break
        }
      }
    }
  }

  /// Games on one page, so that a mirror of thousands stays quick on a phone.
  static let gamesPerPage = 120

  /// Of the style, so that no other may stand in the page (CSP Level 3 §6.6.2.2).
  private static let styleDigest =
    SHA256Digest(bytes: Hash.digest(of: Array(FrontStyle.css.utf8), .sha256))?.base64 ?? ""

  /// A triangle that means play, so that a browser asks for no other icon.
  private static let icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' "
    + "rx='4' fill='%230b5cad'/%3E%3Cpath d='M6 4v8l6-4z' fill='white'/%3E%3C/svg%3E"

  let games: [FrontGame]
  let question: Question
  let language: FrontLanguage
  /// Where a game has an origin of its own, by its label; nil when the page was opened under another name than
  /// `localhost`.
  let ownOrigin: (@Sendable (GameID) -> String?)?

  /// The page as an answer.
  func response(to request: HTTPRequest) -> HTTPResponse {
    .made(
      Array(html.utf8), type: "text/html; charset=utf-8", varying: ["Accept-Language"],
      [
        "Referrer-Policy": "no-referrer",
        "Content-Security-Policy":
          "default-src 'none'; style-src 'sha256-\(Self.styleDigest)'; img-src 'self' data:; form-action 'self'; "
          + "base-uri 'none'; frame-ancestors 'none'",
      ], for: request)
  }

  private var words: FrontWords { language.words }

  /// The games that match, by title.
  private var found: [FrontGame] {
    let wanted = question.search.lowercased()
    let matching =
      wanted.isEmpty
      ? games
      : games.filter { $0.title.lowercased().contains(wanted) || $0.id.text.lowercased().contains(wanted) }
    return matching.map { (key: $0.title.lowercased(), game: $0) }
      .sorted { ($0.key, $0.game.id.text) < ($1.key, $1.game.id.text) }.map(\.game)
  }

  private var html: String {
    let found = found
    let pages = max(1, (found.count + Self.gamesPerPage - 1) / Self.gamesPerPage)
    let page = min(question.page, pages)
    let shown = found.dropFirst((page - 1) * Self.gamesPerPage).prefix(Self.gamesPerPage)
    let list =
      shown.isEmpty
      ? "<p>\(games.isEmpty ? words.nothingInstalled : words.nothingFound)</p>"
      : "<ul>\n\(shown.map(card).joined(separator: "\n"))\n</ul>"
    return """
      <!doctype html>
      <html lang="\(language.rawValue)">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(words.heading)</title>
      <link rel="icon" href="\(Self.icon)">
      <style>\(FrontStyle.css)</style>
      <header><h1>\(words.heading)</h1>\(searchForm)</header>
      <main>\(list)</main>
      \(turning(page, of: pages))
      <footer>\(languageLinks)</footer>
      </html>

      """
  }

  private func card(_ game: FrontGame) -> String {
    let path = "/play/\(game.id)/"
    let title = HTMLText.escaped(game.title)
    let cover =
      game.cover.map { #"<img class="cover" src="\#(path)\#(urlPath($0))" alt="" loading="lazy">"# }
      ?? #"<span class="cover" aria-hidden="true">\#(HTMLText.escaped(String(game.title.prefix(1))))</span>"#
    var facts = ["\(words.version) \(game.version)"]
    if let size = game.size { facts.append(ByteText.short(size)) }
    if let date = game.installedAt?.description.prefix(10) {
      facts.append(#"\#(words.installed) <time datetime="\#(date)">\#(date)</time>"#)
    }
    let own =
      ownOrigin?(game.id).map {
        #" <a href="\#($0)" title="\#(words.ownAddressHint)">\#(words.ownAddress)</a>"#
      } ?? ""
    return """
      <li>\(cover)<div class="about"><h2>\(title)</h2>
      <p class="facts">\(facts.map { "<span>\($0)</span>" }.joined(separator: " · "))</p>
      <p class="ways"><a class="play" href="\(path)" aria-label="\(words.play): \(title)">\(words.play)</a>\(own)</p></div></li>
      """
  }

  /// Left out where a look is quicker than a search.
  private var searchForm: String {
    guard games.count > 8 else { return "" }
    let language =
      question.language.map { #"<input type="hidden" name="lang" value="\#($0.rawValue)">"# } ?? ""
    return """
      <form role="search">\(language)<input type="search" name="q" value="\(HTMLText.escaped(question.search))" \
      aria-label="\(words.search)"><button>\(words.search)</button></form>
      """
  }

  private func turning(_ page: Int, of pages: Int) -> String {
    guard pages > 1 else { return "" }
    var links: [String] = []
    if page > 1 { links.append(#"<a rel="prev" href="\#(link(page: page - 1))">\#(words.previous)</a>"#) }
    links.append("<span>\(page) / \(pages)</span>")
    if page < pages { links.append(#"<a rel="next" href="\#(link(page: page + 1))">\#(words.next)</a>"#) }
    return "<nav>\(links.joined(separator: " "))</nav>"
  }

  private var languageLinks: String {
    FrontLanguage.allCases.filter { $0 != language }
      .map {
        #"<a lang="\#($0.rawValue)" hreflang="\#($0.rawValue)" href="\#(link(page: 1, language: $0))">\#($0.name)</a>"#
      }
      .joined(separator: " ")
  }

  private func urlPath(_ path: String) -> String {
    path.split(separator: "/").map { PercentEncoding.encode(String($0)) }.joined(separator: "/")
  }

  private func link(page: Int, language: FrontLanguage? = nil) -> String {
    var items: [String] = []
    if !question.search.isEmpty { items.append("q=\(PercentEncoding.encode(question.search))") }
    if page > 1 { items.append("page=\(page)") }
    if let language = language ?? question.language { items.append("lang=\(language.rawValue)") }
    return items.isEmpty ? "/" : "/?\(items.joined(separator: "&amp;"))"
  }
}
