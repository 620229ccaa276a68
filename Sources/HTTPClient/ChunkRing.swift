internal import Platform
internal import Synchronization

/// The bounded way of a body from the engine's thread to its sink: at most `slots` chunks exist at any time, whether
/// being filled, waiting or being written. When all are taken the engine pauses the transfer.
final class ChunkRing: Sendable {
  /// Bytes in a full chunk.
  static let chunkSize = 256 << 10
  /// 1.5 MiB a transfer.
  static let slots = 6

  private enum Event {
    case head(ResponseHead)
    case chunk([UInt8])
    case end(@Sendable (_ wasStopped: Bool) -> Void)
  }

  private struct State {
    var events: [Event] = []
    var free: [[UInt8]] = []
    var outstanding = 0
    var isDraining = false
    var isStopped = false
    var isEngineWaiting = false
  }

  private let state = Mutex(State())
  private let sink: any TransferSink
  private let workers: WorkerThreads
  private let onRoom: @Sendable () -> Void
  private let onStop: @Sendable () -> Void

  /// `onRoom` is called when a chunk became free after `buffer` had none, `onStop` when the sink wants no more; both
  /// on a worker's thread.
  init(
    sink: any TransferSink, workers: WorkerThreads, onRoom: @escaping @Sendable () -> Void,
    onStop: @escaping @Sendable () -> Void
  ) {
    self.sink = sink
    self.workers = workers
    self.onRoom = onRoom
    self.onStop = onStop
  }

  /// An empty chunk to fill; nil when all are taken: `onRoom` will tell.
  func buffer() -> [UInt8]? {
    let taken = state.withLock { state -> [UInt8]? in
      guard state.outstanding < Self.slots else {
        state.isEngineWaiting = true
        return nil
      }
      state.outstanding += 1
      return state.free.isEmpty ? [] : state.free.removeFirst()
    }
    guard var taken else { return nil }
    taken.removeAll(keepingCapacity: true)
    taken.reserveCapacity(Self.chunkSize)
    return taken
  }

  func push(head: ResponseHead) { add(.head(head)) }

  /// Takes back a chunk that `buffer` gave.
  func push(chunk: [UInt8]) { add(.chunk(chunk)) }

  /// `then` is called after everything pushed before was delivered, or dropped because the sink wanted no more.
  func end(_ then: @escaping @Sendable (_ wasStopped: Bool) -> Void) { add(.end(then)) }

  private func add(_ event: Event) {
    let isFirst = state.withLock { state in
      state.events.append(event)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { workers.submit { self.drain() } }
  }

  /// Works off a few events, then queues again behind the other transfers.
  private func drain() {
    for _ in 0..<4 {
      let next = state.withLock { state -> (event: Event, isStopped: Bool)? in
        guard !state.events.isEmpty else {
          state.isDraining = false
          return nil
        }
        return (state.events.removeFirst(), state.isStopped)
      }
      guard let next else { return }
      switch next.event {
      case .head(let head):
        if !next.isStopped, !sink.accept(head) { stop() }
      case .chunk(let chunk):
        if !next.isStopped, !chunk.isEmpty, !sink.receive(chunk) { stop() }
        recycle(chunk)
      case .end(let then): then(next.isStopped)
      }
    }
    workers.submit { self.drain() }
  }

  private func stop() {
    state.withLock { $0.isStopped = true }
    onStop()
  }

  private func recycle(_ chunk: [UInt8]) {
    let wasWaiting = state.withLock { state in
      state.outstanding -= 1
      state.free.append(chunk)
      defer { state.isEngineWaiting = false }
      return state.isEngineWaiting
    }
    if wasWaiting { onRoom() }
  }
}
