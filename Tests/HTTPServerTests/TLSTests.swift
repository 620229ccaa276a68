import HTTPWire
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Connections that are encrypted.
@Suite struct TLSTests {
  static let hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

  /// Serves `https://` with a certificate for `localhost` while `body` runs.
  static func withSecureServer(
    limits: HTTPServerLimits = .patient, clock: ManualClock? = nil,
    _ respond: @escaping @Sendable (HTTPRequest) -> HTTPReaction = {
      .respond(.text("\($0.isSecure ? "secure" : "plain") \($0.target)"))
    },
    while body: (LiveServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let certificate = try TestCertificate(in: folder, names: ["localhost"])
    try await withServer(
      limits: limits, tls: try TLSContext([certificate.files]), clock: clock, respond, while: body)
  }

  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func answersOverEachVersion(_ version: String) async throws {
    try await Self.withSecureServer { live in
      #expect(live.server.addresses[0].description == "https://127.0.0.1:\(live.port)")
      let client = try live.secureClient(.init(version: version, protocols: ["h2", "http/1.1"]))
      #expect(client.tls?.version == version)
      #expect(client.tls?.negotiatedProtocol == "http/1.1")
      for _ in 0..<3 {
        try client.send(Self.hello)
        #expect(try client.response().text == "secure /hello")
      }
    }
  }

  @Test func refusesVersionsBefore12() async throws {
    try await Self.withSecureServer { live in
      #expect(throws: TLSClientSession.HandshakeFailure(reason: "tlsv1 alert protocol version")) {
        try live.secureClient(.init(version: "TLSv1.1"))
      }
    }
  }

