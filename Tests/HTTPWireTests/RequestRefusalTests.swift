import HTTPWire
import Testing

/// Everything here is one refusal; each input also comes byte by byte.
@Suite struct RequestRefusalTests {
  @Test(arguments: [
    // RFC 9112 §2.2: line ends.
    "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\rHost: a\r\r",
    "GET / HTTP/1.1\r\nHost: a\r\nX: 1\rY: 2\r\n\r\n", "GET / HTTP/1.1\r\n\nHost: a\r\n\r\n",
    "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\n",
    // RFC 9112 §3: the request line.
    "GET /\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
    " GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
    "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n",
    "GET\r\nHost: a\r\n\r\n", "GET HTTP/1.1\r\nHost: a\r\n\r\n", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GÉT / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}",
    // RFC 9112 §2.3: the version.
    "GET / http/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.10\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.0x\r\nHost: a\r\n\r\n", "GET / HTTP/1.2 \r\nHost: a\r\n\r\n",
    "GET / HTTP/11.1\r\nHost: a\r\n\r\n", "GET / HTTP/x.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.x\r\nHost: a\r\n\r\n",
    "GET / HTTP/1,1\r\nHost: a\r\n\r\n", "GET / HTTPS/1.1\r\nHost: a\r\n\r\n",
    "GET / FTP/1.1\r\nHost: a\r\n\r\n",
    // RFC 9112 §3.2: target forms and characters.
    "GET * HTTP/1.1\r\nHost: a\r\n\r\n", "GET games HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET ?a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\u{7f} HTTP/1.1\r\nHost: a\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://a:x/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
    "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n",
    "CONNECT a: HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS ** HTTP/1.1\r\nHost: a\r\n\r\n",
    // RFC 9112 §5: field lines.
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\t2\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX\0: 1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: 1\0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{7f}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nÄ: 1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{b}1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n(X): 1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\u{1f}: 1\r\n\r\n",
    // RFC 9112 §3.2: Host.
    "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost:\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n",
  ])
  func refusesWhatTheGrammarDoesNotHave(_ text: String) {
    #expect(Probe.parse(text) == .refused(400))
  }

  @Test(arguments: [
    ("Content-Length:", 400), ("Content-Length: +1", 400), ("Content-Length: -1", 400),
    ("Content-Length: 0x1", 400),
    ("Content-Length: 1 1", 400), ("Content-Length: 1,1", 400), ("Content-Length: 1, 1", 400),
    ("Content-Length: 1_000", 400), ("Content-Length: １", 400), ("Content-Length: 1.0", 400),
    ("Content-Length: 1\r\nContent-Length: 1", 400), ("Content-Length: 1\r\ncontent-length: 2", 400),
    ("Content-Length: 18446744073709551616", 413),
    ("Content-Length: 1234567890123456789012345678901234567890", 413),
    ("Content-Length: 1\r\nTransfer-Encoding: chunked", 400),
    ("Transfer-Encoding: chunked\r\nContent-Length: 1", 400),
    ("Transfer-Encoding: chunked\r\nContent-Length: 0", 400), ("Transfer-Encoding:", 400),
    ("Transfer-Encoding: identity", 400), ("Transfer-Encoding: gzip", 400),
    ("Transfer-Encoding: chunked, gzip", 400),
    ("Transfer-Encoding: gzip, chunked", 501), ("Transfer-Encoding: gzip;q=1, chunked", 501),
    ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", 501),
    ("Transfer-Encoding: identity, chunked", 501), ("Transfer-Encoding: gzip ;q=1, chunked", 501),
    ("Transfer-Encoding: chunked, chunked", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", 400),
    ("Transfer-Encoding: chunked;a=b", 400),
    ("Transfer-Encoding: chunked,", 400), ("Transfer-Encoding: ,chunked", 400),
    ("Transfer-Encoding: xchunked", 400),
    ("Transfer-Encoding: \"chunked\"", 400), ("Transfer-Encoding: chunked chunked", 400),
    ("Transfer-Encoding: (chunked", 400), ("Transfer-Encoding: \u{b}chunked", 400),
    ("Expect: 200-ok", 417), ("Expect: 100-continue;q=1", 417), ("Expect: 100-continue, x", 417),
    ("Expect: \"100-continue\"", 417), ("Expect: 100-continue 100-continue", 417),
    ("Expect: 100-continue\r\nExpect: x", 417),
  ])
  func refusesDoubtfulFraming(_ fields: String, _ status: Int) {
    #expect(Probe.parse("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n") == .refused(status))
  }

  @Test func refusesTransferCodingsOfHTTP10() {
    #expect(Probe.parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == .refused(400))
  }

  @Test(arguments: ["HTTP/0.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.9"])
  func refusesOtherVersions(_ version: String) {
    #expect(Probe.parse("GET / \(version)\r\nHost: a\r\n\r\n") == .refused(505))
  }

  @Test func refusesThePrefaceOfHTTP2() {
    #expect(Probe.parse("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == .refused(400))
  }

  @Test func holdsTheTargetLimitToTheByte() throws {
    let limits = HTTPLimits(headBytes: 1000, fieldCount: 5, targetBytes: 20)
    let fits = "/" + String(repeating: "a", count: 19)
    guard case .request = Probe.parse("GET \(fits) HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits) else {
      return #expect(Bool(false), "20 bytes fit")
    }
    #expect(Probe.parse("GET \(fits)a HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits) == .refused(414))
    // Told as soon as it is seen, without waiting for the line's end.
    let endless = Array("GET \(fits)a".utf8)
    var parser = RequestParser(limits: limits)
    #expect(Probe(parser.parse(endless, in: 0..<endless.count)) == .refused(414))
  }

  @Test func holdsTheHeadLimitToTheByte() {
    let text = "GET / HTTP/1.1\r\nHost: a\r\nX: 12345\r\n\r\n"
    let exact = HTTPLimits(headBytes: text.utf8.count, fieldCount: 5, targetBytes: 20)
    guard case .request = Probe.parse(text, limits: exact) else { return #expect(Bool(false), "it fits") }
    let less = HTTPLimits(headBytes: text.utf8.count - 1, fieldCount: 5, targetBytes: 20)
    #expect(Probe.parse(text, limits: less) == .refused(431))
    let endless = "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "y", count: 200)
    #expect(Probe.parse(endless, limits: less) == .refused(431))
  }

  @Test func holdsTheFieldLimit() {
    let limits = HTTPLimits(headBytes: 1000, fieldCount: 2, targetBytes: 20)
    guard case .request = Probe.parse("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\n\r\n", limits: limits) else {
      return #expect(Bool(false), "two fit")
    }
    #expect(Probe.parse("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 1\r\n\r\n", limits: limits) == .refused(431))
  }

  @Test func holdsTheMethodLimit() {
    let method = String(repeating: "M", count: 64)
    guard case .request = Probe.parse("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n") else {
      return #expect(Bool(false), "64 fit")
    }
    #expect(Probe.parse("\(method)M / HTTP/1.1\r\nHost: a\r\n\r\n") == .refused(501))
  }

  @Test func refusesEverySingleByteThatIsNoTokenInAName() {
    let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: ":") {
      let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [byte] + Array("Y: 1\r\n\r\n".utf8)
      let outcome = Probe.parse(bytes)
      if allowed.contains(byte) {
        guard case .request = outcome else {
          return #expect(Bool(false), "byte \(byte) is a token character")
        }
      } else {
        #expect(outcome == .refused(400), "byte \(byte)")
      }
    }
  }
}
