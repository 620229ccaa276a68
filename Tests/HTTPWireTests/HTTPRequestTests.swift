import HTTPWire
import TestSupport
import Testing

@Suite struct HTTPRequestTests {
  @Test func detachesFromTheReadBuffer() throws {
    let head = "\r\nPOST /games?x=1 HTTP/1.1\r\nHost: a\r\nX-Other: b\r\nContent-Length: 9\r\n\r\n"
    let bytes = Array((String(repeating: "x", count: 1000) + head + "body body").utf8)
    var parser = RequestParser(limits: .standard)
    guard case .request(var request, let end) = parser.parse(bytes, in: 1000..<bytes.count) else {
      return #expect(Bool(false), "complete")
    }
    request.generatedID = 7
    #expect(end == bytes.count - 9)
    let copy = request.detached()
    #expect(copy.bytes.count == head.utf8.count - 2)
    #expect(copy.bytes.capacity < 200)
    #expect(copy.target == "/games?x=1" && copy.path == "/games" && copy.query == "x=1" && copy.host == "a")
    #expect(copy[.contentLength] == "9" && copy[.range] == nil && copy.field(named: "x-other") == "b")
    #expect(copy.body == .length(9) && copy.id == "0000000000000007")
    #expect(copy.text(copy.headSlice) == String(head.dropFirst(1)))
    #expect(copy.detached().target == copy.target)
  }

  @Test func findsFieldsThatNobodyKnows() throws {
    let request = try request("GET", "/", ["Tus-Resumable": "1.0.0", "X": " a ", "x": "", "Colon": "a:b"])
    #expect(request.field(named: "tus-resumable") == "1.0.0")
    #expect(request.values(of: "X") == ["a", ""])
    #expect(request.field(named: "colon") == "a:b")
    #expect(request.field(named: "HOST") == "depot.test")
    #expect(request.field(named: "none") == nil)
    #expect(request.field(named: "") == nil)
  }

  @Test(arguments: [
    ("a", true), ("AZ.az_09-", true), (String(repeating: "x", count: 64), true),
    (String(repeating: "x", count: 65), false), ("", false), ("a b", false), ("a\"b", false), ("ä", false),
    ("a,b", false),
  ])
  func goesByASaneID(_ sent: String, _ isSane: Bool) throws {
    var request = try request("GET", "/", ["X-Request-Id": sent])
    request.generatedID = 0xab
    #expect(request.id == (isSane ? sent : "00000000000000ab"))
  }

  @Test func goesByItsOwnIDOtherwise() throws {
    var request = try request("GET", "/", ["X-Request-Id": "a", "x-request-id": "b"])
    request.generatedID = .max
    #expect(request.id == "ffffffffffffffff")
  }

  @Test func builderPassesRefusalsOn() {
    #expect(throws: HTTPRefusal.self) { try request("G T", "/") }
    #expect(throws: HTTPRefusal.self) { try request(wire: "GET / HTTP/1.1\r\n") }
  }
}

@Suite struct HTTPResponseTests {
  @Test func writesItsHead() {
    let response = HTTPResponse(.ok, ["Content-Type": "text/plain", "ETag": "\"a\""], .bytes([1, 2, 3]))
    #expect(
      String(decoding: response.head, as: UTF8.self)
        == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \"a\"\r\nContent-Length: 3\r\n")
    #expect(response.fields["content-type"] == "text/plain")
    #expect(response.fields["Content-Length"] == "3")
  }

  @Test func writesNoLengthWhereNoneBelongs() {
    #expect(HTTPResponse(.noContent).fields["Content-Length"] == nil)
    #expect(HTTPResponse(.notModified).fields["Content-Length"] == nil)
    #expect(HTTPResponse(.ok, length: .none).fields["Content-Length"] == nil)
    #expect(HTTPResponse(.notFound).fields["Content-Length"] == "0")
  }

  @Test func keepsAHeadThatIsReady() {
    let head = Array("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/2\r\nno field\r\n".utf8)
    let response = HTTPResponse(.partialContent, readyHead: head, .bytes([1, 2]))
    #expect(response.head == head && response.status == .partialContent && response.body.count == 2)
    #expect(response.fields == ["Content-Range": "bytes 0-1/2"])
  }

  @Test func letsNoValueBreakTheHead() {
    let response = HTTPResponse(.ok, ["Location": "/a\r\nSet-Cookie: b\u{0}"])
    #expect(response.fields["Location"] == "/a  Set-Cookie: b ")
    #expect(response.fields["Set-Cookie"] == nil)
  }

  @Test func fieldsAreSetByNameInAnyCase() {
    var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
    #expect(fields["a"] == "1")
    fields["a"] = "4"
    #expect(fields.lines.count == 2 && fields["A"] == "4")
    fields["b"] = nil
    #expect(fields == ["a": "4"])
    #expect(Set([fields, fields]).count == 1)
  }

  @Test func explainsRefusalsInPlainText() {
    struct Handler: HTTPHandler {
      func respond(to request: HTTPRequest) -> HTTPReaction { .respond(HTTPResponse(.ok)) }
    }
    let response = Handler().response(to: HTTPRefusal(.uriTooLong, "Too long."))
    Handler().prepareBatch()
    #expect(response.status == .uriTooLong)
    guard case .bytes(let bytes) = response.body else { return #expect(Bool(false), "bytes") }
    #expect(String(decoding: bytes, as: UTF8.self) == "Too long.\n")
  }

  @Test func namesPeers() {
    #expect(PeerAddress.local.description == "local")
    #expect(PeerAddress.ipv4(0x7f00_0001, port: 80).description == "127.0.0.1")
    #expect(PeerAddress.ipv6(0x2001_0db8_0000_0000, 1, port: 80).description == "2001:db8:0:0:0:0:0:1")
  }
}

@Suite struct RequestBodyTests {
  @Test func collectsPieces() async throws {
    #expect(try await BytesBody("hello").collect(limit: 5) == Array("hello".utf8))
    #expect(try await BytesBody(Array("hello".utf8), pieceSize: 2).collect(limit: 5) == Array("hello".utf8))
    #expect(try await BytesBody().collect(limit: 0).isEmpty)
  }

  @Test func stopsAtTheLimit() async {
    await #expect(throws: RequestBodyError.tooLarge(limit: 4)) {
      try await BytesBody("hello").collect(limit: 4)
    }
  }

  @Test func passesFailuresOn() async {
    let body = BytesBody([1], failure: .disconnected)
    await #expect(throws: RequestBodyError.disconnected) { try await body.collect(limit: 4) }
  }
}
