internal import Platform

/// One exchange as the engine's thread is asked for it.
struct TransferOrder: Sendable {
  /// What is sent.
  enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// So many bytes of a file from an offset on.
    case file(File, offset: Int64, size: Int64, progress: @Sendable (Int64) -> Void)

    var size: Int64? {
      switch self {
      case .none: nil
      case .bytes(let bytes): Int64(bytes.count)
      case .file(_, _, let size, _): size
      }
    }
  }

  /// Where the response's body goes.
  enum Delivery: Sendable {
    case memory(limit: Int)
    case ring(ChunkRing)
  }

  /// What came back, whatever the status.
  struct Receipt: Sendable {
    let head: ResponseHead
    /// Empty when a ring took it.
    let body: [UInt8]
    let received: Int64
  }

  let id: UInt64
  var method: FetchRequest.Method
  var url: WebURL
  var fields: [RequestField]
  var body: Body
  var delivery: Delivery
  /// For the whole exchange.
  var deadline: Duration?
  /// How long the answer may take after a body was sent; nil: the stall timeout.
  var answerTimeout: Duration?
  /// Called once, on any thread.
  var completion: @Sendable (Result<Receipt, TransferError>) -> Void

  /// Before downloads in the queue.
  var isUrgent: Bool {
    guard case .memory = delivery else { return false }
    return true
  }
}
