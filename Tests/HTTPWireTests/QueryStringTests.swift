import HTTPWire
import TestSupport
import Testing

@Suite struct QueryStringTests {
  @Test func readsNamesAndValues() throws {
    let query = try #require(QueryString("channel=stable&q=a%20b&empty=&flag&&x=1=2"))
    #expect(query["channel"] == "stable")
    #expect(query["q"] == "a b")
    #expect(query["empty"]?.isEmpty == true)
    #expect(query["flag"]?.isEmpty == true)
    #expect(query["x"] == "1=2")
    #expect(query["none"] == nil)
    #expect(query.items.count == 5)
    #expect(query.repeatedName == nil)
  }

  @Test func leavesPlusAlone() throws {
    let query = try #require(QueryString("h5Version=1.2+3&q=%2B&n+m=1"))
    #expect(query["h5Version"] == "1.2+3")
    #expect(query["q"] == "+")
    #expect(query["n+m"] == "1")
  }

  @Test(arguments: [
    ("a+b", "a b"), ("a%2Bb", "a+b"), ("+", " "), ("%2B+%20", "+  "), ("ab", "ab"), ("", ""),
    ("a++b", "a  b"),
  ])
  func takesAPlusForASpaceInFormValues(_ sent: String, _ meant: String) throws {
    #expect(try #require(QueryString("q=\(sent)")).items.first?.formValue == meant)
  }

  @Test func readsTextOfAllKinds() throws {
    #expect(try #require(QueryString("q=%E6%B8%B8%e6%88%8f"))["q"] == "游戏")
    #expect(try #require(QueryString("%71=%26%3D%25"))["q"] == "&=%")
  }

  @Test func tellsWhatCameTwice() throws {
    #expect(try #require(QueryString("a=1&b=2&%61=3")).repeatedName == "a")
    #expect(try #require(QueryString("a=1&b=2&a=3"))["a"] == "1")
  }

  @Test(arguments: [
    "a=%", "a=%4", "a=%zz", "%", "a=%C3", "a=%FF", "a=%C0%80", "a=%ED%A0%80", "a=%2", "a=1&b=%G0",
  ])
  func refusesTheUnreadable(_ query: String) { #expect(QueryString(query) == nil) }

  @Test func standsInARequest() throws {
    #expect(try request("GET", "/games").queryString?.items.isEmpty == true)
    #expect(try request("GET", "/games?").queryString?.items.isEmpty == true)
    #expect(try request("GET", "/games?limit=5").queryString?["limit"] == "5")
    #expect(try request("GET", "/games?limit=%").queryString == nil)
  }

  @Test func encodesWhatItDecodes() {
    let text = "a+b c/d?e&f=g%游~-._\u{0}"
    let encoded = PercentEncoding.encode(text)
    #expect(encoded == "a%2Bb%20c%2Fd%3Fe%26f%3Dg%25%E6%B8%B8~-._%00")
    #expect(PercentEncoding.decode(encoded) == text)
    #expect(PercentEncoding.decode("%") == nil)
  }
}

@Suite struct PathSegmentsTests {
  @Test(arguments: [
    ("/", [""]), ("/games", ["games"]), ("/games/", ["games", ""]), ("//games", ["", "games"]),
    ("/games/a%2Fb", ["games", "a/b"]), ("/games/1.2+3", ["games", "1.2+3"]), ("/%67ames", ["games"]),
    ("/...", ["..."]), ("/.hidden", [".hidden"]), ("/%E6%B8%B8", ["游"]),
  ])
  func splitsBeforeItDecodes(_ path: String, _ segments: [String]) {
    #expect(PathSegments(path)?.segments == segments)
  }

  @Test(arguments: [
    "", "games", "*", "/a/../b", "/.", "/..", "/%2e%2E/b", "/a/%2e", "/.%2e", "/%", "/%zz", "/%FF", "/a%00",
    "/a%0d%0ab", "/%7f",
  ])
  func refusesTheUnreadable(_ path: String) { #expect(PathSegments(path) == nil) }

  @Test func standsInARequest() throws {
    #expect(try request("GET", "/games/a?x=/y").pathSegments?.segments == ["games", "a"])
    #expect(try request("OPTIONS", "*").pathSegments == nil)
  }
}
