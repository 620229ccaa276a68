import HTTPClient
import Testing

@testable import HTTPClient

@Suite struct WebURLTests {
  @Test(arguments: [
    ("http://example.org", "http://example.org/", "http://example.org:80"),
    ("HTTPS://Example.ORG/a/../b?c=d#frag", "https://Example.ORG/b?c=d", "https://example.org:443"),
    ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x", "http://127.0.0.1:8080"),
    ("http://[::1]:81/", "http://[::1]:81/", "http://[::1]:81"),
  ])
  func readsWebAddresses(text: String, whole: String, origin: String) throws {
    let url = try #require(WebURL(text))
    #expect(url.text.lowercased() == whole.lowercased())
    #expect(url.origin.description == origin)
  }

  @Test(arguments: [
    "", "example.org", "/path", "file:///etc/passwd", "ftp://example.org/", "javascript:alert(1)", "http://",
    "http://user@example.org/", "http://user:pass@example.org/", "http://a b/", "http://a/\r\nX: y",
    "http://a/\0",
    "http://example.org:99999/", "gopher://x/", "http://a/b c",
  ])
  func refusesEverythingElse(text: String) {
    #expect(WebURL(text) == nil)
  }

  @Test(arguments: [
    ("c", "http://h/a/c"), ("/c", "http://h/c"), ("../c", "http://h/c"), ("?q", "http://h/a/b?q"),
    ("//other/c", "http://other/c"), ("https://o:1/", "https://o:1/"),
  ])
  func resolvesReferences(reference: String, result: String) throws {
    let base = try #require(WebURL("http://h/a/b"))
    #expect(base.resolving(reference)?.text == result)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://h/", "http://u:p@h/", "data:,x"])
  func resolvesNothingToOtherSchemes(reference: String) throws {
    let base = try #require(WebURL("http://h/a/b"))
    #expect(base.resolving(reference) == nil)
  }

  @Test func appendsSegmentsAndQueryEncoded() throws {
    let base = try #require(WebURL("http://h/depot/?old"))
    let url = base.appending(["games", "a b/ü", "check"], query: [("h5Version", "1.0+2"), ("x", "&=")])
    #expect(url?.text == "http://h/depot/games/a%20b%2F%C3%BC/check?h5Version=1.0%2B2&x=%26%3D")
    #expect(base.appending([".."]) == nil)
  }

  @Test func redirectsNeverLeaveTLS() throws {
    let secure = try #require(WebURL("https://h/a"))
    let plain = try #require(WebURL("http://h/a"))
    #expect(Redirect.target(of: "http://h/b", from: secure) == nil)
    #expect(Redirect.target(of: "https://other/b", from: secure)?.text == "https://other/b")
    #expect(Redirect.target(of: "b", from: secure)?.text == "https://h/b")
    #expect(Redirect.target(of: "https://h/b", from: plain)?.text == "https://h/b")
    #expect(Redirect.target(of: "file:///b", from: plain) == nil)
  }
}
