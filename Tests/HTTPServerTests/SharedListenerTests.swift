import Glibc
import HTTPWire
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer
@testable import Platform

/// Listeners that all loops have in common: Unix sockets, and those a process was started with.
@Suite struct SharedListenerTests {
  private let folder: TemporaryFolder
  private let path: UnixSocketPath
  private let listen: [ListenAddress]

  init() throws {
    folder = try TemporaryFolder()
    path = try #require(UnixSocketPath("\(folder.path)/s"))
    listen = [try #require(ListenAddress("unix:\(path)"))]
  }

  private func client() throws -> RawClient { try RawClient(to: .unix(path)) }

  private func exists() -> Bool { unsafe access(path.text, F_OK) == 0 }

  @Test(arguments: [1, 3])
  func answersOverAUnixSocketAndRemovesItWithTheStop(loops: Int) async throws {
    let peers = Mutex<[PeerAddress]>([])
    try await withServer(listen: listen, loops: loops) { request in
      peers.withLock { $0.append(request.peer) }
      return .respond(.text("here"))
    } while: { live in
      #expect(live.server.addresses.map(\.description) == ["unix:\(path)"])
      #expect(live.server.addresses.allSatisfy { $0.isLoopback && $0.port == 0 })
      for _ in 0..<20 {
        let client = try client()
        try client.send(AcceptTests.hello + AcceptTests.hello)
        #expect(try client.response().text == "here")
        #expect(try client.response().text == "here")
      }
      #expect(exists())
    }
    #expect(!exists())
    #expect(peers.withLock { $0 } == Array(repeating: .local, count: 40))
  }

  /// Threads by the number of connections they serve, among `count` that come one after another.
  private func shares(of count: Int, loops: Int) async throws -> [Int] {
    let threads = Mutex<[pthread_t: Int]>([:])
    try await withServer(listen: listen, loops: loops) { _ in
      threads.withLock { $0[pthread_self(), default: 0] += 1 }
      return .respond(.text("here"))
    } while: { live in
      var clients: [RawClient] = []
      for _ in 0..<count {
        let client = try client()
        try client.send(AcceptTests.hello)
        #expect(try client.response().status == 200)
        clients.append(client)
      }
      #expect(live.open == count)
    }
    return threads.withLock { $0.values.sorted() }
  }

  @Test func spreadsConnectionsOverAllLoops() async throws {
    let shares = try await shares(of: 60, loops: 3)
    #expect(shares.count == 3)
    // A loop that is not back at its poller in time is passed over; on a quiet machine each gets 20.
    #expect(shares.allSatisfy { $0 >= 5 }, "\(shares)")
  }

  @Test func takesAllOfABurst() async throws {
    try await withServer(listen: listen, loops: 2) { live in
      let clients = try (0..<200).map { _ in try client() }
      for client in clients { try client.send(AcceptTests.hello) }
      for client in clients { #expect(try client.response().status == 200) }
      #expect(live.open == 200)
    }
  }

  @Test func pausesWhenDescriptorsRunOutAndGoesOn() async throws {
    var limits = HTTPServerLimits.patient
    // Ticks come often then.
    limits.drainTimeout = .milliseconds(200)
    let descriptors = ScarceDescriptors(failures: 3)
    try await withServer(limits: limits, listen: listen, loops: 2, acceptor: descriptors.acceptor) { _ in
      for _ in 0..<10 {
        let client = try client()
        try client.send(AcceptTests.hello)
        #expect(try client.response().status == 200)
      }
      #expect(descriptors.areThereAgain)
    }
  }

  @Test func aServerThatNeverStartedLeavesNoFile() throws {
    let pool = try WorkerPool(count: 1)
    defer { pool.shutdown() }
    do {
      let server = try HTTPServer(
        handler: ClosureHandler { _ in .respond(.text("")) }, listen: listen, loops: 2, workers: pool,
        limits: .standard, accessLog: nil, logger: .silent)
      #expect(exists() && server.addresses.count == 1)
    }
    #expect(!exists())
    // The second address cannot be listened on: the first one's file goes again.
    #expect {
      _ = try HTTPServer(
        handler: ClosureHandler { _ in .respond(.text("")) }, listen: listen + listen, loops: 2,
        workers: pool, limits: .standard, accessLog: nil, logger: .silent)
    } throws: {
      ($0 as? SystemError)?.errno == EADDRINUSE
    }
    #expect(!exists())
  }

  @Test func aSuccessorTakesThePlaceWhileTheFirstDrains() async throws {
    let gate = Gate()
    let listen = listen
    try await withServer(listen: listen) { _ in
      .later { _ in
        await gate.passed()
        return .text("late")
      }
    } while: { live in
      let waiting = try client()
      try waiting.send(AcceptTests.hello)
      try await eventually { live.open == 1 }
      let stopped = Task { await live.server.stop() }
      try await eventually { !exists() }
      try await withServer(listen: listen) { _ in
        gate.open()
        #expect(try waiting.response().text == "late")
        await stopped.value
        let next = try client()
        try next.send(AcceptTests.hello)
        #expect(try next.response().status == 200)
      }
    }
  }

  /// A descriptor as a service manager passes it: it listens on TCP and waits.
  private func inheritedDescriptor() -> Int32 {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let loopback = SocketAddress.ipv4(0x7f00_0001, port: 0)
    let bound = unsafe loopback.withKernelForm { unsafe bind(number, $0, $1) }
    #expect(bound == 0 && Glibc.listen(number, 64) == 0)
    return number
  }

  @Test func speaksTLSOnTCPSocketsItWasStartedWithAndNotOnUnixOnes() async throws {
    let certificate = try TestCertificate(in: folder, names: ["localhost"])
    let both = listen + [ListenAddress(.descriptor(inheritedDescriptor()))]
    try await withServer(listen: both, tls: try TLSContext([certificate.files]), loops: 2) { request in
      .respond(.text(request.isSecure ? "secure" : "plain"))
    } while: { live in
      let port = live.server.addresses[1].port
      #expect(
        live.server.addresses.map(\.description) == ["unix:\(path)", "https://127.0.0.1:\(port)"])
      let plain = try client()
      try plain.send(AcceptTests.hello)
      #expect(try plain.response().text == "plain")
      let secure = try RawClient(port: port, offering: .init(version: "TLSv1.3"))
      try secure.send(AcceptTests.hello)
      #expect(try secure.response().text == "secure")
    }
  }

