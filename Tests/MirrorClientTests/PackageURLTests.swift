import MirrorClient
import Testing

@Suite struct PackageURLTests {
  @Test(arguments: [
    "http://127.0.0.1:8080/games/a/versions/1/package.zip", "https://cdn.example/x.zip?y=1",
    "HTTPS://[::1]/z",
  ])
  func readsWebAddresses(text: String) {
    #expect(PackageURL(text)?.text == text)
  }

  @Test(arguments: [
    "", "/games/a", "file:///etc/passwd", "ftp://h/x", "http://", "http:///x", "http://user:pw@host/x",
    "http://host/a b",
    "http://host/\u{1}", "http://:80/x", "http://host/a\\b", "javascript:alert(1)//http://host/",
    "http://host/" + String(repeating: "a", count: 3000),
  ])
  func refusesEverythingElse(text: String) {
    #expect(PackageURL(text) == nil)
  }

  @Test func tellsWhetherItIsSecure() {
    #expect(PackageURL("HTTPS://host/")?.isSecure == true)
    #expect(PackageURL("http://host/")?.isSecure == false)
  }
}
