internal import HTTPWire

extension EventLoop {
  /// Once in a while: deadlines, the log, the handler's own, and accepting after a pause.
  mutating func tick() {
    nextTick = now + shared.times.tick
    mailbox.note(counters.metrics(open: openCount), now: now)
    resumeAccepting()
    log?.flush()
    handler.tick()
    for number in deadlines.indices where deadlines[number] <= now {
      guard let connection = connections[number] else {
        deadlines[number] = .max
        continue
      }
      expire(connection)
    }
  }

  private mutating func expire(_ connection: Connection) {
    guard connection.output == nil else { return expireSending(connection) }
    switch connection.phase {
    case .reading:
      guard !connection.saved.isEmpty else { return close(connection) }
      connection.headStartedAt = 0
      refuse(connection, HTTPRefusal(.requestTimeout, "The request head did not come in time."))
      advance(connection)
    case .answering: expireBody(connection)
    case .handshaking, .draining, .closing, .lingering, .closed: close(connection)
    }
  }

  private mutating func expireSending(_ connection: Connection) {
    // What the kernel took is no progress: its buffers hold minutes of a slow client.
    let acknowledged = connection.sent - Int64(connection.transport.unacknowledged)
    guard acknowledged - connection.sendWindowStart < Int64(shared.limits.sendWindowBytes) else {
      connection.sendWindowStart = acknowledged
      return setDeadline(connection, now + shared.times.send)
    }
    abort(connection)
  }

  private mutating func expireBody(_ connection: Connection) {
    guard let exchange = connection.exchange, exchange.isReading else { return setDeadline(connection, .max) }
    guard connection.received - connection.bodyWindowStart < Int64(shared.limits.bodyWindowBytes) else {
      connection.bodyWindowStart = connection.received
      return setDeadline(connection, now + shared.times.body)
    }
    exchange.fail(.timedOut)
    setDeadline(connection, .max)
    arm(connection, [])
  }
}
