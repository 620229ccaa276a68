internal import HTTPWire
internal import Platform
internal import Synchronization

/// How other threads reach a loop: a list of messages and an eventfd that wakes it.
final class Mailbox: Sendable {
  /// What a loop is told.
  enum Message: Sendable {
    /// The answer to the request that a connection waits with.
    case answer(ConnectionToken, HTTPResponse)
    /// The reader of a connection's request body wants bytes.
    case wantBody(ConnectionToken)
    /// Accept nothing more and end when nothing runs any more.
    case stop
  }

  private struct State {
    var messages: [Message] = []
    var isClosed = false
  }

  let signal: EventSignal
  private let state = Mutex(State())
  /// What the loop has done until it last told.
  private let told = Mutex(TransportMetrics())
  /// When the loop was last seen at work, in milliseconds of the monotonic clock.
  private let seenAt = Atomic<Int64>(SystemClock.monotonicMilliseconds)

  init() throws(SystemError) { signal = try EventSignal() }

  /// Leaves a message; one for a loop that has ended is dropped.
  func post(_ message: Message) {
    let isFirst = state.withLock { state in
      guard !state.isClosed else { return false }
      state.messages.append(message)
      return state.messages.count == 1
    }
    // Who is not first knows that the loop is woken already: it takes all messages after it cleared the signal.
    if isFirst { signal.signal() }
  }

  /// The messages since the last call.
  func takeAll() -> [Message] {
    signal.clear()
    return state.withLock { state in
      var messages: [Message] = []
      swap(&messages, &state.messages)
      return messages
    }
  }

  /// The loop is at work, and this is what it has done.
  func note(_ metrics: TransportMetrics, now: Int64) {
    seenAt.store(now, ordering: .relaxed)
    told.withLock { $0 = metrics }
  }

  /// What the loop has done until about a second ago.
  var metrics: TransportMetrics { told.withLock { $0 } }

  /// When it was last.
  var lastSeen: Int64 { seenAt.load(ordering: .relaxed) }

  /// The loop ends: no more messages are taken.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.messages = []
    }
  }
}

/// Names a connection of a loop. The generation keeps what comes late from reaching another connection that got the
/// same descriptor.
struct ConnectionToken: Hashable, Sendable {
  /// As the poller carries it; generation 0 is the loop's own descriptors.
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  init(number: Int32, generation: UInt32) {
    bits = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: number))
  }

  var number: Int { Int(bits & 0xffff_ffff) }
  var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
}
