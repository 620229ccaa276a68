import HTTPWire
import Testing

@Suite struct RequestParserTests {
  @Test func readsWhatCurlSends() throws {
    let text =
      "GET /games?limit=2 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n"
    let request = try Probe.request(text)
    #expect(request.method == .get)
    #expect(request.version == .http11)
    #expect(request.target == "/games?limit=2")
    #expect(request.path == "/games")
    #expect(request.query == "limit=2")
    #expect(request.host == "127.0.0.1:8080")
    #expect(request[.userAgent] == "curl/8.5.0")
    #expect(request[.range] == nil)
    #expect(request.isKeepAlive)
    #expect(request.body == .none)
    #expect(!request.expectsContinue)
    #expect(request.text(request.headSlice) == text)
    #expect(request.field(named: "accept") == "*/*")
  }

  @Test func stopsAtTheEndOfTheHead() throws {
    let head = "POST /games HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
    let bytes = Array((head + "abcGET / HTTP/1.1\r\nHost: b\r\n\r\n").utf8)
    var parser = RequestParser(limits: .standard)
    guard case .request(let first, let end) = parser.parse(bytes, in: 0..<bytes.count) else {
      return #expect(Bool(false), "the first head is complete")
    }
    #expect(end == head.utf8.count)
    #expect(first.body == .length(3))
    guard case .request(let second, let last) = parser.parse(bytes, in: end + 3..<bytes.count) else {
      return #expect(Bool(false), "the second head is complete")
    }
    #expect(last == bytes.count)
    #expect(second.host == "b")
    #expect(Probe(parser.parse(bytes, in: last..<bytes.count)) == .needsMore)
  }

  @Test(arguments: [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "M-SEARCH", "PROPFINDS",
  ])
  func readsMethods(_ method: String) throws {
    let request = try Probe.request("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(request.method == HTTPMethod(method))
    #expect(request.method.text == method)
  }

  @Test func toleratesOneEmptyLineFirst() throws {
    let request = try Probe.request("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(request.headSlice.start == 2)
    #expect(Probe.parse("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == .refused(400))
    #expect(Probe.parse("\r\n") == .needsMore)
  }

  @Test(arguments: [
    ("http://depot.test/games?q=1", "/games?q=1", "/games", "q=1", "depot.test"),
    ("HTTP://depot.test:81/", "/", "/", nil, "depot.test:81"),
    ("https://[::1]:8443/a", "/a", "/a", nil, "[::1]:8443"),
    ("http://depot.test", "/", "/", nil, "depot.test"),
    ("http://depot.test?x", "?x", "/", "x", "depot.test"),
    ("/?", "/?", "/", "", "ignored"),
    ("//double", "//double", "//double", nil, "ignored"),
    ("/a?b?c/d", "/a?b?c/d", "/a", "b?c/d", "ignored"),
    ("/%zz'|{}\"<>^`\\", "/%zz'|{}\"<>^`\\", "/%zz'|{}\"<>^`\\", nil, "ignored"),
  ])
  func readsTargets(_ sent: String, _ target: String, _ path: String, _ query: String?, _ host: String) throws
  {
    let request = try Probe.request("GET \(sent) HTTP/1.1\r\nHost: ignored\r\n\r\n")
    #expect(request.target == target)
    #expect(request.path == path)
    #expect(request.query == query)
    #expect(request.host == host)
  }

  @Test func readsTheTargetOfAServerWideOptions() throws {
    let options = try Probe.request("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(options.path == "*")
  }

  // RFC 9110 §9.3.6: what follows a CONNECT is the tunnel's, never the next request.
  @Test(arguments: ["1.1", "1.0"])
  func opensNoTunnel(_ version: String) {
    let text = "CONNECT depot.test:443 HTTP/\(version)\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
    #expect(Probe.parse(text) == .refused(501))
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false), ("HTTP/1.0", "", false),
    ("HTTP/1.1", "Connection: upgrade , Close\r\n", false), ("HTTP/1.1", "Connection: closed\r\n", true),
    ("HTTP/1.1", "Connection: a\r\nConnection: close\r\n", false),
    ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
    ("HTTP/1.0", "Connection: keep-alive, close\r\n", false), ("HTTP/1.7", "", true),
    ("HTTP/1.1", "Connection: ,,\r\n", true), ("HTTP/1.1", "Connection:\r\n", true),
  ])
  func knowsWhetherTheConnectionLivesOn(_ version: String, _ fields: String, _ expected: Bool) throws {
    let request = try Probe.request("GET / \(version)\r\nHost: a\r\n\(fields)\r\n")
    #expect(request.isKeepAlive == expected)
  }

  @Test(arguments: [
    ("Content-Length: 0", HTTPRequest.BodyFraming.none),
    ("Content-Length: 5", .length(5)),
    ("content-length:\t0005 \t", .length(5)),
    ("Content-Length: 2147483648", .length(1 << 31)),
    ("Content-Length: 4294967296", .length(1 << 32)),
    ("Content-Length: 9007199254740992", .length(1 << 53)),
    ("Content-Length: 9223372036854775807", .length(UInt64(Int64.max))),
    ("Content-Length: 9223372036854775808", .length(1 << 63)),
    ("Content-Length: 18446744073709551615", .length(.max)),
    ("Transfer-Encoding: chunked", .chunked),
    ("transfer-encoding: Chunked", .chunked),
  ])
  func findsTheBody(_ field: String, _ framing: HTTPRequest.BodyFraming) throws {
    #expect(try Probe.request("POST / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n").body == framing)
  }

  @Test func expectsContinueOnlyWhereThatMakesSense() throws {
    let expect = "Host: a\r\nExpect: 100-Continue\r\n"
    #expect(try Probe.request("POST / HTTP/1.1\r\n\(expect)Content-Length: 5\r\n\r\n").expectsContinue)
    #expect(
      try Probe.request("POST / HTTP/1.1\r\n\(expect)Transfer-Encoding: chunked\r\n\r\n").expectsContinue)
    #expect(try !Probe.request("POST / HTTP/1.1\r\n\(expect)Content-Length: 0\r\n\r\n").expectsContinue)
    #expect(try !Probe.request("POST / HTTP/1.0\r\n\(expect)Content-Length: 5\r\n\r\n").expectsContinue)
  }

