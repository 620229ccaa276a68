internal import HTTPWire
internal import Platform

extension EventLoop {
  /// A connection has input, or its end.
  mutating func receive(_ connection: Connection) {
    guard connection.wantsInput else {
      // It stays in the kernel, which stops the client in time.
      return arm(connection, connection.output == nil ? [] : .output)
    }
    switch connection.phase {
    case .handshaking(let refusal): shakeHands(connection, refusal)
    case .reading: receiveHead(connection)
    case .answering:
      if let exchange = connection.exchange { receiveBody(connection, exchange) }
    case .draining: drain(connection)
    case .lingering(let left): linger(connection, left: left)
    case .closing, .closed: break
    }
    if connection.transport.isSecure { settle(connection) }
  }

  private mutating func receiveHead(_ connection: Connection) {
    let kept = connection.saved.isEmpty ? 0 : load(connection.saved)
    let count = min(Self.readSize, input.count - kept)
    switch read(connection, at: kept, count: count) {
    case .moved(let count) where count > 0:
      if kept > 0 { connection.saved = [] }
      serve(connection, upTo: kept + count)
      advance(connection)
    case .moved, .failed: close(connection)
    case .wouldBlock: break
    }
  }

  /// Reads at most `count` bytes to `start` of the input buffer. The poller tells of what arrives, not of what is left:
  /// where something may be, the loop comes again.
  mutating func read(_ connection: Connection, at start: Int = 0, count: Int) -> Socket.Transfer {
    let result = connection.transport.receive(into: &input, at: start, count: count)
    guard case .moved(let got) = result, got > 0 else { return result }
    counters.received &+= UInt64(got)
    if got == count || connection.isInputEnded, !connection.transport.isSecure {
      buffered.append(connection.token)
    }
    return result
  }

  /// Reads on where no event will tell of what is there.
  mutating func receiveBuffered() {
    var tokens: [ConnectionToken] = []
    swap(&tokens, &buffered)
    // Who was accepted since may know of a change that the batch's first requests came before.
    isBatchPrepared = false
    for token in tokens {
      guard let connection = connection(token) else { continue }
      if connection.transport.isSecure {
        guard connection.wantsInput, connection.transport.hasBufferedInput else { continue }
      }
      receive(connection)
      if !connection.isWatched, !connection.isClosed { watch(connection) }
    }
  }

  /// Puts bytes to the front of the input buffer.
  mutating func load(_ bytes: [UInt8]) -> Int {
    input.replaceSubrange(0..<bytes.count, with: bytes)
    return bytes.count
  }

  /// Does what can be done for a connection now: sends what waits, handles what was read, or watches for more.
  mutating func advance(_ connection: Connection) {
    while send(connection) {
      switch connection.phase {
      case .handshaking(let refusal): return shakeHands(connection, refusal)
      case .reading:
        guard connection.hasUnparsed else { return awaitHead(connection) }
        connection.hasUnparsed = false
        let count = load(connection.saved)
        connection.saved = []
        serve(connection, upTo: count)
      case .answering: guard takeMessage(connection) else { return awaitBody(connection) }
      case .draining(let hasBegun):
        guard drainSaved(connection) else {
          // One window for all of it: what drips in does not prolong it.
          if !hasBegun {
            connection.phase = .draining(hasBegun: true)
            setDeadline(connection, now + shared.times.body)
          }
          return arm(connection, .input)
        }
      case .closing(lingers: false): return close(connection)
      case .closing(lingers: true): return beginLingering(connection)
      case .lingering: return arm(connection, .input)
      case .closed: return
      }
    }
  }

  private mutating func awaitHead(_ connection: Connection) {
    if isStopping, connection.saved.isEmpty { return close(connection) }
    if connection.headStartedAt != 0 {
      setDeadline(connection, connection.headStartedAt + shared.times.head)
    } else {
      setDeadline(connection, now + shared.times.idle)
    }
    arm(connection, .input)
  }

