import Foundation
import Platform
import TestSupport
import Testing

/// Where `serve` listens, and whom it believes and admits.
@Suite struct ListenTests {
  private let workshop: Workshop
  private var socketPath: String { "\(workshop.folder.path)/s" }

  init() throws { workshop = try Workshop() }

  private var words: [String] { ["serve", "--data", workshop.depot, "--disk-floor", "0", "--threads", "2"] }

  private func serve(
    _ listen: String..., more: [String] = [], count: Int? = nil, after prelude: String? = nil,
    input: FileHandle = .nullDevice
  ) throws -> RunningServer {
    try RunningServer(
      "game-depot", words + listen.flatMap { ["--listen", $0] } + more, in: workshop.folder.path,
      listeners: count ?? listen.count, after: prelude, input: input)
  }

  private func socketClient() throws -> RawClient {
    try RawClient(to: .unix(UnixSocketPath(socketPath)))
  }

  private func port(_ address: String) throws -> UInt16 {
    try #require(UInt16(address.split(separator: ":").last ?? ""))
  }

  private static let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func listensOnBothFamiliesAndAUnixSocketAtOnce() throws {
    let server = try serve(
      "127.0.0.1:0", "[::1]:0", "unix:\(socketPath)", "127.0.0.1:0", after: "umask 077")
    #expect(server.addresses[0].hasPrefix("http://127.0.0.1:"))
    #expect(server.addresses[1].hasPrefix("http://[::1]:"))
    #expect(server.addresses[2] == "unix:\(socketPath)")
    #expect(Set(server.addresses).count == 4)
    for address in server.addresses {
      let check = try Programs.run("game-depot", "healthcheck", address)
      #expect(check.status == 0, "\(address): \(check.errors)")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: socketPath)
    #expect(attributes[.posixPermissions] as? Int == 0o660)
    #expect(server.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: socketPath))
    let dead = try Programs.run("game-depot", "healthcheck", "unix:\(socketPath)")
    #expect(dead.status == 1)
    #expect(dead.errors.hasPrefix("game-depot: unix:\(socketPath): "), "\(dead.errors)")
  }

  @Test func allIPv6AddressesAreNotTheIPv4Ones() throws {
    let server = try serve("[::]:0")
    let port = try port(server.addresses[0])
    #expect(throws: SystemError.self) { try RawClient(port: port) }
    let client = try RawClient(to: .ipv6(0, 1, port: port, scope: 0))
    try client.send(Self.health)
    #expect(try client.response().status == 200)
  }

  @Test func aSocketFileIsReplacedOnlyWhenItsServerIsDead() throws {
    let killed = try serve("unix:\(socketPath)")
    killed.stop(SIGKILL)
    #expect(FileManager.default.fileExists(atPath: socketPath))
    let server = try serve("unix:\(socketPath)")
    let other = try TemporaryFolder()
    let second = try Programs.run(
      "game-depot", "serve", "--data", other.path, "--listen", "unix:\(socketPath)")
    #expect(second.status == 69)
    #expect(second.errors.contains("\(socketPath): Address already in use"), "\(second.errors)")
    let client = try socketClient()
    try client.send(Self.health)
    #expect(try client.response().status == 200)
    #expect(server.stop() == 0)

    try Data("mine".utf8).write(to: URL(filePath: socketPath))
    let refused = try Programs.run(
      "game-depot", "serve", "--data", other.path, "--listen", "unix:\(socketPath)")
    #expect(refused.status == 69)
    #expect(refused.errors.contains("non-socket"), "\(refused.errors)")
    #expect(try Data(contentsOf: URL(filePath: socketPath)) == Data("mine".utf8))
    let long = "unix:/" + String(repeating: "x", count: 107)
    let tooLong = try Programs.run("game-depot", "serve", "--data", other.path, "--listen", long)
    #expect(tooLong.status == 64)
    #expect(tooLong.errors.contains("at most 107 bytes"), "\(tooLong.errors)")
  }

  // MARK: Sockets that a service manager opened

  /// What systemd does: the socket is descriptor 3, and the variables name this very process.
  private static let activation =
    "exec 3<&0 0</dev/null; export LISTEN_FDS=1 LISTEN_FDNAMES=http LISTEN_PID=$$"

  @Test func servesOnASocketItIsStartedWith() throws {
    let socket = try Socket.listening(on: .ipv4(0x7f00_0001, port: 0), sharesPort: false, backlog: 16)
    let address = try socket.localAddress
    // Who connects before the server runs is served by it.
    let early = try RawClient(to: address)
    try early.send(Self.health)
    let handle = FileHandle(fileDescriptor: socket.number, closeOnDealloc: false)
    let server = try serve(count: 1, after: Self.activation, input: handle)
    #expect(server.addresses == ["http://\(address)"])
    #expect(try early.response().status == 200)
    for _ in 0..<10 {
      let client = try RawClient(to: address)
      try client.send(Self.health)
      #expect(try client.response().status == 200)
    }
    #expect(server.stop() == 0)
    // The manager still has it, and starts the next one with it.
    let next = try serve("127.0.0.1:0", count: 2, after: Self.activation, input: handle)
    #expect(next.addresses[0] == "http://\(address)")
    #expect(next.addresses[1].hasPrefix("http://127.0.0.1:") && next.addresses[1] != next.addresses[0])
    let client = try RawClient(port: try port(next.addresses[1]))
    try client.send(Self.health)
    #expect(try client.response().status == 200)
  }

  @Test func leavesTheFileOfAnInheritedSocket() throws {
    let path = try #require(UnixSocketPath(socketPath))
    let socket = try Socket.listening(at: path, mode: 0o600, backlog: 16)
    let handle = FileHandle(fileDescriptor: socket.number, closeOnDealloc: false)
    let server = try serve(count: 1, after: Self.activation, input: handle)
    #expect(server.addresses == ["unix:\(socketPath)"])
    let client = try socketClient()
    try client.send(Self.health)
    #expect(try client.response().status == 200)
    #expect(server.stop() == 0)
    #expect(FileManager.default.fileExists(atPath: socketPath))
  }

  @Test func socketsForAnotherProcessAreNotTaken() throws {
    let server = try serve("127.0.0.1:0", after: "export LISTEN_FDS=1 LISTEN_PID=1")
    #expect(server.addresses.count == 1)
    #expect(try Programs.run("game-depot", "healthcheck", server.url).status == 0)
  }

  @Test(arguments: [
    ("export LISTEN_FDS=none LISTEN_PID=$$", "LISTEN_FDS=\"none\""),
    ("export LISTEN_FDS=1 LISTEN_PID=me", "LISTEN_PID=\"me\""),
    ("exec 3</dev/null; export LISTEN_FDS=1 LISTEN_PID=$$", "descriptor 3"),
    ("export LISTEN_FDS=90000 LISTEN_PID=$$", "descriptor "),
  ])
  func saysWhatIsWrongWithWhatItIsStartedWith(prelude: String, evidence: String) throws {
    let process = Programs.process("game-depot", words, after: prelude)
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 69)
    #expect(text.contains("cannot listen: ") && text.contains(evidence), "\(text)")
  }

