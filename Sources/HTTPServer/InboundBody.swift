internal import HTTPWire
internal import Synchronization

/// The bounded queue between a loop that reads a request's body and the task that wants it.
///
/// The loop reads only while it is asked to: not before the first `next()`, and not while the queue holds enough.
final class InboundBody: RequestBody {
  /// Bytes that may wait here.
  static let capacity = 64 << 10
  private static let resumeBelow = capacity / 2

  private typealias Result = Swift.Result<[UInt8]?, RequestBodyError>

  private enum End {
    case whole
    case failed(RequestBodyError)
  }

  private struct State {
    var pieces: [[UInt8]] = []
    var queued = 0
    var end: End?
    var waiter: CheckedContinuation<Result, Never>?
    /// The loop does not read; the next reader that could use bytes tells it to.
    var isPaused = true

    /// What a reader gets at once; nil if it has to wait.
    mutating func take() -> Result? {
      if !pieces.isEmpty {
        let piece = pieces.removeFirst()
        queued -= piece.count
        return .success(piece)
      }
      switch end {
      case .whole: return .success(nil)
      case .failed(let error): return .failure(error)
      case nil: return nil
      }
    }

    /// Whether the loop is now to be told to read.
    mutating func resumes() -> Bool {
      guard isPaused, end == nil, queued < InboundBody.resumeBelow else { return false }
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
    let (ready, resumes) = state.withLock { state in
      let ready = state.take()
      return (ready, ready == nil ? false : state.resumes())
    }
    if resumes { mailbox.post(.wantBody(token)) }
    if let ready { return try ready.get() }
    return try await waited().get()
  }

  private func waited() async -> Result {
    await withCheckedContinuation { continuation in
      let (ready, resumes) = state.withLock { state -> (Result?, Bool) in
        if let ready = state.take() { return (ready, state.resumes()) }
        state.waiter = continuation
        return (nil, state.resumes())
      }
      if resumes { mailbox.post(.wantBody(token)) }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  // MARK: The loop's side

  /// Hands over bytes that arrived, and returns how many more may be read now; 0 means to pause until told otherwise.
  func push(_ piece: [UInt8]) -> Int {
    guard !piece.isEmpty else { return room() }
    let (waiter, room) = state.withLock { state -> (CheckedContinuation<Result, Never>?, Int) in
      if let waiter = state.waiter {
        state.waiter = nil
        return (waiter, Self.capacity)
      }
      state.pieces.append(piece)
      state.queued += piece.count
      if state.queued >= Self.resumeBelow { state.isPaused = true }
      return (nil, state.isPaused ? 0 : Self.capacity - state.queued)
    }
    waiter?.resume(returning: .success(piece))
    return room
  }

  /// How many bytes may be read now.
  func room() -> Int { state.withLock { $0.isPaused ? 0 : Self.capacity - $0.queued } }

  /// Nothing follows.
  func finish() { end(.whole) }

  /// Nothing more can come.
  func fail(_ error: RequestBodyError) { end(.failed(error)) }

  private func end(_ end: End) {
    let woken = state.withLock { state -> (CheckedContinuation<Result, Never>, Result)? in
      if state.end == nil { state.end = end }
      guard let waiter = state.waiter, let result = state.take() else { return nil }
      state.waiter = nil
      return (waiter, result)
    }
    if let (waiter, result) = woken { waiter.resume(returning: result) }
  }
}
