import HTTPClient
import Testing

@testable import MirrorClient

@Suite struct FileNameTests {
  /// RFC 6266 §5, and what servers send.
  @Test(arguments: [
    ("Attachment; filename=example.html", "example.html"),
    ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
    ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
    ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
    ("attachment; filename*=utf-8'en'%e2%82%ac; filename=\"plain\"", "€"),
    ("attachment; filename*=iso-8859-1''%A3%20rates", "£ rates"),
    ("attachment; filename=\"a\\\"b\\\\c\"", "a\"b\\c"),
    ("attachment; filename=\"C:\\dir\\x.zip\"", "C:\\dir\\x.zip"),
    ("attachment; size=12; filename=\"semi;colon.zip\"; x=y", "semi;colon.zip"),
    ("attachment;filename=a b.zip", "a b.zip"),
    // The extended form cannot be read: the plain one counts.
    ("attachment; filename=plain; filename*=utf-7''x", "plain"),
    ("attachment; filename=plain; filename*=utf-8''%zz", "plain"),
    ("attachment; filename=plain; filename*=utf-8''%ff", "plain"),
    ("filename=x.zip; filename=y.zip", nil), ("attachment", nil), ("", nil), ("attachment; filename", nil),
    ("attachment; filename=\"unended", nil), (";;;=", nil), ("attachment; =x", nil),
  ])
  func readsContentDisposition(field: String, name: String?) {
    #expect(ContentDisposition.fileName(field) == name)
  }

  @Test(arguments: [
    ("../../x", "x"), ("/etc/passwd", "passwd"), ("..\\..\\evil.exe", "evil.exe"), ("C:\\x\\y.zip", "y.zip"),
    ("a\0b.zip", "ab.zip"), ("..", nil), (".", nil), ("", nil), ("/", nil), ("a/", nil), ("...", nil),
    ("  ", nil),
    (".bashrc", "bashrc"), ("x. . ", "x"), ("a\r\nb", "ab"), ("\u{1B}[31mred", "[31mred"),
    ("exe\u{202E}gpj.zip", "exegpj.zip"), ("CON", "_CON"), ("nul.txt", "_nul.txt"), ("com1.zip", "_com1.zip"),
    ("com10.zip", "com10.zip"), ("console", "console"), ("a<b>:\"|?*.zip", "a_b______.zip"),
    ("背景.zip", "背景.zip"), ("a\u{2003}b", "a b"),
  ])
  func makesAnySuggestionSafe(suggestion: String, name: String?) {
    #expect(SafeFileName.make(from: suggestion) == name)
  }

  @Test(arguments: ["x", "背", "e\u{301}"]) func shortensLongNamesAndKeepsTheExtension(letter: String) throws {
    let name = try #require(SafeFileName.make(from: String(repeating: letter, count: 300) + ".tar.gz"))
    #expect(name.utf8.count <= 240 && name.utf8.count > 230)
    #expect(name.hasSuffix(".gz"))
    let bare = try #require(SafeFileName.make(from: "." + String(repeating: letter, count: 300)))
    #expect(bare.utf8.count <= 240)
  }

  @Test(arguments: [
    ("http://a.test/x/y.zip?z=/q", "y.zip"), ("http://a.test/x%20y.zip", "x y.zip"),
    ("http://a.test/", "download"),
    ("http://a.test", "download"), ("http://a.test/a/", "download"),
    ("http://a.test/%2e%2e%2fpasswd", "passwd"),
    ("http://a.test/..%2F..%2Fetc%2F", "download"), ("http://a.test/x%zz", "download"),
    ("http://a.test/%00", "download"),
  ])
  func takesTheLastPartOfAURL(url: String, name: String) throws {
    #expect(SafeFileName.make(from: try web(url)) == name)
  }

  @Test func namesADownloadAfterItsURL() throws {
    // By md5sum(1).
    #expect(
      Download(url: try web("http://a.test/x.zip")).fileName == "02d3d9ef525ca8eca5384dd89fc8316f.zip")
    for url in [
      "http://a.test/x", "http://a.test", "http://a.test/x.tar/y", "http://a.test/x.",
      "http://a.test/.zip?a.b",
      "http://a.test/x.seventeenletterss", "http://a.test/x.a-b",
    ] {
      let download = Download(url: try web(url))
      #expect(download.fileName.utf8.count == 32, "\(url)")
      #expect(download.partialName == "\(download.fileName).part")
    }
  }
}
