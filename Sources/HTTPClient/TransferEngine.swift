/// The one user of libcurl in a program: a thread that owns a multi handle and a pool of easy handles.
///
/// Any number of tasks may call it at once; at most `settings.maximumConnections` transfers run, the others wait in
/// order, fetches before downloads. Redirects (RFC 9110 §15.4) are followed for GET and HEAD, at most five, to http and
/// https, never from https to http, and without the token when they leave its origin.
public final class TransferEngine: Sendable {
  /// What it was made with.
  public let settings: HTTPClientSettings

  /// Starts the thread. Throws `network` when libcurl cannot start, `certificate` when `caFile` cannot be read.
  public init(_ settings: HTTPClientSettings) throws(TransferError) {
    self.settings = settings
  }

  /// Ends every transfer with `cancelled`, now and from now on. Returns at once; for a thread that handles signals.
  public func stop() {
  }

  /// Stops, and returns when the thread has ended and its connections are closed. Also done when the engine goes.
  public func shutdown() {
  }

  /// Connections made so far, for figures and tests.
  public var connectionsMade: Int { 0 }

  /// One exchange in memory. Any final status is an answer; the errors are those of the way to it.
  /// `limit`: bytes of the body (decoded) that are taken; more is `tooLarge`.
  public func fetch(_ request: FetchRequest, limit: Int) async throws(TransferError) -> FetchResponse {
    throw .cancelled
  }

  /// A GET into `sink`. Returns after a 2xx whose body was delivered; another status is thrown.
  /// Cancelling the task ends the transfer; what came until then is still delivered before this throws.
  public func download(
    _ request: DownloadRequest, sink: some TransferSink
  ) async throws(TransferError) -> TransferOutcome {
    throw .cancelled
  }

  /// Sends a file. `progress` is told the bytes sent so far, on the engine's thread: it must be quick.
  public func upload(
    _ request: UploadRequest, limit: Int, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(TransferError) -> FetchResponse {
    throw .cancelled
  }
}
