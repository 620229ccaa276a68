internal import HTTPWire
internal import Platform
internal import Synchronization

/// One thread's share of the server: its listeners, its connections, and the handler's answers to them.
///
/// Made on one thread and then run on another, which alone touches it from there on (`LoopThread`); others leave messages
/// in the mailbox. `handler` stands last so that the places of all other properties are known without its type.
struct EventLoop<Handler: HTTPHandler>: ~Copyable {
  /// Bytes of input that are looked at together: a head that is not whole yet, and what is read behind it.
  static var inputCapacity: Int { 64 << 10 }
  /// Bytes read at a time.
  static var readSize: Int { 32 << 10 }
  /// Bytes of answers and of requests behind them from which on answers are sent before more are made. With the answer
  /// that goes over it, at most `OutputBuffer.copiedBody` and its head, a client that does not read makes the loop keep 64 KiB.
  static var heldBytes: Int { 44 << 10 }

  let mailbox: Mailbox
  let shared: ServerState
  var poller: Poller
  var listeners: [Listener]
  /// By descriptor.
  var connections: [Connection?] = []
  /// When each descriptor's connection is to be looked after; `.max` for never.
  var deadlines: [Int64] = []
  var openCount = 0
  /// Connections that wait for their clients to read.
  var waitingReaders = 0
  var lastGeneration: UInt32 = 0
  /// What was read last. Requests share it while they are handled.
  var input: [UInt8]
  /// The answers to it that are not sent yet.
  var out = OutputBuffer(capacity: 64 << 10)
  /// Milliseconds of the monotonic clock, as of the last wake-up.
  var now: Int64 = 0
  /// Nanoseconds of the same.
  var wokenAt: Int64 = 0
  var nextTick: Int64 = 0
  var stamp = TimeStamp()
  let ends = HeadEnds()
  var identifiers = IdentifierSource()
  var repeated = RepeatedRequests()
  var log: AccessLogBuffer?
  var counters = LoopCounters()
  var isBatchPrepared = false
  /// Connections with input that no event will tell of.
  var buffered: [ConnectionToken] = []
  /// TLS handshakes that may still be taken further before the next wait.
  var handshakesLeft = 0
  /// For files that are encrypted on their way.
  var fileBuffer: [UInt8] = []
  var isStopping = false
  var drainDeadline = Int64.max
  var acceptPause = AcceptPause.none
  let handler: Handler

  init(handler: Handler, listeners: [Listener], shared: ServerState) throws(SystemError) {
    let mailbox = try Mailbox()
    let poller = try Poller(capacity: 512)
    let number = mailbox.signal.number
    try poller.add(number, .input, token: ConnectionToken(number: number, generation: 0).bits)
    for listener in listeners { try listener.watch(with: poller) }
    self.init(handler: handler, listeners: listeners, shared: shared, mailbox: mailbox, poller: poller)
  }

  private init(
    handler: Handler, listeners: [Listener], shared: ServerState, mailbox: Mailbox, poller: consuming Poller
  ) {
    self.handler = handler
    self.listeners = listeners
    self.shared = shared
    self.mailbox = mailbox
    self.poller = poller
    input = Array(repeating: 0, count: Self.inputCapacity)
    log = shared.accessLog.map { AccessLogBuffer($0) }
  }

  /// Serves until a stop is asked for and what runs is done, or its time is over.
  mutating func run() {
    wake()
    while !isDone {
      let count = poller.wait(milliseconds: buffered.isEmpty ? Int32(clamping: longestWait) : 0)
      wake()
      for index in 0..<count { handle(poller.event(index)) }
      if !buffered.isEmpty { receiveBuffered() }
      if counters.hasAnswered { counters.endWake(after: shared.stopwatch() - wokenAt) }
      if now >= nextTick { tick() }
    }
    for connection in connections { if let connection { close(connection) } }
    mailbox.close()
    log?.flush()
  }

  /// Until the next tick, or the end of a stop that comes before it.
  private var longestWait: Int64 {
    isStopping ? max(0, min(shared.times.tick, drainDeadline - now)) : shared.times.tick
  }

  private var isDone: Bool { isStopping && (openCount == 0 || now >= drainDeadline) }

  private mutating func wake() {
    wokenAt = shared.clock()
    now = wokenAt / 1_000_000
    isBatchPrepared = false
    handshakesLeft = Self.handshakeBatch
    if now >= stamp.validUntil { stamp.renew(now: now) }
  }

