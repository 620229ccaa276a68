internal import HTTPWire
internal import Platform

/// The one place where a connection's bytes are read and written; an encrypted connection differs here and nowhere else.
struct Transport: ~Copyable {
  private let socket: Socket
  /// Nil on a connection that is not encrypted.
  private let tls: TLSSession?

  /// With TLS if there is a context for it; its handshake is still to be made. Nil when there is no memory for it.
  init?(_ socket: consuming Socket, _ context: TLSContext?) {
    if let context {
      guard let tls = TLSSession(context, socket: socket) else { return nil }
      self.tls = tls
    } else {
      tls = nil
    }
    self.socket = socket
  }

  /// The descriptor, for the poller.
  var number: Int32 { socket.number }
  var isSecure: Bool { tls != nil }
  /// Bytes handed to the kernel that the client has not acknowledged.
  var unacknowledged: Int { socket.unacknowledged }
  /// How to watch for its input. TLS reads a record at a time and does not tell whether the socket is empty then.
  var inputInterest: Poller.Interest { tls == nil ? .arrivals : .input }
  /// Input waits here that the poller knows nothing of.
  var hasBufferedInput: Bool { tls?.hasBufferedInput ?? false }
  /// Reading goes on only when the socket can be written.
  var isReadBlockedByOutput: Bool { tls?.isReadBlockedByOutput ?? false }
  /// Bytes of one connection sent before others get their turn.
  var sendBudget: Int { tls == nil ? 2 << 20 : 1 << 20 }

  /// Takes the handshake as far as it goes now.
  func handshake() -> TLSSession.Handshake { tls?.handshake() ?? .done }

  func receive(into buffer: inout [UInt8], at start: Int, count: Int) -> Socket.Transfer {
    guard let tls, !tls.isGivenUp else { return socket.receive(into: &buffer, at: start, count: count) }
    return tls.receive(into: &buffer, at: start, count: count)
  }

  /// With `more`, the kernel may hold back a partial segment for what follows; TLS makes whole records at once.
  func send(_ bytes: Span<UInt8>, more: Bool) -> Socket.Transfer {
    guard let tls, !tls.isGivenUp else { return socket.send(bytes, more: more) }
    return tls.send(bytes)
  }

  /// Sends bytes and others behind them: in one call, but for TLS, which sends the first alone.
  func send(_ bytes: Span<UInt8>, _ others: Span<UInt8>, more: Bool) -> Socket.Transfer {
    guard let tls, !tls.isGivenUp else { return socket.send(bytes, others, more: more) }
    return tls.send(bytes)
  }

  /// Sends a part of a file; `buffer` is for encrypting.
  func sendFile(
    _ file: any BodyFile, at offset: Int64, count: Int, through buffer: inout [UInt8]
  ) -> Socket.Transfer {
    guard let tls else { return socket.sendFile(file.number, at: offset, count: count) }
    return tls.sendFile(file.number, at: offset, count: count, through: &buffer)
  }

  func limitUnsent(to bytes: Int32) { socket.limitUnsent(to: bytes) }

  /// Tells the client that nothing more comes; reading goes on.
  func finishSending() {
    tls?.finishSending()
    socket.finishSending()
  }

  /// Says goodbye before the socket closes, where the protocol has a word for it.
  func sayGoodbye() { tls?.finishSending() }

  func resetOnClose() { socket.resetOnClose() }
}

extension PeerAddress {
  init(_ address: SocketAddress) {
    switch address {
    case .ipv4(let bits, let port): self = .ipv4(bits, port: port)
    // An IPv4 client of a socket of both families, as systemd makes them, appears inside an IPv6 address.
    case .ipv6(let high, let low, let port, _): self.init(high, low, port: port)
    case .unix: self = .local
    }
  }
}