  // RFC 9110 §5.6.1: a list, whose empty members mean nothing.
  @Test(arguments: [
    ("Expect:", false), ("Expect: ,", false), ("Expect: 100-continue,", true),
    ("Expect: , 100-continue ,100-Continue", true), ("Expect: 100-continue\r\nExpect: 100-continue", true),
  ])
  func readsExpectationsAsAList(_ fields: String, _ expects: Bool) throws {
    let request = try Probe.request("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\nContent-Length: 5\r\n\r\n")
    #expect(request.expectsContinue == expects)
  }

  @Test func needsNoHostBeforeHTTP11() throws {
    #expect(try Probe.request("GET / HTTP/1.0\r\n\r\n").host.isEmpty)
    #expect(Probe.parse("GET / HTTP/1.1\r\n\r\n") == .refused(400))
  }

  @Test func notesRepeatedFields() throws {
    let request = try Probe.request(
      "GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"1\"\r\nX: 1\r\nif-none-match:\"2\"\r\nRange:\r\n\r\n")
    #expect(request.isRepeated(.ifNoneMatch))
    #expect(request[.ifNoneMatch] == "\"1\"")
    #expect(request.values(of: "If-None-Match") == ["\"1\"", "\"2\""])
    #expect(request.has(.range) && !request.isRepeated(.range))
    #expect(request[.range]?.isEmpty == true)
  }

  @Test func keepsBytesAbove127InValues() throws {
    var bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nReferer: ".utf8)
    bytes += [0xc3, 0xa4, 0xff]
    bytes += Array("\tb\r\n\r\n".utf8)
    guard case .request(let request, _) = Probe.parse(bytes) else { return #expect(Bool(false), "valid") }
    #expect(request[.referer] == "ä\u{fffd}\tb")
  }

  @Test func isIncompleteUntilTheLastByte() {
    let bytes = Array("PUT /games/a/channels/stable HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n".utf8)
    for count in 0..<bytes.count {
      var parser = RequestParser(limits: .standard)
      #expect(Probe(parser.parse(bytes, in: 0..<count)) == .needsMore, "\(count) bytes")
    }
  }

  @Test func readsAWholeHeadOnceMoreAtMostAFewTimes() {
    // 30 KB one byte at a time: only sums like 30 K × 30 K would take long.
    var text = "GET / HTTP/1.1\r\nHost: a\r\n"
    for number in 0..<90 { text += "X-\(number): \(String(repeating: "v", count: 320))\r\n" }
    let bytes = Array((text + "\r\n").utf8)
    var parser = RequestParser(limits: .standard)
    for count in 0..<bytes.count {
      guard case .needsMore = parser.parse(bytes, in: 0..<count) else {
        return #expect(Bool(false), "\(count) bytes are no head")
      }
    }
    guard case .request = parser.parse(bytes, in: 0..<bytes.count) else {
      return #expect(Bool(false), "the head is complete")
    }
  }
}
