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
}
