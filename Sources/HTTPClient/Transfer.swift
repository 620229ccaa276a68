internal import Platform

/// A transfer that runs: what libcurl's callbacks work on. Belongs to the engine's thread.
final class Transfer {
  /// Bytes of an error's body that are kept.
  static let problemLimit = 64 << 10

  /// What to do with bytes libcurl offers.
  enum Verdict { case taken, pause, abort }

  let order: TransferOrder
  /// Why a callback gave up; what libcurl says then means nothing.
  private(set) var failure: TransferError?
  private(set) var received: Int64 = 0
  private(set) var isPaused = false
  /// Paused for the limit's sake.
  private(set) var isThrottled = false
  private(set) var memory: [UInt8] = []
  /// A body that nobody wants goes on past what is kept of it.
  private(set) var hasEnough = false
  var collector = HeadCollector()
  var stall: StallClock
  let startedAt: Int64

  private let limiter: RateLimiter?
  private var chunk: [UInt8]?
  private var spare: [[UInt8]] = []
  private var lastPush: Int64
  private var sent: Int64 = 0

  init(_ order: TransferOrder, _ limiter: RateLimiter?, now: Int64) {
    self.order = order
    self.limiter = limiter
    startedAt = now
    lastPush = now
    stall = StallClock(now: now)
  }

  // MARK: What libcurl calls

  /// One header line; false ends the transfer.
  func take(line: [UInt8], now: Int64) -> Bool {
    switch collector.take(line) {
    case .more: return true
    case .tooLarge:
      failure = .headTooLarge(limit: HeadCollector.limit)
      return false
    case .malformed(let what):
      failure = .headMalformed(what)
      return false
    case .complete(let head):
      stall.restart(now: now)
      guard case .ring(let ring) = order.delivery, head.isSuccess else { return true }
      if let coding = head["Content-Encoding"], coding.lowercased() != "identity" {
        failure = .unexpectedEncoding(coding)
        return false
      }
      ring.push(head: head)
      return true
    }
  }

  /// Bytes of the body: all of them or none.
  func take(body: borrowing Span<UInt8>, now: Int64) -> Verdict {
    guard let head = collector.head else {
      // RFC 9112 §4: what has no head is no response of HTTP/1.
      failure = .headIncomplete
      return .abort
    }
    switch order.delivery {
    case .memory(let limit):
      guard memory.count + body.count <= limit else {
        failure = .tooLarge(limit: limit)
        return .abort
      }
      memory.append(body)
    case .ring(let ring) where head.isSuccess:
      if let limiter, !limiter.admits(now: now) {
        isThrottled = true
        stall.hold()
        return .pause
      }
      guard reserve(body.count, in: ring) else {
        isPaused = true
        stall.hold()
        return .pause
      }
      fill(body, ring: ring, now: now)
    case .ring:
      let room = Self.problemLimit - memory.count
      guard body.count <= room else {
        hasEnough = true
        return .abort
      }
      memory.append(body)
    }
    received += Int64(body.count)
    limiter?.took(body.count)
    stall.moved(body.count, now: now)
    return .taken
  }

  /// The next bytes to send, none at the end; nil ends the transfer.
  func give(atMost count: Int, now: Int64) -> [UInt8]? {
    let bytes: [UInt8]
    switch order.body {
    case .none: return []
    case .bytes(let whole):
      let start = min(Int(sent), whole.count)
      bytes = Array(whole[start..<min(start + count, whole.count)])
    case .file(let file, let offset, let size, _):
      let wanted = Int(min(Int64(count), size - sent))
      guard wanted > 0 else { return [] }
      do throws(SystemError) {
        bytes = try file.bytes(at: offset + sent, count: wanted)
      } catch {
        failure = .unreadable(error)
        return nil
      }
      guard bytes.count == wanted else {
        failure = .unreadable(
          .unexpectedEnd(of: file))
        return nil
      }
    }
    sent += Int64(bytes.count)
    stall.moved(bytes.count, now: now)
    if case .file(_, _, _, let progress) = order.body { progress(sent) }
    return bytes
  }

  /// libcurl starts sending over, on another connection say.
  func seek(to offset: Int64) -> Bool {
    guard let size = order.body.size, (0...size).contains(offset) else { return false }
    sent = offset
    return true
  }

  // MARK: What the engine calls

  /// The ring has room again, or the limit.
  func unpaused(now: Int64) {
    isPaused = false
    isThrottled = false
    stall.restart(now: now)
  }

  /// Ends it from outside; the first reason stays.
  func fail(_ error: TransferError) {
    if failure == nil { failure = error }
  }

  /// What is wrong with the time it takes; nil when nothing is.
  func overdue(now: Int64, stallTimeout: Duration) -> TransferError? {
    if let deadline = order.deadline, now - startedAt >= deadline.milliseconds {
      return .deadlineExceeded(deadline)
    }
    let limit = patience(stallTimeout)
    return stall.isStalled(now: now, limit: limit.milliseconds) ? .stalled(after: limit) : nil
  }

  /// When `overdue` or `flushIfOld` may have something to say next.
  func nextCheck(stallTimeout: Duration) -> Int64 {
    var next = stall.nextCheck(limit: patience(stallTimeout).milliseconds) ?? .max
    if let deadline = order.deadline { next = min(next, startedAt + deadline.milliseconds) }
    if let chunk, !chunk.isEmpty { next = min(next, lastPush + Self.flushAfter) }
    return next
  }

  /// Hands on a chunk that fills too slowly to wait for.
  func flushIfOld(now: Int64) {
    guard let chunk, !chunk.isEmpty, now - lastPush >= Self.flushAfter else { return }
    flush(now: now)
  }

  /// Hands on what there is.
  func flush(now: Int64) {
    guard case .ring(let ring) = order.delivery else { return }
    lastPush = now
    guard let chunk = chunk.take() else { return }
    ring.push(chunk: chunk)
  }

  /// Milliseconds.
  private static let flushAfter: Int64 = 500

  private func patience(_ stallTimeout: Duration) -> Duration {
    guard let answerTimeout = order.answerTimeout, let size = order.body.size, sent >= size else {
      return stallTimeout
    }
    return max(answerTimeout, stallTimeout)
  }

  private func reserve(_ count: Int, in ring: ChunkRing) -> Bool {
    var room = (chunk.map { ChunkRing.chunkSize - $0.count } ?? 0) + spare.count * ChunkRing.chunkSize
    while room < count {
      guard let next = ring.buffer() else { return false }
      spare.append(next)
      room += ChunkRing.chunkSize
    }
    return true
  }

  private func fill(_ body: borrowing Span<UInt8>, ring: ChunkRing, now: Int64) {
    var done = 0
    while done < body.count {
      var current = chunk.take() ?? spare.removeFirst()
      let part = min(ChunkRing.chunkSize - current.count, body.count - done)
      current.append(body.extracting(done..<done + part))
      done += part
      if current.count == ChunkRing.chunkSize {
        ring.push(chunk: current)
        lastPush = now
      } else {
        chunk = current
      }
    }
  }
}

extension Duration {
  /// Whole milliseconds, bounded so that sums of two never overflow.
  var milliseconds: Int64 {
    let parts = components
    guard parts.seconds < 1 << 40 else { return 1 << 50 }
    return max(0, parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000)
  }
}
