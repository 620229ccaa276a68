import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Connections as they come and go.
@Suite struct AcceptTests {
  static let hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func answers503AboveTheLimitAndServesAgainBelowIt() async throws {
    var limits = HTTPServerLimits.patient
    limits.connections = 2
    try await withServer(limits: limits) { live in
      var clients = [try live.client(), try live.client()]
      for client in clients {
        try client.send(Self.hello)
        #expect(try client.response().status == 200)
      }
      let third = try live.client()
      try third.send(Self.hello)
      let response = try third.response()
      #expect(response.status == 503)
      #expect(response["Connection"] == "close")
      third.finishSending()
      #expect(try third.isClosedByServer())
      clients.removeLast()
      try await eventually { live.open == 1 }
      let fourth = try live.client()
      try fourth.send(Self.hello)
      #expect(try fourth.response().status == 200)
    }
  }

  @Test func closesWithoutAWordFarAboveTheLimit() async throws {
    var limits = HTTPServerLimits.patient
    limits.connections = 0
    try await withServer(limits: limits) { live in
      var clients: [RawClient] = []
      for _ in 0..<ServerState.overflow {
        clients.append(try live.client())
        #expect(try clients.last?.response().status == 503)
      }
      let last = try live.client()
      #expect(try last.isClosedByServer())
    }
  }

  @Test func pausesWhenDescriptorsRunOutAndGoesOn() async throws {
    var limits = HTTPServerLimits.patient
    // Ticks come often then.
    limits.drainTimeout = .milliseconds(200)
    let descriptors = ScarceDescriptors(failures: 3)
    try await withServer(limits: limits, acceptor: descriptors.acceptor) { live in
      let client = try live.client()
      try client.send(Self.hello)
      #expect(try client.response().status == 200)
      #expect(descriptors.areThereAgain)
    }
  }

  /// Of such a connection no event tells until its first request was looked for.
  @Test func hearsOfWhatCameBeforeAConnectionWasAccepted() async throws {
    let isOpen = Atomic(false)
    let acceptor = Acceptor { listener in
      isOpen.load(ordering: .sequentiallyConsistent) ? listener.accept() : .nobody
    }
    try await withServer(acceptor: acceptor) { request in
      request.target == "/later" ? .later { _ in .text("later") } : .respond(.text("now"))
    } while: { live in
      let last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      let later = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"
      let clients = try (0..<6).map { _ in try live.client() }
      for (client, text) in zip(clients, [Self.hello, last, later, "GET /sl", "", Self.hello]) {
        try client.send(text)
      }
      clients[5].finishSending()
      isOpen.store(true, ordering: .sequentiallyConsistent)
      #expect(try clients[0].response().text == "now")
      #expect(try clients[1].response().text == "now")
      #expect(try clients[1].isClosedByServer())
      #expect(try clients[2].response().text == "later")
      try await eventually { live.open == 4 }
      try clients[3].send("ow HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try clients[3].response().text == "now")
      try clients[4].send(Self.hello)
      #expect(try clients[4].response().text == "now")
      #expect(try clients[5].response().text == "now")
      #expect(try clients[5].isClosedByServer())
      for client in clients[0..<1] + clients[2..<5] {
        try client.send(later + Self.hello)
        #expect(try client.response().text == "later")
        #expect(try client.response().text == "now")
      }
    }
  }

  @Test func skipsAClientThatGaveUp() async throws {
    let gone = Atomic(1)
    let acceptor = Acceptor { listener in
      gone.exchange(0, ordering: .relaxed) == 1 ? .gone : listener.accept()
    }
    try await withServer(acceptor: acceptor) { live in
      let client = try live.client()
      try client.send(Self.hello)
      #expect(try client.response().status == 200)
    }
  }

  @Test func leaksNoDescriptorOverManyConnections() async throws {
    try await withServer { live in
      let descriptors = try Directory(path: "/proc/self/fd")
      let before = try descriptors.names().count
      for number in 0..<2000 {
        let client = try live.client()
        try client.send(number % 2 == 0 ? Self.hello : "GET / HTTP/1.0\r\n\r\n")
        #expect(try client.response().status == 200)
        if number % 3 == 0 { client.resetOnClose() }
      }
      try await eventually { live.open == 0 }
      // Other tests run at the same time and have some open.
      #expect(try descriptors.names().count < before + 1000)
    }
  }

  @Test func spreadsConnectionsOverAllLoops() async throws {
    try await withServer(loops: 3) { live in
      var clients: [RawClient] = []
      for _ in 0..<60 {
        let client = try live.client()
        try client.send(Self.hello)
        #expect(try client.response().status == 200)
        clients.append(client)
      }
      #expect(live.open == 60)
    }
  }

  @Test func callsAnAddressInUseAnError() async throws {
    try await withServer(loops: 2) { live in
      let listen = try #require(ListenAddress("127.0.0.1:\(live.port)"))
      for loops in [1, 2] {
        #expect {
          try HTTPServer(
            handler: ClosureHandler { _ in .respond(.text("")) }, listen: [listen], loops: loops,
            shared: live.shared)
        } throws: { ($0 as? SystemError)?.errno == 98 && "\($0)".contains("127.0.0.1:\(live.port)") }
      }
    }
  }

  @Test func listensOnSeveralAddresses() async throws {
    let pool = try WorkerPool(count: 1)
    let listen = [try #require(ListenAddress("127.0.0.1:0")), try #require(ListenAddress("localhost:0"))]
    let server = try HTTPServer(
      handler: ClosureHandler { _ in .respond(.text("here")) }, listen: listen, loops: 2, workers: pool,
      limits: .standard, accessLog: nil, logger: .silent)
    try server.start()
    #expect(Set(server.addresses.map(\.port)).count == 2)
    for address in server.addresses {
      #expect(address.isLoopback)
      #expect(address.description == "http://127.0.0.1:\(address.port)")
      let client = try RawClient(port: address.port)
      try client.send(Self.hello)
      #expect(try client.response().text == "here")
    }
    await server.stop()
    server.waitUntilStopped()
    pool.shutdown()
  }
}

@Suite struct ListenAddressTests {
  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:80", "[::1]:80"), ("localhost:0", "127.0.0.1:0"),
    (":65535", "0.0.0.0:65535"), ("[::]:1", "[::]:1"), ("10.1.2.3:00080", "10.1.2.3:80"),
    ("unix:/run/a b:1.sock", "unix:/run/a b:1.sock"), ("unix:s", "unix:s"),
  ])
  func readsNumericAddressesAndPaths(text: String, meaning: String) throws {
    #expect(try #require(ListenAddress(text)).description == meaning)
  }

  @Test(arguments: [
    "", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
    "::1:80", "[::1]", "[127.0.0.1]:80", "example.org:80", "1.2.3:80", "[::1:80", "127.0.0.1: 80", "a:000080",
    "unix:", "https://unix:/a", "unix:a\u{0}b", "unix:/" + String(repeating: "x", count: 107),
  ])
  func readsNothingElse(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}