  private mutating func handle(_ event: Poller.Event) {
    let token = ConnectionToken(bits: event.token)
    // The loop's own descriptors have generation 0.
    guard token.generation == 0 else {
      guard let connection = connection(token) else { return }
      return handle(event, connection)
    }
    guard token.number != Int(mailbox.signal.number) else { return takeMessages() }
    for listener in listeners where Int(listener.socket.number) == token.number { accept(from: listener) }
  }

  private mutating func handle(_ event: Poller.Event, _ connection: Connection) {
    // Told only when neither side can send any more, or the connection is broken.
    guard !event.isHangUp else { return close(connection) }
    if event.isWritable {
      if connection.transport.isReadBlockedByOutput, connection.wantsInput {
        receive(connection)
      } else {
        advance(connection)
        if connection.transport.isSecure { settle(connection) }
      }
    }
    if event.isInputEnded { connection.isInputEnded = true }
    if event.isReadable, !connection.isClosed { receive(connection) }
  }

  /// The connection of that name, if it is still there.
  func connection(_ token: ConnectionToken) -> Connection? {
    guard token.number < connections.count, let connection = connections[token.number],
      connection.token == token
    else { return nil }
    return connection
  }

  /// Watches a connection for something else than before.
  mutating func arm(_ connection: Connection, _ interest: Poller.Interest) {
    if interest == .input, connection.transport.hasBufferedInput { buffered.append(connection.token) }
    guard connection.armed != interest else { return }
    if connection.armed == .output { waitingReaders -= 1 }
    if interest == .output { waitingReaders += 1 }
    connection.armed = interest
    if connection.isWatched { watch(connection) }
  }

  /// Lets the poller know what a connection is watched for.
  mutating func watch(_ connection: Connection) {
    let interest = connection.armed == .input ? connection.transport.inputInterest : connection.armed
    let (number, token) = (connection.transport.number, connection.token.bits)
    do throws(SystemError) {
      if connection.isWatched {
        try poller.modify(number, interest, token: token)
      } else {
        connection.isWatched = true
        try poller.add(number, interest, token: token)
      }
    } catch {
      // Out of memory for the kernel: a connection that would never be heard of again must not stay.
      close(connection)
    }
  }

  /// When to look after a connection, in the loop's milliseconds.
  mutating func setDeadline(_ connection: Connection, _ time: Int64) {
    deadlines[connection.token.number] = time
  }

  /// Ends a connection at once; its answer, if one is still made, goes nowhere.
  mutating func close(_ connection: Connection, isAborted: Bool = false) {
    guard !connection.isClosed else { return }
    if !isAborted { connection.transport.sayGoodbye() }
    finishLog(of: connection)
    if connection.armed == .output { waitingReaders -= 1 }
    connection.phase = .closed
    connection.exchange?.fail(.disconnected)
    connection.exchange = nil
    connection.output = nil
    connection.saved = []
    deadlines[connection.token.number] = .max
    // The descriptor closes with the last reference, which is a local variable of a caller.
    connections[connection.token.number] = nil
    openCount -= 1
    shared.open.subtract(1, ordering: .relaxed)
    if let addresses = shared.addresses, !connection.isTrustedProxy { addresses.leave(connection.peer) }
  }

  // MARK: Messages

  private mutating func takeMessages() {
    for message in mailbox.takeAll() {
      switch message {
      case .answer(let token, let response): deliver(.answer(response), to: token)
      case .wantBody(let token): deliver(.wantBody, to: token)
      case .stop: beginStop()
      }
    }
  }

  private mutating func deliver(_ message: Exchange.Message, to token: ConnectionToken) {
    guard let connection = connection(token), let exchange = connection.exchange else { return }
    exchange.message = message
    if connection.output == nil { advance(connection) }
  }

  private mutating func beginStop() {
    guard !isStopping else { return }
    isStopping = true
    drainDeadline = now + shared.times.drain
    // Who connected before the stop is still served.
    stopListening()
    for connection in connections {
      guard let connection, connection.output == nil else { continue }
      switch connection.phase {
      case .reading:
        receive(connection)
        if !connection.isClosed { advance(connection) }
      case .handshaking:
        // Nothing is asked for yet. Who means to has this long, not the whole time that a head may take.
        let number = connection.token.number
        setDeadline(connection, min(deadlines[number], now + shared.times.linger))
      // The answer is out, and the next one would not come.
      case .draining: beginLingering(connection)
      case .answering, .closing, .lingering, .closed: break
      }
    }
  }
}
