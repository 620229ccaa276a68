internal import HTTPWire
internal import Synchronization

/// The bounded queue between a loop that reads a request's body and the task that wants it.
///
/// The loop reads only while it is asked to: not before the first `next()`, and not while the queue holds enough.
final class InboundBody: RequestBody {
  /// Bytes that may wait here. The reader has at most as many in its hands, so that a connection whose upload nobody
  /// takes on holds 64 KiB.
  static let capacity = 32 << 10
  private static let resumeBelow = capacity / 2

  private typealias Result = Swift.Result<[UInt8]?, RequestBodyError>

  private enum End {
    case whole
    case failed(RequestBodyError)
  }

  private struct State {
    /// One run of bytes: a piece for each read would be mostly overhead when they are tiny.
    var queued: [UInt8] = []
    var end: End?
    /// Only woken: what it is woken for is taken under the lock, as everything else.
    var waiter: CheckedContinuation<Void, Never>?
    /// The loop does not read; the next reader that could use bytes tells it to.
    var isPaused = true

    var hasSomething: Bool { !queued.isEmpty || end != nil }

    /// What a reader gets at once; nil if it has to wait.
    mutating func take() -> Result? {
      if !queued.isEmpty {
        var piece: [UInt8] = []
        swap(&piece, &queued)
        return .success(piece)
      }
      switch end {
      case .whole: return .success(nil)
      case .failed(let error): return .failure(error)
      case nil: return nil
      }
    }

    /// What may be read now.
    var room: Int { isPaused ? 0 : max(0, InboundBody.capacity - queued.count) }

    mutating func add(_ piece: [UInt8]) {
      guard !queued.isEmpty else {
        queued = piece
        return
      }
      // An array that grows by itself doubles.
      queued.reserveCapacity(max(InboundBody.capacity, queued.count + piece.count))
      queued += piece
    }

    /// Whether the loop is now to be told to read.
    mutating func resumes() -> Bool {
      guard isPaused, end == nil, queued.count < InboundBody.resumeBelow else { return false }
      isPaused = false
      return true
    }
  }

  private let state: Mutex<State>
  private let mailbox: Mailbox
  private let token: ConnectionToken

  /// A body that ends at once when `isEmpty`.
  init(isEmpty: Bool, mailbox: Mailbox, token: ConnectionToken) {
    state = Mutex(State(end: isEmpty ? .whole : nil))
    self.mailbox = mailbox
    self.token = token
  }

  func next() async throws(RequestBodyError) -> [UInt8]? {
    while true {
      let (ready, resumes) = state.withLock { state in (state.take(), state.resumes()) }
      if resumes { mailbox.post(.wantBody(token)) }
      if let ready { return try ready.get() }
      await somethingNew()
    }
  }

  /// Comes back when there is something to take.
  private func somethingNew() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        let isThere = state.hasSomething
        if !isThere { state.waiter = continuation }
        return isThere
      }
      if isThere { continuation.resume() }
    }
  }

  // MARK: The loop's side

  /// Hands over bytes that arrived, and returns how many more may be read now; 0 means to pause until told otherwise.
  func push(_ piece: [UInt8]) -> Int {
    guard !piece.isEmpty else { return room() }
    let (waiter, room) = state.withLock { state in
      state.add(piece)
      if state.queued.count >= Self.resumeBelow { state.isPaused = true }
      return (state.waiter.take(), state.room)
    }
    waiter?.resume()
    return room
  }

  /// How many bytes may be read now.
  func room() -> Int { state.withLock { $0.room } }

  /// Nothing follows.
  func finish() { end(.whole) }

  /// Nothing more can come.
  func fail(_ error: RequestBodyError) { end(.failed(error)) }

  private func end(_ end: End) {
    let waiter = state.withLock { state in
      if state.end == nil { state.end = end }
      return state.waiter.take()
    }
    waiter?.resume()
  }
}
