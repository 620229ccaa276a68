import HTTPWire
import TestSupport
import Testing

@testable import HTTPServer
@testable import Platform

/// How many connections one address may have.
@Suite struct AddressCountsTests {
  @Test func countsAnIPv4AddressAndTheSiteOfAnIPv6One() throws {
    let counts = AddressCounts(limit: 2)
    func enter(_ text: String, _ port: UInt16 = 1) throws -> Int {
      counts.enter(try #require(PeerAddress(text, port: port)))
    }
    #expect(try enter("192.0.2.1") == 1)
    #expect(try enter("192.0.2.1", 2) == 2)
    #expect(try enter("192.0.2.2") == 1)
    #expect(try enter("2001:db8::1") == 1)
    #expect(try enter("2001:db8::ffff:0:0:2") == 2)
    #expect(try enter("2001:db8:0:1::1") == 1)
    // An IPv6 address whose bits are those of an IPv4 one is not that.
    #expect(try enter("0:0:c000:201::") == 1)
    #expect(counts.enter(.local) == 0 && counts.enter(.local) == 0)
    counts.leave(.local)
    counts.leave(try #require(PeerAddress("192.0.2.1", port: 3)))
    #expect(try enter("192.0.2.1") == 2)
    for _ in 0..<9 { counts.leave(try #require(PeerAddress("192.0.2.2"))) }
    #expect(try enter("192.0.2.2") == 1)
  }

  private static var two: HTTPServerLimits {
    var limits = HTTPServerLimits.patient
    limits.connectionsPerAddress = 2
    return limits
  }

  @Test(arguments: [1, 3])
  func answers503AboveTheLimitOfAllLoopsAndServesAgainBelowIt(loops: Int) async throws {
    try await withServer(limits: Self.two, loops: loops) { live in
      var clients = [try live.client(), try live.client()]
      for client in clients {
        try client.send(AcceptTests.hello)
        #expect(try client.response().status == 200)
      }
      let third = try live.client()
      let response = try third.response()
      #expect(response.status == 503)
      #expect(response["Connection"] == "close")
      #expect(response["Retry-After"] == "5")
      #expect(response.text.contains("from your address"))
      third.finishSending()
      #expect(try third.isClosedByServer())
      clients.removeLast()
      try await eventually { live.open == 1 }
      let fourth = try live.client()
      try fourth.send(AcceptTests.hello)
      #expect(try fourth.response().status == 200)
    }
  }

  @Test func refusesOverTLSOnceTheHandshakeIsDone() async throws {
    try await TLSTests.withSecureServer(limits: Self.two) { live in
      let clients = try (0..<3).map { _ in try live.secureClient(.init(version: "TLSv1.3")) }
      let response = try clients[2].response()
      #expect(response.status == 503 && response["Retry-After"] == "5")
    }
  }

  @Test func closesWithoutAWordFarAboveTheLimit() async throws {
    try await withServer(limits: Self.two) { live in
      var clients = [try live.client(), try live.client()]
      for _ in 0..<ServerState.overflow {
        let client = try live.client()
        #expect(try client.response().status == 503)
        clients.append(client)
      }
      #expect(try live.client().isClosedByServer())
    }
  }

  @Test func anotherAddressIsNotConcerned() async throws {
    let listen = try ["127.0.0.1:0", "[::1]:0"].map { try #require(ListenAddress($0)) }
    try await withServer(limits: Self.two, listen: listen) { live in
      let four = try (0..<3).map { _ in try live.client() }
      #expect(try four[2].response().status == 503)
      let six = try RawClient(to: .ipv6(0, 1, port: live.server.addresses[1].port, scope: 0))
      try six.send(AcceptTests.hello)
      #expect(try six.response().status == 200)
    }
  }

  @Test func proxiesAndUnixSocketsMayHaveMore() async throws {
    let folder = try TemporaryFolder()
    let path = try #require(UnixSocketPath("\(folder.path)/s"))
    let listen = try ["127.0.0.1:0", "unix:\(path)"].map { try #require(ListenAddress($0)) }
    let proxies = TrustedProxies([try #require(TrustedProxy("127.0.0.1"))])
    try await withServer(limits: Self.two, listen: listen, proxies: proxies) { live in
      var clients: [RawClient] = []
      for _ in 0..<4 {
        clients += [try live.client(), try RawClient(to: .unix(path))]
      }
      for client in clients {
        try client.send(AcceptTests.hello)
        #expect(try client.response().status == 200)
      }
    }
  }

  @Test func theLimitOfAllSaysWhenToComeAgain() async throws {
    var limits = HTTPServerLimits.patient
    limits.connections = 0
    try await withServer(limits: limits) { live in
      let response = try live.client().response()
      #expect(response.status == 503 && response["Retry-After"] == "5")
      #expect(!response.text.contains("your address"))
    }
  }
}
