internal import HTTPWire
internal import Platform

extension EventLoop {
  /// Readers that wait at a time before further ones get little of the kernel's memory. It queues up to 4 MiB for each,
  /// which is cheap for one that reads; but some hundred that do not would use up what there is for all of TCP.
  static var crowd: Int { 32 }
  /// Bytes queued ahead for a reader in a crowd.
  static var crowdUnsent: Int32 { 128 << 10 }

  // MARK: Making answers

  /// Answers a request that needed more than a moment or had a body.
  mutating func answer(_ connection: Connection, _ exchange: Exchange, _ response: HTTPResponse) {
    guard case .answering = connection.phase else { return }
    // A body that has come whole by now needs no reading away.
    if !connection.saved.isEmpty, !exchange.isWhole, !exchange.isBroken {
      let taken = exchange.take(connection.saved, 0..<connection.saved.count, discarding: true)
      connection.saved = Array(connection.saved[taken...])
    }
    connection.hasUnparsed = !connection.saved.isEmpty
    exchange.isReading = false
    let rest = exchange.rest
    connection.phase = .reading
    if rest != .drained { connection.exchange = nil }
    answer(connection, exchange.request, response, rest: rest, startedAt: exchange.startedAt)
    if rest == .abandoned { exchange.fail(.disconnected) }
  }

  /// Puts an answer into the output.
  mutating func answer(
    _ connection: Connection, _ request: HTTPRequest, _ response: HTTPResponse, rest: Exchange.Rest,
    startedAt: Int64
  ) {
    let keeps = request.isKeepAlive && !response.closesConnection && rest != .abandoned && !isStopping
    out.append(response.head)
    out.append(stamp.dateAndIDField)
    if request.has(.requestID) {
      out.append(Array(request.id.utf8))
    } else {
      IdentifierSource.append(request.generatedID, to: &out)
    }
    out.append(ends.end(of: request, isLast: !keeps))
    var copied = 0
    if !request.isHead, response.hasBody {
      if case .bytes(let bytes) = response.body, bytes.count <= OutputBuffer.copiedBody {
        out.append(bytes)
        copied = bytes.count
      } else {
        connection.enqueue(response.body)
      }
    }
    if !keeps {
      // A client that said it would close sends nothing more; any other may, and must not get a reset for it.
      let lingers = request.isKeepAlive || rest != .nothing || !connection.saved.isEmpty
      connection.phase = .closing(lingers: lingers)
    } else if rest == .drained {
      connection.phase = .draining(hasBegun: false)
    }
    if startedAt == wokenAt {
      counters.count(kind: response.kind, status: response.status.code)
    } else {
      counters.count(kind: response.kind, status: response.status.code, after: shared.stopwatch() - startedAt)
    }
    if log != nil { note(connection, request, status: response.status.code, bytes: copied, startedAt) }
  }

  /// Answers a request that came before, byte for byte.
  mutating func answer(_ connection: Connection, _ known: RepeatedRequest) {
    let id = identifiers.next()
    out.append(known.start)
    out.append(stamp.dateAndIDField)
    IdentifierSource.append(id, to: &out)
    out.append(known.end)
    // As in the other `answer`: a client that said it would close sends nothing more.
    if known.isLast { connection.phase = .closing(lingers: !connection.saved.isEmpty) }
    counters.count(kind: known.kind, status: known.status)
    // Nothing waited to be sent before it (see `serve`), and nothing of it will, as far as the log is concerned.
    log?.append(known, to: connection.peer, id: id, startedAt: wokenAt, stamp)
  }

  /// Writes the log line of an answer, or remembers what is to stand there once it is sent. Never inlined: it copies the
  /// request, for which `answer` would make room, and a copy, also where there is no log.
  @inline(never)
  private mutating func note(
    _ connection: Connection, _ request: HTTPRequest, status: Int, bytes: Int, _ startedAt: Int64
  ) {
    if connection.output == nil {
      log?.append(AccessLogEntry(request, status: status, bytes: bytes), startedAt: startedAt, stamp)
    } else {
      connection.logged = LoggedAnswer(
        request: request.detached(), status: status, startedAt: startedAt,
        bodyStart: connection.sent + Int64(out.count))
    }
  }

  /// Answers what is no request, and closes. RFC 9110 §9.3.2: to what asks for a head only that is sent.
  mutating func refuse(_ connection: Connection, _ refusal: HTTPRefusal, isHead: Bool = false) {
    let response = handler.response(to: refusal)
    let id = identifiers.next()
    var body: [UInt8] = []
    if case .bytes(let bytes) = response.body, response.hasBody, !isHead { body = bytes }
    out.append(response.head)
    out.append(stamp.dateAndIDField)
    IdentifierSource.append(id, to: &out)
    out.append(ends.closing)
    out.append(body)
    counters.count(kind: response.kind, status: response.status.code)
    connection.saved = []
    connection.hasUnparsed = false
    connection.phase = .closing(lingers: true)
    let entry = AccessLogEntry(id, peer: connection.peer, status: response.status.code, bytes: body.count)
    log?.append(entry, startedAt: wokenAt, stamp)
  }