  /// Handles all whole requests at the front of the input buffer, until one cannot be answered at once or its answer
  /// is more than the output buffer should hold.
  private mutating func serve(_ connection: Connection, upTo end: Int) {
    var position = 0
    while position < end, case .reading = connection.phase, connection.output == nil,
      out.isEmpty || out.count + (end - position) < Self.heldBytes
    {
      guard answerRepeated(connection, &position, end) || readRequest(connection, &position, end) else {
        return
      }
    }
    if position < end {
      connection.saved = Array(input[position..<end])
      connection.hasUnparsed = true
    }
  }

  /// Answers the request at `position` if it came before, byte for byte.
  private mutating func answerRepeated(_ connection: Connection, _ position: inout Int, _ end: Int) -> Bool {
    // What a proxy says of a request is to be judged each time, and all of a stop's answers are last ones.
    guard connection.parser.isAtStart, !connection.isTrustedProxy, !isStopping else {
      repeated.skip()
      return false
    }
    prepareBatch()
    let edition = handler.edition
    let found = repeated.find(
      input, in: position..<end, isSecure: connection.transport.isSecure, edition: edition)
    guard let found else { return false }
    connection.headStartedAt = 0
    position += found.request.bytes.count
    answer(connection, found)
    return true
  }

  private mutating func prepareBatch() {
    guard !isBatchPrepared else { return }
    isBatchPrepared = true
    handler.prepareBatch()
  }

  /// Reads the request at `position` and has it handled; false when nothing more is to be read now.
  @inline(never)
  private mutating func readRequest(_ connection: Connection, _ position: inout Int, _ end: Int) -> Bool {
    var request = HTTPRequest()
    // A copy is used: each use of an object's property is watched for others at the same time, and this is a long one.
    var parser = connection.parser
    let progress = parser.parse(input, in: position..<end, into: &request)
    connection.parser = parser
    switch progress {
    case .needsMore:
      if connection.headStartedAt == 0 { connection.headStartedAt = now }
      connection.saved = Array(input[position..<end])
      return false
    case .refused(let refusal):
      connection.headStartedAt = 0
      refuse(connection, refusal, isHead: asksForHead(position, end))
      return false
    case .complete(let headEnd):
      connection.headStartedAt = 0
      // An empty line before it, which is ignored, would have to be part of what is kept.
      if request.headSlice.range.lowerBound != position { repeated.skip() }
      position = headEnd
      request.peer = connection.peer
      request.isSecure = connection.transport.isSecure
      request.generatedID = identifiers.next()
      if connection.isTrustedProxy {
        do throws(HTTPRefusal) { try shared.proxies.believe(&request) } catch {
          refuse(connection, error, isHead: request.isHead)
          return false
        }
      }
      respond(connection, request, &position, end)
      return true
    }
  }

  /// Whether what is refused begins as a HEAD does, perhaps behind an empty line.
  private func asksForHead(_ position: Int, _ end: Int) -> Bool {
    input[position..<end].drop { $0 == 0x0d || $0 == 0x0a }.starts(with: "HEAD ".utf8)
  }

  private mutating func respond(
    _ connection: Connection, _ request: HTTPRequest, _ position: inout Int, _ end: Int
  ) {
    prepareBatch()
    switch (handler.respond(to: request), request.body) {
    case (.respond(let response), .none):
      answer(connection, request, response, rest: .nothing, startedAt: wokenAt)
    case (.repeatable(let response), .none):
      repeated.keep(request, response, ends)
      answer(connection, request, response, rest: .nothing, startedAt: wokenAt)
    case (let reaction, _):
      // The body's first bytes may be here already.
      connection.saved = Array(input[position..<end])
      connection.hasUnparsed = !connection.saved.isEmpty
      position = end
      let exchange = Exchange(request, startedAt: wokenAt, mailbox: mailbox, token: connection.token)
      connection.exchange = exchange
      connection.phase = .answering
      switch reaction {
      case .respond(let response), .repeatable(let response): answer(connection, exchange, response)
      case .later(let work): start(work, exchange, connection.token)
      }
    }
  }

  private mutating func start(
    _ work: @escaping @Sendable (any RequestBody) async -> HTTPResponse, _ exchange: Exchange,
    _ token: ConnectionToken
  ) {
    let (body, mailbox) = (exchange.body, mailbox)
    _ = Task(executorPreference: shared.workers) {
      mailbox.post(.answer(token, await work(body)))
    }
  }
}
