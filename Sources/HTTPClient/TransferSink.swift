/// Where the body of a download goes.
///
/// Called on a worker thread, one call at a time and in the order things came; it may block, which holds back the
/// sender once the engine's ring of buffers for this transfer is full. Never called again after `download` returned.
/// False ends the transfer with `TransferError.stoppedByReceiver`; the sink remembers why.
public protocol TransferSink: AnyObject, Sendable {
  /// The head of a 2xx response; others never reach a sink. Nothing is delivered before this returns true.
  func accept(_ head: ResponseHead) -> Bool
  /// The next bytes of the body, never empty. What had come before a failure or a cancellation is delivered, too.
  func receive(_ chunk: [UInt8]) -> Bool
}