  // MARK: Proxies and limits

  @Test func linksAndLogsFollowATrustedProxy() throws {
    let log = "\(workshop.folder.path)/access.log"
    let server = try serve(
      "127.0.0.1:0", "unix:\(socketPath)", more: ["--trusted-proxy", "unix", "--access-log", log])
    let zip = try workshop.zip("game", ["index.html": "x"])
    #expect(try workshop.publish(zip, "courier", "1", to: server.url).status == 0)
    let request =
      "GET /games/courier HTTP/1.1\r\nHost: inner.example\r\n"
      + "Forwarded: for=192.0.2.7;proto=https;host=\"outer.example:8443\"\r\n\r\n"
    let package = "/games/courier/versions/1/package.zip"
    for (client, base) in [
      (try socketClient(), "https://outer.example:8443"),
      (try RawClient(port: server.port), "http://inner.example"),
      (try socketClient(), "https://outer.example:8443"),
    ] {
      try client.send(request)
      let response = try client.response()
      #expect(response.status == 200)
      #expect(response.text.replacing("\\/", with: "/").contains("\"\(base)\(package)\""), "\(response.text)")
    }
    let wrong = try socketClient()
    try wrong.send("GET /games/courier HTTP/1.1\r\nHost: a\r\nX-Forwarded-Host: a b\r\n\r\n")
    let refusal = try wrong.response()
    #expect(refusal.status == 400 && refusal["Content-Type"] == "application/problem+json")
    #expect(server.stop() == 0)
    let text = try String(contentsOfFile: log, encoding: .utf8)
    let clients = text.split(separator: "\n").filter { $0.contains("GET /games/courier") }.map {
      $0.prefix { $0 != " " }
    }
    // Each loop writes its lines when it has time.
    #expect(clients.sorted() == ["127.0.0.1", "192.0.2.7", "192.0.2.7"], "\(text)")
  }

  @Test func anAddressHasOnlySoManyConnections() throws {
    let server = try serve(
      "127.0.0.1:0", "unix:\(socketPath)", more: ["--max-connections-per-ip", "2"])
    let clients = try (0..<2).map { _ in try RawClient(port: server.port) }
    for client in clients {
      try client.send(Self.health)
      #expect(try client.response().status == 200)
    }
    let refusal = try RawClient(port: server.port).response()
    #expect(refusal.status == 503 && refusal["Retry-After"] == "5" && refusal["Connection"] == "close")
    #expect(refusal["Content-Type"] == "application/problem+json")
    #expect(refusal.text.contains("urn:game-depot:problem:unavailable"), "\(refusal.text)")
    for client in try (0..<3).map({ _ in try socketClient() }) {
      try client.send(Self.health)
      #expect(try client.response().status == 200)
    }
  }

  @Test func waitsForDescriptorsWhenThereAreNone() throws {
    let server = try serve("127.0.0.1:0", "unix:\(socketPath)", after: "ulimit -n 48")
    // Accepted before the others come: which of those get a descriptor is open.
    let first = try RawClient(port: server.port)
    try first.send(Self.health)
    #expect(try first.response().status == 200)
    var clients: [RawClient] = []
    for _ in 0..<30 { clients += [try RawClient(port: server.port), try socketClient()] }
    #expect(server.logs("Accepting pauses"), "\(server.log)")
    // Who is connected is served all the while.
    try first.send(Self.health)
    #expect(try first.response().status == 200)
    clients = []
    for client in [try RawClient(port: server.port), try socketClient()] {
      try client.send(Self.health)
      #expect(try client.response().status == 200)
    }
    #expect(server.logs("Accepting goes on"), "\(server.log)")
    #expect(server.stop() == 0)
  }

  @Test(arguments: [[], ["--max-connections", "10"]])
  func raisesTheLimitOfDescriptors(more: [String]) throws {
    let server = try serve("127.0.0.1:0", more: more, after: "ulimit -Sn 64; ulimit -Hn 512")
    let limits = try String(
      contentsOfFile: "/proc/\(server.process.processIdentifier)/limits", encoding: .utf8)
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
    #expect(line.split(separator: " ")[3...4] == ["512", "512"])
    #expect(server.logs("connections=\"\(more.last ?? "256")\""), "\(server.log)")
  }
}