  // MARK: Sending them

  /// Sends what waits of a connection's answers; false when something is left, or the connection is lost.
  mutating func send(_ connection: Connection) -> Bool {
    guard !out.isEmpty || connection.output != nil else { return !connection.isClosed }
    if waitingReaders >= Self.crowd, !connection.isUnsentLimited {
      connection.isUnsentLimited = true
      connection.transport.limitUnsent(to: Self.crowdUnsent)
    }
    let wasWaiting = out.isEmpty
    guard sendOut(connection), sendPieces(connection) else {
      guard !connection.isClosed else { return false }
      if !wasWaiting || connection.armed != .output {
        connection.sendWindowStart = connection.sent - Int64(connection.transport.unacknowledged)
        setDeadline(connection, now + shared.times.send)
      }
      arm(connection, .output)
      return false
    }
    if wasWaiting { restartClocks(connection) }
    finishLog(of: connection)
    return true
  }

  private mutating func sendOut(_ connection: Connection) -> Bool {
    guard !out.isEmpty else { return true }
    defer { out.removeAll() }
    switch sendOutAndBytes(connection) {
    case .moved(let count):
      connection.sent += Int64(count)
      counters.sent &+= UInt64(count)
      if count > out.count { connection.consumeOutput(count - out.count) }
      guard count < out.count else { return true }
      connection.enqueueFirst(out.copy(from: count))
      return false
    case .wouldBlock:
      connection.enqueueFirst(out.copy(from: 0))
      return false
    case .failed:
      close(connection)
      return false
    }
  }

  /// Sends the output buffer, in one call with bytes that wait right behind it.
  private func sendOutAndBytes(_ connection: Connection) -> Socket.Transfer {
    guard let output = connection.output else { return out.send(through: connection.transport, more: false) }
    guard case .bytes(let bytes, let start) = output.first else {
      return out.send(through: connection.transport, more: true)
    }
    let end = min(bytes.count, start + connection.transport.sendBudget)
    let more = end < bytes.count || !output.isLast
    return out.send(bytes.span.extracting(start..<end), through: connection.transport, more: more)
  }

  private mutating func sendPieces(_ connection: Connection) -> Bool {
    var budget = connection.transport.sendBudget
    while let output = connection.output {
      guard budget > 0 else { return false }
      let (result, wanted) = sendFirst(of: output, connection, budget)
      switch result {
      case .moved(let count) where count > 0:
        connection.sent += Int64(count)
        counters.sent &+= UInt64(count)
        connection.consumeOutput(count)
        budget -= count
        guard count == wanted else { return false }
      case .wouldBlock: return false
      case .moved:
        shared.logger.error("A file being sent is shorter than it was.")
        abort(connection)
        return false
      case .failed:
        abort(connection)
        return false
      }
    }
    return true
  }

  private mutating func sendFirst(
    of output: OutputQueue, _ connection: Connection, _ budget: Int
  ) -> (Socket.Transfer, wanted: Int) {
    switch output.first {
    case .bytes(let bytes, let start):
      let count = min(bytes.count - start, budget)
      let part = bytes.span.extracting(start..<start + count)
      return (connection.transport.send(part, more: !output.isLast), count)
    case .file(let file, let offset, let left):
      let count = Int(min(left, Int64(budget)))
      return (connection.transport.sendFile(file, at: offset, count: count, through: &fileBuffer), count)
    }
  }

  /// Closes so that the client cannot take what it has for the whole answer.
  mutating func abort(_ connection: Connection) {
    connection.transport.resetOnClose()
    close(connection, isAborted: true)
  }

  /// Writes the log line of an answer that took several turns.
  mutating func finishLog(of connection: Connection) {
    guard let logged = connection.logged else { return }
    connection.logged = nil
    let bytes = Int(max(0, connection.sent - logged.bodyStart))
    let entry = AccessLogEntry(logged.request, status: logged.status, bytes: bytes)
    log?.append(entry, startedAt: logged.startedAt, stamp)
  }
}

extension HTTPResponse {
  /// RFC 9110 §6.4.1: 1xx, 204 and 304 end with their head.
  var hasBody: Bool { status.code >= 200 && status.code != 204 && status.code != 304 }
}

extension HTTPRequest {
  var isHead: Bool {
    if case .head = method { true } else { false }
  }
}
