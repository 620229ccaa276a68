import Glibc
import Platform
import TestSupport
import Testing

/// TCP sockets over the loopback interface.
@Suite struct SocketTests {
  static let loopback = SocketAddress.ipv4(0x7f00_0001, port: 0)

  /// A connected pair: what accepted never waits, what connected does.
  static func withPair(
    _ address: SocketAddress = loopback,
    _ body: (_ accepted: borrowing Socket, _ client: borrowing Socket) throws -> Void
  ) throws {
    let listener = try Socket.listening(on: address, sharesPort: false, backlog: 8)
    let client = try Socket.connected(to: listener.localAddress)
    switch listener.accept() {
    case .connection(let accepted, let peer):
      #expect(try peer == client.localAddress)
      try body(accepted, client)
    case .nobody: Issue.record("nobody came")
    case .gone: Issue.record("gone")
    case .failed(let error): throw error
    }
  }

  @Test(arguments: [loopback, .ipv6(0, 1, port: 0, scope: 0)])
  func isNotPacedWithinTheMachine(address: SocketAddress) throws {
    try Self.withPair(address) { accepted, _ in
      var name = [UInt8](repeating: 0, count: 16)
      var length = socklen_t(name.count)
      #expect(unsafe getsockopt(accepted.number, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &length) == 0)
      #expect(name.prefix { $0 != 0 } == Array("reno".utf8)[...])
    }
  }

  @Test(arguments: [loopback, .ipv6(0, 1, port: 0, scope: 0)])
  func carriesBytesBothWays(address: SocketAddress) throws {
    try Self.withPair(address) { accepted, client in
      #expect(client.send(Array("..hello".utf8), 2..<7) == .moved(5))
      var buffer = [UInt8](repeating: 0, count: 16)
      var poller = try Poller(capacity: 1)
      try poller.add(accepted.number, .input, token: 7)
      #expect(poller.wait(milliseconds: 10_000) == 1)
      #expect(accepted.receive(into: &buffer, at: 1, count: 15) == .moved(5))
      #expect(buffer[..<7] == [0, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0])
      #expect(accepted.send(Array("back".utf8), 0..<4, more: true) == .moved(4))
      accepted.finishSending()
      #expect(client.receive(into: &buffer, at: 0, count: 16) == .moved(4))
      #expect(client.receive(into: &buffer, at: 0, count: 16) == .moved(0))
    }
  }

  @Test func sendsTwoPiecesInOneCall() throws {
    try Self.withPair { accepted, client in
      let (head, body) = (Array("head ".utf8), Array("body".utf8))
      let both = accepted.send(head.span, body.span)
      #expect(both == .moved(9))
      let second = accepted.send(head.span.extracting(first: 0), body.span, more: true)
      #expect(second == .moved(4))
      accepted.finishSending()
      var buffer = [UInt8](repeating: 0, count: 32)
      #expect(client.receive(into: &buffer, at: 0, count: 9) == .moved(9))
      #expect(buffer[..<9] == Array("head body".utf8)[...])
      #expect(client.receive(into: &buffer, at: 0, count: 32) == .moved(4))
      let tooLate = accepted.send(head.span, body.span)
      #expect(tooLate == .failed(EPIPE))
    }
  }

  @Test func neverWaitsOnAnAcceptedSocket() throws {
    try Self.withPair { accepted, client in
      var buffer = [UInt8](repeating: 0, count: 16)
      #expect(accepted.receive(into: &buffer, at: 0, count: 16) == .wouldBlock)
      let much = [UInt8](repeating: 1, count: 1 << 20)
      var last = Socket.Transfer.moved(0)
      for _ in 0..<64 where last != .wouldBlock { last = accepted.send(much, 0..<much.count) }
      #expect(last == .wouldBlock)
      #expect(accepted.unacknowledged > 0)
    }
  }

  @Test func refusesRangesOutsideTheBuffer() throws {
    try Self.withPair { accepted, _ in
      var buffer = [UInt8](repeating: 0, count: 4)
      #expect(accepted.receive(into: &buffer, at: 2, count: 3) == .failed(EINVAL))
      #expect(accepted.receive(into: &buffer, at: -1, count: 1) == .failed(EINVAL))
      #expect(accepted.send(buffer, 0..<5) == .failed(EINVAL))
    }
  }

