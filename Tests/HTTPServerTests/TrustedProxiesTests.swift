import HTTPWire
import TestSupport
import Testing

@testable import HTTPServer
@testable import Platform

/// Whose word on the client is taken, and what is taken from it.
@Suite struct TrustedProxiesTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"), ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
    ("192.0.2.1/32", "192.0.2.1", "192.0.2.0"), ("192.0.2.128/25", "192.0.2.255", "192.0.2.127"),
    ("0.0.0.0/0", "255.1.2.3", "::1"), ("::/0", "ffff::", "1.2.3.4"), ("::1", "::1", "::2"),
    ("fd00::/8", "fdff::1", "fe00::1"), ("2001:db8:0:8000::/49", "2001:db8:0:ffff::", "2001:db8::"),
    ("2001:db8::/64", "2001:db8::ffff:0:0:1", "2001:db8:0:1::"),
    ("2001:db8::8000:0:0:0/65", "2001:db8::ffff:0:0:1", "2001:db8::1"), ("unix", "unix", "127.0.0.1"),
    ("127.0.0.1", "::ffff:127.0.0.1", "unix"),
  ])
  func aNetworkHoldsItsAddressesAndNoOther(network: String, inside: String, outside: String) throws {
    func peer(_ text: String) throws -> PeerAddress {
      text == "unix" ? .local : try #require(PeerAddress(text, port: 7))
    }
    let proxies = TrustedProxies([try #require(TrustedProxy(network))])
    #expect(proxies.contains(try peer(inside)))
    #expect(!proxies.contains(try peer(outside)))
    #expect(!TrustedProxies.none.contains(try peer(inside)))
  }

  @Test(arguments: [
    "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/8/8", "10.0.0.0/+8", "10.0.0.0/-1", "10/8",
    "::/129",
    "::1/64", "fe80::1%eth0", "proxy.example", "Unix", "unix/1", "10.0.0.0/0008", "::ffff:10.0.0.0/104",
    "[::1]",
  ])
  func noProxyIsThat(text: String) { #expect(TrustedProxy(text) == nil) }

  /// What a handler sees of a request with these lines from a proxy at 127.0.0.1, where it and 10.0.0.0/8 are trusted.
  private func seen(_ lines: String..., host: String = "inner.example", trusted: Bool = true) async throws
    -> String
  {
    let networks = trusted ? ["127.0.0.1", "10.0.0.0/8", "fd00::/8"] : ["10.0.0.0/8"]
    var text = ""
    try await withServer(
      proxies: TrustedProxies(try networks.map { try #require(TrustedProxy($0)) })
    ) { request in
      .respond(.text("\(request.peer) \(request.isSecure ? "https" : "http") \(request.host)"))
    } while: { live in
      let client = try live.client()
      let head = lines.map { "\($0)\r\n" }.joined()
      try client.send("GET /a HTTP/1.1\r\nHost: \(host)\r\n\(head)\r\n")
      let response = try client.response()
      text = response.status == 200 ? response.text : "\(response.status)"
      guard response.status == 200 else {
        client.finishSending()
        return #expect(try client.isClosedByServer())
      }
      // The next request of the connection is another one's.
      try client.send("GET /b HTTP/1.1\r\nHost: b\r\n\r\n")
      #expect(try client.response().text == "127.0.0.1 http b")
    }
    return text
  }

  @Test func believesNobodyElse() async throws {
    let lines = "Forwarded: for=192.0.2.1;proto=https;host=outer.example\r\nX-Forwarded-For: 192.0.2.1"
    #expect(try await seen(lines, trusted: false) == "127.0.0.1 http inner.example")
    #expect(try await seen("Forwarded: \"", trusted: false) == "127.0.0.1 http inner.example")
    #expect(try await seen("X-Forwarded-Host: a b", trusted: false) == "127.0.0.1 http inner.example")
  }

  @Test func takesClientSchemeAndHostFromForwarded() async throws {
    #expect(
      try await seen("Forwarded: for=192.0.2.1;proto=https;host=\"outer.example:8443\"")
        == "192.0.2.1 https outer.example:8443")
    #expect(try await seen("Forwarded: for=\"[2001:db8::1]:9\"") == "2001:db8:0:0:0:0:0:1 http inner.example")
    #expect(try await seen("Forwarded: host=o;proto=HTTPS") == "127.0.0.1 https o")
    #expect(try await seen("X-Other: 1") == "127.0.0.1 http inner.example")
    #expect(try await seen("Forwarded: proto=gopher") == "127.0.0.1 http inner.example")
  }

  @Test func theClientIsTheLastAddressThatIsNoProxys() async throws {
    // 198.51.100.1 wrote the first element itself: it is not believed.
    #expect(
      try await seen(
        "Forwarded: for=192.0.2.1;host=evil;proto=http",
        "Forwarded: for=198.51.100.1;host=outer;proto=https, for=10.0.0.1;host=middle;proto=http")
        == "198.51.100.1 https outer")
    // Host and scheme that the outermost did not tell are the next one's.
    #expect(
      try await seen("Forwarded: for=192.0.2.1, for=198.51.100.1, for=10.0.0.1;host=middle;proto=https")
        == "198.51.100.1 https middle")
    // All are proxies: the first of them asks for itself.
    #expect(try await seen("Forwarded: for=10.0.0.2;host=h, for=\"[fd00::1]\"") == "10.0.0.2 http h")
    #expect(
      try await seen("X-Forwarded-For: 192.0.2.1, 198.51.100.1", "X-Forwarded-For: 10.0.0.1")
        == "198.51.100.1 http inner.example")
  }

  @Test(arguments: ["unknown", "_hidden"])
  func anUnknownClientIsTheProxyItCameTo(name: String) async throws {
    #expect(try await seen("Forwarded: for=192.0.2.1, for=\(name);host=h") == "127.0.0.1 http h")
    #expect(try await seen("Forwarded: for=192.0.2.1, for=\(name);host=h, for=10.0.0.1") == "10.0.0.1 http h")
    #expect(try await seen("X-Forwarded-For: 192.0.2.1, \(name), 10.0.0.1") == "10.0.0.1 http inner.example")
    #expect(try await seen("X-Forwarded-For: 192.0.2.1, rubbish") == "127.0.0.1 http inner.example")
  }

  @Test func takesTheOlderFieldsWhereForwardedIsNotSent() async throws {
    let older =
      "X-Forwarded-For: 203.0.113.9:4711\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: old.example"
    #expect(try await seen(older) == "203.0.113.9 https old.example")
    #expect(
      try await seen("X-Forwarded-Proto: https, HTTPS", "X-Forwarded-Host: a, b") == "127.0.0.1 https b")
    #expect(try await seen("Forwarded: for=192.0.2.1", older) == "192.0.2.1 http inner.example")
    #expect(try await seen("Forwarded: ,", older) == "203.0.113.9 https old.example")
  }

  @Test(arguments: [
    "Forwarded: for=192.0.2.1:80", "Forwarded: \"\r\nForwarded: for=192.0.2.1", "Forwarded: host=\"a b\"",
    "Forwarded: host=\"\"", "X-Forwarded-Host: a/b", "X-Forwarded-Host: a, b c",
    "X-Forwarded-Host: user@host",
  ])
  func refusesWhatItCannotRead(line: String) async throws {
    #expect(try await seen(line) == "400")
  }

  @Test func logsTheClientAndNotTheProxy() async throws {
    let temporary = try TemporaryFolder()
    let path = "\(temporary.path)/access.log"
    let log = try AccessLog(format: .text, destination: .file(path), logger: .silent)
    let proxies = TrustedProxies([try #require(TrustedProxy("127.0.0.0/8"))])
    let gate = Gate()
    try await withServer(accessLog: log, proxies: proxies) { request in
      request.path == "/later"
        ? .later { _ in
          await gate.passed()
          return .text("late")
        } : .respond(.text("now"))
    } while: { live in
      let client = try live.client()
      for path in ["now", "later"] {
        try client.send(
          "GET /\(path) HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.\(path.utf8.count)\r\n\r\n")
        gate.open()
        #expect(try client.response().status == 200)
      }
    }
    log.close()
    let file = try File(path: path, mode: .read)
    let text = String(decoding: try file.bytes(at: 0, count: Int(file.size)), as: UTF8.self)
    let clients = text.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(clients == ["192.0.2.3", "192.0.2.5"])
  }

  @Test func believesAProxyOnAUnixSocket() async throws {
    let folder = try TemporaryFolder()
    let path = try #require(UnixSocketPath("\(folder.path)/s"))
    for (name, expected) in [("unix", "192.0.2.1"), ("127.0.0.1", "local")] {
      let proxies = TrustedProxies([try #require(TrustedProxy(name))])
      try await withServer(listen: [try #require(ListenAddress("unix:\(path)"))], proxies: proxies) {
        request in
        .respond(.text("\(request.peer)"))
      } while: { _ in
        let client = try RawClient(to: .unix(path))
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
        #expect(try client.response().text == expected)
      }
    }
  }
}
