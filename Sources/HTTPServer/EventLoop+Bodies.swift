internal import HTTPWire
internal import Platform

extension EventLoop {
  // MARK: A body that is read

  /// Does what the handler sent; false when that is nothing. Only with nothing left to send of earlier answers.
  mutating func takeMessage(_ connection: Connection) -> Bool {
    guard let exchange = connection.exchange, let message = exchange.message else { return false }
    exchange.message = nil
    switch message {
    case .wantBody: readBody(connection, exchange)
    case .answer(let response): answer(connection, exchange, response)
    }
    return true
  }

  /// The body's reader wants bytes: those that came with the head, then those from the socket.
  private mutating func readBody(_ connection: Connection, _ exchange: Exchange) {
    guard case .answering = connection.phase, !exchange.isWhole, !exchange.isBroken else { return }
    exchange.room = exchange.body.room()
    exchange.isReading = true
    if exchange.awaitsContinue {
      exchange.awaitsContinue = false
      // RFC 9110 §10.1.1: it may be left out when some of the body has come already.
      if connection.saved.isEmpty { out.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
    }
    if !connection.saved.isEmpty {
      let count = load(connection.saved)
      connection.saved = []
      feed(connection, exchange, count)
    }
    beginBodyWindow(connection)
  }

  /// Input came while the reader waits for it.
  mutating func receiveBody(_ connection: Connection, _ exchange: Exchange) {
    switch read(connection, count: min(exchange.room, input.count)) {
    case .moved(let count) where count > 0:
      feed(connection, exchange, count)
      if !exchange.isReading { setDeadline(connection, .max) }
    case .moved:
      // The client has finished sending too early, but may still read an answer.
      exchange.fail(.disconnected)
      setDeadline(connection, .max)
      arm(connection, [])
    case .failed: close(connection)
    case .wouldBlock: break
    }
  }

  private mutating func feed(_ connection: Connection, _ exchange: Exchange, _ count: Int) {
    let taken = exchange.take(input, 0..<count)
    connection.received += Int64(taken)
    if taken < count {
      connection.saved = Array(input[taken..<count])
      connection.hasUnparsed = true
    }
    if exchange.isWhole || exchange.isBroken || exchange.room == 0 { exchange.isReading = false }
  }

  /// A handler works; its body is read if it wants to.
  mutating func awaitBody(_ connection: Connection) {
    guard connection.exchange?.isReading ?? false else {
      setDeadline(connection, .max)
      // The poller is told only if input comes meanwhile; but of room to write it would be told without end.
      if connection.armed == .output { arm(connection, .input) }
      return
    }
    arm(connection, .input)
  }

  private mutating func beginBodyWindow(_ connection: Connection) {
    connection.bodyWindowStart = connection.received
    setDeadline(connection, now + shared.times.body)
  }

  /// What had to wait is sent. Nothing was read meanwhile, so a head's or a body's time begins anew; a body's with the
  /// `100 Continue` that asked for it.
  mutating func restartClocks(_ connection: Connection) {
    if connection.headStartedAt != 0 { connection.headStartedAt = now }
    if connection.exchange?.isReading ?? false { beginBodyWindow(connection) }
  }

  // MARK: A body that nobody wants

  /// Throws away what is left of a small body; more than that comes with the next call.
  mutating func drain(_ connection: Connection) {
    switch read(connection, count: Self.readSize) {
    case .moved(let count) where count > 0:
      connection.saved = Array(input[0..<count])
      advance(connection)
    case .moved, .failed: close(connection)
    case .wouldBlock: break
    }
  }

  /// Takes the rest of a body off the saved input; true when the next request may begin.
  mutating func drainSaved(_ connection: Connection) -> Bool {
    guard let exchange = connection.exchange else { return true }
    let taken = exchange.take(connection.saved, 0..<connection.saved.count, discarding: true)
    connection.saved = Array(connection.saved[taken...])
    guard exchange.isWhole else { return false }
    connection.exchange = nil
    connection.phase = .reading
    connection.hasUnparsed = !connection.saved.isEmpty
    return true
  }

  // MARK: Lingering

  /// RFC 9112 §9.6: closing while input is unread would send a reset, which can destroy the answer before the client
  /// has read it. So the sending half is closed, and input is thrown away for a while.
  mutating func beginLingering(_ connection: Connection) {
    connection.transport.finishSending()
    connection.saved = []
    connection.exchange?.fail(.disconnected)
    connection.exchange = nil
    connection.phase = .lingering(left: shared.limits.lingerBytes)
    // Deadlines are looked at once a tick: rather a little short than over.
    setDeadline(connection, now + max(shared.times.linger - shared.times.tick, 0))
    arm(connection, .input)
  }

  /// Input of a connection whose answer is out.
  mutating func linger(_ connection: Connection, left: Int) {
    switch read(connection, count: input.count) {
    case .moved(let count) where count > 0 && count < left:
      connection.phase = .lingering(left: left - count)
    case .moved, .failed: close(connection)
    case .wouldBlock: break
    }
  }
}
