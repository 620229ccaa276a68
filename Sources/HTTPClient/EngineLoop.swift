internal import CCurl
internal import Platform

/// What the engine's thread does: take what is asked, move bytes, finish what is done, start what waits, sleep.
final class EngineLoop {
  private struct Running {
    let transfer: Transfer
    let easy: EasyHandle
  }

  private let settings: HTTPClientSettings
  private let caFile: String?
  private let multi: MultiHandle
  private let mailbox: Mailbox
  private var idle: [EasyHandle] = []
  private var handlesMade = 0
  private var running: [UInt: Running] = [:]
  private var urgent: [TransferOrder] = []
  private var waiting: [TransferOrder] = []
  private let limiter: RateLimiter?
  /// Transfers that the limit holds back, the one that waits longest first.
  private var throttled: [UInt] = []

  init(settings: HTTPClientSettings, caFile: String?, multi: MultiHandle, mailbox: Mailbox) {
    self.settings = settings
    self.caFile = caFile
    self.multi = multi
    self.mailbox = mailbox
    limiter = settings.rateLimit.map {
      RateLimiter($0, now: SystemClock.monotonicMilliseconds) { SystemClock.localMinuteOfDay }
    }
  }

  /// Returns after a shutdown, when everything was ended and told.
  func run() {
    while true {
      let batch = mailbox.take()
      handle(batch)
      if batch.isShutDown { break }
      start()
      multi.perform()
      admitThrottled()
      let hasFinished = finishDone()
      checkTimes()
      if hasFinished, !urgent.isEmpty || !waiting.isEmpty { continue }
      multi.poll(milliseconds: sleepTime())
    }
    mailbox.close()
    idle = []
  }

  private func handle(_ batch: Mailbox.Batch) {
    for order in batch.orders {
      if order.isUrgent { urgent.append(order) } else { waiting.append(order) }
    }
    for (id, reason) in batch.cancelled { cancel(id, reason) }
    for id in batch.unpaused {
      guard let entry = running.values.first(where: { $0.transfer.order.id == id }), entry.transfer.isPaused
      else {
        continue
      }
      unpause(entry)
    }
    guard batch.isStopped else { return }
    for order in urgent + waiting { order.completion(.failure(.cancelled)) }
    urgent = []
    waiting = []
    for entry in Array(running.values) { abort(entry, .cancelled) }
  }

  /// Lets those go on that the limit held back, in turn, as long as it allows.
  private func admitThrottled() {
    guard let limiter else { return }
    for entry in running.values
    where entry.transfer.isThrottled && !throttled.contains(entry.easy.identity) {
      throttled.append(entry.easy.identity)
    }
    for identity in throttled {
      guard limiter.admits(now: SystemClock.monotonicMilliseconds) else { return }
      throttled.removeFirst()
      if let entry = running[identity], entry.transfer.isThrottled { unpause(entry) }
    }
  }

  private func unpause(_ entry: Running) {
    entry.transfer.unpaused(now: SystemClock.monotonicMilliseconds)
    entry.easy.unpause()
  }

  private func cancel(_ id: UInt64, _ reason: TransferError) {
    if let entry = running.values.first(where: { $0.transfer.order.id == id }) {
      abort(entry, reason)
    } else if let index = urgent.firstIndex(where: { $0.id == id }) {
      urgent.remove(at: index).completion(.failure(reason))
    } else if let index = waiting.firstIndex(where: { $0.id == id }) {
      waiting.remove(at: index).completion(.failure(reason))
    }
  }

  private func start() {
    while !urgent.isEmpty || !waiting.isEmpty, let easy = idleHandle() {
      let order = urgent.isEmpty ? waiting.removeFirst() : urgent.removeFirst()
      let transfer = Transfer(order, limiter, now: SystemClock.monotonicMilliseconds)
      easy.prepare(for: transfer, settings: settings, caFile: caFile)
      guard multi.add(easy) else {
        easy.clear()
        idle.append(easy)
        order.completion(.failure(.network(code: 2, text: "libcurl refused the transfer")))
        continue
      }
      running[easy.identity] = Running(transfer: transfer, easy: easy)
    }
  }

  private func idleHandle() -> EasyHandle? {
    if let easy = idle.popLast() { return easy }
    guard handlesMade < settings.maximumConnections, let easy = EasyHandle() else { return nil }
    handlesMade += 1
    return easy
  }

  private func finishDone() -> Bool {
    var hasFinished = false
    while let (identity, code) = multi.nextFinished() {
      guard let entry = running[identity] else { continue }
      finish(entry, code: code)
      hasFinished = true
    }
    return hasFinished
  }

  private func checkTimes() {
    let now = SystemClock.monotonicMilliseconds
    for entry in Array(running.values) {
      entry.transfer.flushIfOld(now: now)
      if let error = entry.transfer.overdue(now: now, stallTimeout: settings.stallTimeout) {
        abort(entry, error)
      }
    }
  }

  private func sleepTime() -> Int32 {
    let now = SystemClock.monotonicMilliseconds
    var next = Int64.max
    if let limiter, running.values.contains(where: \.transfer.isThrottled) {
      next = limiter.nextAdmission(now: now)
    }
    for entry in running.values {
      next = min(next, entry.transfer.nextCheck(stallTimeout: settings.stallTimeout))
    }
    guard next < .max else { return 60_000 }
    return Int32(clamping: min(60_000, max(0, next - now + 1)))
  }

  private func abort(_ entry: Running, _ error: TransferError) {
    entry.transfer.fail(error)
    finish(entry, code: CURLE_ABORTED_BY_CALLBACK)
  }

  private func finish(_ entry: Running, code: CURLcode) {
    let transfer = entry.transfer
    mailbox.count(connections: entry.easy.connectionsMade)
    let result = self.result(of: entry, code: code)
    running[entry.easy.identity] = nil
    multi.remove(entry.easy)
    entry.easy.clear()
    idle.append(entry.easy)
    transfer.flush(now: SystemClock.monotonicMilliseconds)
    let completion = transfer.order.completion
    if case .ring(let ring) = transfer.order.delivery {
      // The last bytes may have come before the sink could say that it wants no more.
      ring.end { wasStopped in
        completion(wasStopped ? result.flatMap { _ in .failure(.stoppedByReceiver) } : result)
      }
    } else {
      completion(result)
    }
  }

  private func result(of entry: Running, code: CURLcode) -> Result<TransferOrder.Receipt, TransferError> {
    let transfer = entry.transfer
    if let failure = transfer.failure { return .failure(failure) }
    if code != CURLE_OK && !transfer.hasEnough {
      return .failure(TransferError(code: code, text: entry.easy.text(for: code)))
    }
    guard let head = transfer.collector.head else { return .failure(.headIncomplete) }
    return .success(TransferOrder.Receipt(head: head, body: transfer.memory, received: transfer.received))
  }
}

extension TransferError {
  init(code: CURLcode, text: String) {
    let number = Int32(bitPattern: code.rawValue)
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      self = .certificate(code: number, text: text)
    case CURLE_URL_MALFORMAT: self = .badURL(text)
    // URLs of other schemes do not come this far: libcurl says so of an answer that is no HTTP of a version it knows.
    case CURLE_UNSUPPORTED_PROTOCOL: self = .headMalformed(text)
    default: self = .network(code: number, text: text)
    }
  }
}