  @Test(arguments: [1, 3])
  func answersOnASocketItWasStartedWith(loops: Int) async throws {
    let number = inheritedDescriptor()
    try await withServer(listen: [ListenAddress(.descriptor(number))], loops: loops) { live in
      #expect(live.port != 0)
      for _ in 0..<20 {
        let client = try live.client()
        try client.send(AcceptTests.hello)
        #expect(try client.response().status == 200)
      }
    }
  }

  @Test func anInheritedFileStays() async throws {
    let made = try Socket.listening(at: path, mode: 0o600, backlog: 8)
    let number = dup(made.number)
    try await withServer(listen: [ListenAddress(.descriptor(number))], loops: 2) { live in
      #expect(live.server.addresses.map(\.description) == ["unix:\(path)"])
      let client = try client()
      try client.send(AcceptTests.hello)
      #expect(try client.response().status == 200)
    }
    #expect(exists())
  }

  @Test func refusesADescriptorThatDoesNotListen() async throws {
    let number = unsafe open("/dev/null", O_RDONLY)
    defer { close(number) }
    await #expect {
      try await withServer(listen: [ListenAddress(.descriptor(number))]) { _ in }
    } throws: {
      ($0 as? SystemError)?.errno == ENOTSOCK
    }
  }

  @Test func namesAnIPv4ClientOfASocketOfBothFamilies() {
    let mapped = SocketAddress.ipv6(0, 0x0000_ffff_0a01_0203, port: 9, scope: 0)
    #expect(PeerAddress(mapped) == .ipv4(0x0a01_0203, port: 9))
    #expect(PeerAddress(SocketAddress.ipv6(0, 1, port: 9, scope: 0)) == .ipv6(0, 1, port: 9))
  }
}