  @Test func givesUpWaitingAfterItsTimeout() throws {
    try Self.withPair { _, client in
      client.setTimeout(milliseconds: 10)
      var buffer = [UInt8](repeating: 0, count: 4)
      #expect(client.receive(into: &buffer, at: 0, count: 4) == .wouldBlock)
    }
  }

  @Test func tellsABrokenConnection() throws {
    Signals.ignoreBrokenPipes()
    let listener = try Socket.listening(on: Self.loopback, sharesPort: false, backlog: 8)
    let client = try Socket.connected(to: listener.localAddress)
    if case .connection(let accepted, _) = listener.accept() { accepted.resetOnClose() }
    var buffer = [UInt8](repeating: 0, count: 4)
    #expect(client.receive(into: &buffer, at: 0, count: 4) == .failed(ECONNRESET))
    #expect(client.send(buffer, 0..<4) == .failed(EPIPE))
  }

  @Test func sendsPartsOfFiles() throws {
    let folder = try TemporaryFolder()
    let file = try folder.directory.file("part", mode: .createNew)
    try SystemVolume().write(Array("0123456789".utf8), to: file, at: 0)
    try Self.withPair { accepted, client in
      #expect(accepted.sendFile(file.number, at: 3, count: 4) == .moved(4))
      #expect(accepted.sendFile(file.number, at: 10, count: 4) == .moved(0))
      #expect(accepted.sendFile(-1, at: 0, count: 4) == .failed(EBADF))
      var buffer = [UInt8](repeating: 0, count: 16)
      #expect(client.receive(into: &buffer, at: 0, count: 16) == .moved(4))
      #expect(buffer[..<4] == Array("3456".utf8)[...])
    }
  }

  @Test func tellsAnAddressInUseUnlessThePortIsShared() throws {
    let first = try Socket.listening(on: Self.loopback, sharesPort: true, backlog: 8)
    let address = try first.localAddress
    #expect(throws: SystemError(errno: EADDRINUSE, operation: "bind", path: address.description)) {
      _ = try Socket.listening(on: address, sharesPort: false, backlog: 8)
    }
    let second = try Socket.listening(on: address, sharesPort: true, backlog: 8)
    #expect(try second.localAddress == address)
  }

  @Test func tellsWhyItCannotConnect() throws {
    let port: UInt16
    do {
      let listener = try Socket.listening(on: Self.loopback, sharesPort: false, backlog: 1)
      port = try listener.localAddress.port
    }
    #expect(throws: SystemError(errno: ECONNREFUSED, operation: "connect", path: "127.0.0.1:\(port)")) {
      _ = try Socket.connected(to: .ipv4(0x7f00_0001, port: port), receiveBuffer: 4096)
    }
  }

  @Test func hasNobodyToAcceptBeforeAnyoneComes() throws {
    let listener = try Socket.listening(on: Self.loopback, sharesPort: false, backlog: 1)
    switch listener.accept() {
    case .nobody: break
    case .connection: Issue.record("somebody came")
    case .gone: Issue.record("gone")
    case .failed(let error): throw error
    }
  }
}

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1:80", true), ("255.1.2.3", "255.1.2.3:80", false), ("::1", "[::1]:80", true),
    ("2001:DB8:0:0::ff", "[2001:db8::ff]:80", false),
  ])
  func readsNumericAddresses(host: String, text: String, isLoopback: Bool) throws {
    let address = try #require(SocketAddress(host: host, port: 80))
    #expect(address.description == text)
    #expect(address.isLoopback == isLoopback)
    #expect(address.port == 80)
  }

  @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "[::1]", "::1::", "01.2.3.4"])
  func readsNothingElse(host: String) {
    #expect(SocketAddress(host: host, port: 80) == nil)
  }

  @Test func changesThePort() throws {
    for host in ["10.0.0.1", "fe80::1"] {
      var address = try #require(SocketAddress(host: host, port: 0))
      address.port = 65_535
      #expect(address.port == 65_535)
      #expect(address != SocketAddress(host: host, port: 0))
    }
  }
}
