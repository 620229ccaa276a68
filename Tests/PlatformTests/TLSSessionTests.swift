import TestSupport
import Testing

@testable import Platform

/// The server's side of TLS on a socket, without a server.
@Suite final class TLSSessionTests {
  private let folder: TemporaryFolder
  private let listener: Socket
  private let port: UInt16

  init() throws {
    folder = try TemporaryFolder()
    listener = try Socket.listening(on: .ipv4(0x7f00_0001, port: 0), sharesPort: false, backlog: 8)
    port = try listener.localAddress.port
  }

  private func newContext() throws -> TLSContext {
    try TLSContext([TestCertificate(in: folder, names: ["localhost"]).files])
  }

  private func accepted() throws -> Socket {
    try wait(for: listener.number, .input)
    guard case .connection(let socket, _) = listener.accept() else { throw SystemError.last("accept") }
    return socket
  }

  /// Comes back when the socket is ready.
  private func wait(for number: Int32, _ interest: Poller.Interest) throws {
    var poller = try Poller(capacity: 1)
    try poller.add(number, interest, token: 0)
    let count = poller.wait(milliseconds: 30_000)
    try #require(count == 1)
  }

  private func finishHandshake(of session: TLSSession, on number: Int32) throws {
    while true {
      switch session.handshake() {
      case .done: return
      case .wantsInput: try wait(for: number, .input)
      case .wantsOutput: try wait(for: number, .output)
      case .plainHTTP, .failed: throw SystemError.last("handshake")
      }
    }
  }

  @Test func keepsWhatItsCallbacksNeedForAsLongAsItLives() throws {
    let client = try RawClient(port: port)
    let socket = try accepted()
    var context: TLSContext? = try newContext()
    weak let seen = context
    var session: TLSSession?
    if let context { session = TLSSession(context, socket: socket) }
    context = nil
    #expect(session?.handshake() == .wantsInput)
    #expect(seen != nil)
    session = nil
    #expect(seen == nil)
    withExtendedLifetime(client) {}
  }

  @Test func readsOnWhenTheSocketDoesNotTakeItsGoodbye() async throws {
    let port = port
    let isRead = Semaphore()
    let client = Task.detached {
      let client = try RawClient(port: port, offering: .init())
      try client.send("x")
      isRead.wait()
      // Until here it reads nothing of what the server sends.
      withExtendedLifetime(client) {}
    }
    let socket = try accepted()
    guard let session = TLSSession(try newContext(), socket: socket) else { throw SystemError.last("TLS") }
    try finishHandshake(of: session, on: socket.number)
    let bytes = [UInt8](repeating: 0, count: 1 << 20)
    while case .moved = session.send(bytes.span) {}
    session.finishSending()
    var buffer = [UInt8](repeating: 0, count: 16)
    while session.receive(into: &buffer, at: 0, count: 16) == .wouldBlock {
      try wait(for: socket.number, .input)
    }
    isRead.signal()
    #expect(buffer[0] == UInt8(ascii: "x"))
    try await client.value
  }
}
