internal import HTTPWire
internal import Platform

extension EventLoop {
  /// Handshakes taken further for one wake-up: each costs as much as a hundred answers, which are not to wait for all.
  static var handshakeBatch: Int { 8 }

  /// Takes a connection's TLS handshake as far as it goes now.
  mutating func shakeHands(_ connection: Connection, _ refusal: HTTPRefusal?) {
    // The poller tells of it again.
    guard handshakesLeft > 0 else { return }
    handshakesLeft -= 1
    switch connection.transport.handshake() {
    case .done:
      connection.phase = .reading
      guard let refusal else { return arm(connection, .input) }
      refuse(connection, refusal)
      advance(connection)
    case .wantsInput: arm(connection, .input)
    case .wantsOutput: arm(connection, .output)
    case .plainHTTP:
      refuse(connection, HTTPRefusal(.badRequest, "This port speaks HTTPS: ask for https:// instead."))
      advance(connection)
    case .failed: close(connection)
    }
  }

  /// Sees to what a read of an encrypted connection may leave behind: input in TLS's own buffers, or a word that must
  /// go out before reading goes on.
  mutating func settle(_ connection: Connection) {
    guard !connection.isClosed, connection.wantsInput else { return }
    if case .handshaking = connection.phase { return }
    if connection.transport.isReadBlockedByOutput { return arm(connection, .output) }
    if connection.armed == .output {
      arm(connection, .input)
    } else if connection.transport.hasBufferedInput {
      buffered.append(connection.token)
    }
  }
}
