import HTTPWire
import Testing

/// The Forwarded field as RFC 7239 has it, and the fields that came before it.
@Suite struct ForwardedElementTests {
  /// An element in one line, `-` for what is absent.
  private static func text(_ element: ForwardedElement) -> String {
    func name(_ node: ForwardedNode?) -> String {
      switch node {
      case .address(.ipv4(let bits, let port)): "\(PeerAddress.ipv4(bits, port: port)) \(port)"
      case .address(let address): "\(address)"
      case .unknown: "unknown"
      case .obfuscated(let name): name
      case nil: "-"
      }
    }
    return [name(element.client), name(element.receiver), element.host ?? "-", element.scheme ?? "-"]
      .joined(separator: " | ")
  }

  @Test(arguments: [
    // RFC 7239 §4.
    ("for=\"_gazonk\"", ["_gazonk | - | - | -"]),
    ("For=\"[2001:db8:cafe::17]:4711\"", ["2001:db8:cafe:0:0:0:0:17 | - | - | -"]),
    ("for=192.0.2.60;proto=http;by=203.0.113.43", ["192.0.2.60 0 | 203.0.113.43 0 | - | http"]),
    ("for=192.0.2.43, for=198.51.100.17", ["192.0.2.43 0 | - | - | -", "198.51.100.17 0 | - | - | -"]),
    // RFC 7239 §6.3, §7.1.
    ("for=_hidden, for=_SEVKISEK", ["_hidden | - | - | -", "_SEVKISEK | - | - | -"]),
    (
      "for=192.0.2.43,for=\"[2001:db8:cafe::17]\",for=unknown",
      ["192.0.2.43 0 | - | - | -", "2001:db8:cafe:0:0:0:0:17 | - | - | -", "unknown | - | - | -"]
    ),
    // Quoting, letter case, what is not known, ports.
    ("HOST=\"a.example:8080\";Proto=\"HTTPS\"", ["- | - | a.example:8080 | https"]),
    ("host=\"a\\.b\";secret=\"x, for=1.2.3.4;\\\"\"", ["- | - | a.b | -"]),
    ("for=\"192.0.2.1:8080\"", ["192.0.2.1 8080 | - | - | -"]),
    ("for=\"192.0.2.1:_p.-_1\"", ["192.0.2.1 0 | - | - | -"]),
    ("for=\"UNKNOWN:1\"", ["unknown | - | - | -"]),
    ("for=\"[::ffff:192.0.2.1]:9\"", ["192.0.2.1 9 | - | - | -"]),
    // Empty pairs and members, white space.
    (";;for=192.0.2.1;", ["192.0.2.1 0 | - | - | -"]),
    (", ,\tfor=192.0.2.1 ; proto=http ,,", ["192.0.2.1 0 | - | - | http"]),
    ("for=192.0.2.1,;", ["192.0.2.1 0 | - | - | -", "- | - | - | -"]),
    ("", []), (" , ", []),
  ])
  func readsElements(value: String, elements: [String]) throws {
    #expect(try #require(ForwardedElement.list(Array(value.utf8))).map(Self.text) == elements)
  }

  @Test(arguments: [
    "for", "for=", "=x", "for 192.0.2.1", "for =192.0.2.1", "for=192.0.2.1:80", "for=[::1]",
    "for=\"192.0.2.1",
    "for=\"\"", "for=\"a\"b", "for=192.0.2.1 for=192.0.2.2", "for=192.0.2.1;for=192.0.2.1",
    "for=1;FOR=2", "for=256.0.0.1", "for=01.2.3.4", "for=1.2.3", "for=\"::1\"", "for=\"[1.2.3.4]\"",
    "for=\"[::1\"", "for=\"[::1]x\"", "for=\"[::1]:\"", "for=\"192.0.2.1:\"", "for=\"192.0.2.1:123456\"",
    "for=\"192.0.2.1:65536\"", "for=\"192.0.2.1:x\"", "for=_", "for=\"_a b\"", "for=name", "by=nowhere",
    "host=\"x", "for=192.0.2.1;;@", "for=192.0.2.1\\",
  ])
  func callsTheRestUnreadable(value: String) {
    #expect(ForwardedElement.list(Array(value.utf8)) == nil)
  }

  @Test func readsAHundredElementsAndNoMore() {
    let hundred = Array(repeating: "for=_a", count: 100).joined(separator: ",")
    #expect(ForwardedElement.list(Array(hundred.utf8))?.count == 100)
    #expect(ForwardedElement.list(Array("\(hundred),;".utf8)) == nil)
  }

  @Test(arguments: [
    ("1.2.3.4", ForwardedNode.address(.ipv4(0x0102_0304, port: 0))),
    ("1.2.3.4:5", .address(.ipv4(0x0102_0304, port: 5))),
    ("2001:db8::1", .address(.ipv6(0x2001_0db8 << 32, 1, port: 0))),
    ("[2001:db8::1]", .address(.ipv6(0x2001_0db8 << 32, 1, port: 0))),
    ("[2001:db8::1]:6", .address(.ipv6(0x2001_0db8 << 32, 1, port: 6))), ("unknown", .unknown),
    ("_x", .obfuscated("_x")),
    ("localhost", nil), ("", nil), ("1.2.3.4, 5", nil),
  ])
  func readsMembersOfXForwardedFor(text: String, node: ForwardedNode?) {
    #expect(ForwardedNode(informal: text) == node)
  }

  @Test func joinsTheLinesOfARequest() throws {
    let request = try Probe.request(
      "GET / HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.1\r\nX: y\r\nforwarded: for=192.0.2.2\r\n"
        + "X-Forwarded-For: 1.1.1.1 ,, 2.2.2.2\r\nX-Forwarded-For:\r\nX-Forwarded-For:\t3.3.3.3 \r\n\r\n")
    #expect(
      try request.forwardedElements().map(\.client) == [
        .address(.ipv4(0xc000_0201, port: 0)), .address(.ipv4(0xc000_0202, port: 0)),
      ])
    #expect(request.members(of: .forwardedFor) == ["1.1.1.1", "2.2.2.2", "3.3.3.3"])
    #expect(request.members(of: .forwardedHost) == [])
    let none = try Probe.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try none.forwardedElements() == [])
    let bad = try Probe.request(
      "GET / HTTP/1.1\r\nHost: a\r\nForwarded: \"\r\nForwarded: for=192.0.2.1\r\n\r\n")
    #expect {
      try bad.forwardedElements()
    } throws: {
      ($0 as? HTTPRefusal)?.status == .badRequest
    }
  }

  @Test(arguments: ["b.example", "b.example:8080", "[::1]:1", "b"])
  func givesARequestAnotherHost(host: String) throws {
    var request = try Probe.request("GET /x?y HTTP/1.1\r\nHost: a.example\r\nRange: bytes=1-2\r\n\r\n")
    let isChanged = request.redirect(toHost: host)
    #expect(isChanged)
    for copy in [request, request.detached(), request.detached().detached()] {
      #expect(copy.host == host)
      #expect(copy.target == "/x?y" && copy.path == "/x" && copy.query == "y")
      #expect(copy[.host] == "a.example" && copy[.range] == "bytes=1-2")
      #expect(copy.field(named: "range") == "bytes=1-2")
    }
  }

  @Test(arguments: ["", "a b", "a/b", "a@b", "a:x", "a:65536", "[::1", "a\"", "ä"])
  func keepsTheHostForOneThatIsNone(host: String) throws {
    var request = try Probe.request("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
    let isChanged = request.redirect(toHost: host)
    #expect(!isChanged)
    #expect(request.host == "a.example")
  }
}