  @Test func refusesAClientThatSpeaksNoneOfOurProtocols() async throws {
    try await Self.withSecureServer { live in
      #expect(throws: TLSClientSession.HandshakeFailure(reason: "tlsv1 alert no application protocol")) {
        try live.secureClient(.init(protocols: ["h2", "spdy/3"]))
      }
    }
  }

  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func takesASessionUpAgain(_ version: String) async throws {
    try await Self.withSecureServer { live in
      let first = try live.secureClient(.init(version: version))
      #expect(first.tls?.isResumed == false)
      try first.send(Self.hello)
      _ = try first.response()
      let second = try live.secureClient(.init(version: version, session: first.tls?.saved))
      #expect(second.tls?.isResumed == true)
      try second.send(Self.hello)
      #expect(try second.response().status == 200)
    }
  }

  /// RFC 8446 §C.4: a ticket is for one use, so that each connection brings the next one.
  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func takesASessionUpAgainAndAgain(_ version: String) async throws {
    try await Self.withSecureServer { live in
      // They stay: OpenSSL takes up nothing of a connection that went without a goodbye.
      var clients: [RawClient] = []
      for number in 0..<5 {
        let client = try live.secureClient(.init(version: version, session: clients.last?.tls?.saved))
        #expect(client.tls?.isResumed == (number > 0), "\(number)")
        try client.send(Self.hello)
        _ = try client.response()
        clients.append(client)
      }
      let tickets = clients.map { $0.tls?.saved?.ticket }
      #expect(Set(tickets).count == (version == "TLSv1.3" ? clients.count : 1))
    }
  }

  @Test(arguments: [
    ("b.example", "b.example"), ("B.Example", "b.example"), ("x.games.example", "*.games.example"),
    ("x.y.games.example", "a.example"), ("games.example", "a.example"), ("unknown", "a.example"),
    (nil, "a.example"),
  ])
  func showsTheCertificateForTheNameAskedFor(_ name: String?, _ shown: String) async throws {
    let folder = try TemporaryFolder()
    let files = try ["a.example", "b.example", "*.games.example"].map {
      try TestCertificate(in: folder, names: [$0]).files
    }
    try await withServer(tls: try TLSContext(files)) { live in
      let client = try live.secureClient(.init(serverName: name))
      #expect(client.tls?.serverCertificateName == shown)
      try client.send(Self.hello)
      #expect(try client.response().status == 200)
    }
  }

  @Test(arguments: ["ECDSA+SHA256", "RSA-PSS+SHA256"])
  func showsOfTwoCertificatesForANameTheOneTheClientCanCheck(_ signatures: String) async throws {
    let folder = try TemporaryFolder()
    let files = try [TestCertificate.Kind.rsa, .ecdsa].map {
      try TestCertificate(in: folder, names: ["a.example"], kind: $0).files
    }
    try await withServer(tls: try TLSContext(files)) { live in
      let client = try live.secureClient(.init(serverName: "a.example", signatures: signatures))
      try client.send(Self.hello)
      #expect(try client.response().status == 200)
    }
  }

  @Test func answersRequestsThatTLSHoldsInItsOwnBuffers() async throws {
    try await Self.withSecureServer { live in
      let client = try live.secureClient()
      // Many times what is read at once, and records do not end where requests do.
      let count = 4000
      try client.send(String(repeating: Self.hello, count: count))
      for _ in 0..<count { #expect(try client.response().text == "secure /hello") }
    }
  }

  @Test func takesABodyWhole() async throws {
    try await Self.withSecureServer { _ in
      .later { body in
        guard let bytes = try? await body.collect(limit: 4 << 20) else { return .text("broken") }
        return HTTPResponse(.ok, [:], .bytes(bytes))
      }
    } while: { live in
      let client = try live.secureClient()
      let bytes = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes.count)\r\n\r\n")
      try client.send(bytes)
      #expect(try client.response().body == bytes)
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok")
      #expect(try client.response().text == "ok")
    }
  }

  @Test func sendsAFileWholeToASlowReader() async throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<5_000_001).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
    let file = try folder.directory.file("big", mode: .createNew)
    try SystemVolume().write(bytes, to: file, at: 0)
    let shared = SharedFile(file)
    try await Self.withSecureServer { _ in
      .respond(HTTPResponse(.ok, [:], .file(shared, offset: 1, count: 5_000_000)))
    } while: { live in
      let client = try live.secureClient(receiveBuffer: 64 << 10)
      for _ in 0..<2 {
        try client.send(Self.hello)
        #expect(try client.response().body[...] == bytes[1...])
      }
    }
  }

  @Test func saysGoodbyeBeforeItCloses() async throws {
    try await Self.withSecureServer { live in
      for field in ["Connection: close\r\n", ""] {
        let client = try live.secureClient()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
        #expect(try client.response().status == 200)
        // Not HTTP at all: refused, and closed after lingering.
        if field.isEmpty {
          try client.send("\0\r\n\r\n")
          #expect(try client.response().status == 400)
        }
        #expect(try client.isClosedByServer())
        #expect(client.tls?.hasGoodbye == true)
      }
    }
  }

  @Test func saysNoGoodbyeInTheMiddleOfAnAnswer() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.directory.file("short", mode: .createNew)
    try SystemVolume().write([1, 2, 3], to: file, at: 0)
    let shared = SharedFile(file)
    try await Self.withSecureServer { _ in
      .respond(HTTPResponse(.ok, [:], .file(shared, offset: 0, count: 1000)))
    } while: { live in
      let client = try live.secureClient()
      try client.send(Self.hello)
      #expect(throws: RawClient.Failure.self) { try client.response() }
      #expect(client.tls?.hasGoodbye == false)
    }
  }

  @Test func goesOnAfterTheClientChangedItsKeys() async throws {
    try await Self.withSecureServer { live in
      let client = try live.secureClient(.init(version: "TLSv1.3"))
      for _ in 0..<3 {
        try #require(client.tls?.updateKeys() == true)
        try client.send(Self.hello)
        #expect(try client.response().status == 200)
      }
    }
  }

  @Test func tellsAPlainClientInPlainHTTPThatThisIsHTTPS() async throws {
    try await Self.withSecureServer { live in
      let client = try live.client()
      try client.send(Self.hello)
      let response = try client.response()
      #expect(response.status == 400)
      #expect(response.text.contains("https://"))
      #expect(try client.isClosedByServer())
    }
  }

  @Test(arguments: ["\u{16}\u{3}\u{1}\u{0}\u{2}no", "\0\0\0\0\0\0\0\0", "SSH-2.0-OpenSSH_9.2\r\n"])
  func closesOnWhatIsNoHandshakeAndServesOthers(_ bytes: String) async throws {
    try await Self.withSecureServer { live in
      let stranger = try live.client()
      try stranger.send(bytes)
      stranger.finishSending()
      _ = try? stranger.readToEnd()
      let client = try live.secureClient()
      try client.send(Self.hello)
      #expect(try client.response().status == 200)
      try await eventually { live.open == 1 }
    }
  }

  @Test func dropsAHandshakeThatDoesNotEnd() async throws {
    let clock = ManualClock()
    var limits = HTTPServerLimits.patient
    limits.headTimeout = .seconds(1)
    try await Self.withSecureServer(limits: limits, clock: clock) { live in
      let client = try live.client()
      try client.send("\u{16}\u{3}\u{1}")
      try await eventually { live.open == 1 }
      try await eventually {
        clock.advance(milliseconds: 100)
        return live.open == 0
      }
      #expect(try client.isClosedByServer())
    }
  }

  @Test func answers503AboveTheLimitAfterTheHandshake() async throws {
    var limits = HTTPServerLimits.patient
    limits.connections = 1
    try await Self.withSecureServer(limits: limits) { live in
      let first = try live.secureClient()
      try first.send(Self.hello)
      #expect(try first.response().status == 200)
      let second = try live.secureClient()
      #expect(try second.response().status == 503)
    }
  }

  @Test func speaksTLSWhereTheAddressDoesNotSayOtherwise() async throws {
    let folder = try TemporaryFolder()
    let tls = try TLSContext([TestCertificate(in: folder, names: ["localhost"]).files])
    let workers = try WorkerPool(count: 1)
    let listen = ["127.0.0.1:0", "http://127.0.0.1:0", "https://127.0.0.1:0"].compactMap(ListenAddress.init)
    let handler = ClosureHandler { .respond(.text($0.isSecure ? "secure" : "plain")) }
    let server = try HTTPServer(
      handler: handler, listen: listen, tls: tls, loops: 2, workers: workers, limits: .patient,
      accessLog: nil,
      logger: .silent)
    try server.start()
    #expect(server.addresses.map(\.isSecure) == [true, false, true])
    let plain = try RawClient(port: server.addresses[1].port)
    try plain.send(Self.hello)
    #expect(try plain.response().text == "plain")
    let secure = try RawClient(port: server.addresses[2].port, offering: .init())
    try secure.send(Self.hello)
    #expect(try secure.response().text == "secure")
    await server.stop()
    workers.shutdown()
  }

  @Test func refusesToSpeakPlainlyWhereTLSIsDemanded() throws {
    let workers = try WorkerPool(count: 1)
    defer { workers.shutdown() }
    let listen = try #require(ListenAddress("https://127.0.0.1:0"))
    #expect(throws: SystemError.self) {
      try HTTPServer(
        handler: ClosureHandler { _ in .respond(.text("")) }, listen: [listen], tls: nil, loops: 1,
        workers: workers, limits: .patient, accessLog: nil, logger: .silent)
    }
  }
}
