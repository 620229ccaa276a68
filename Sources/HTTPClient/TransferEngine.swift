internal import Platform

/// The one user of libcurl in a program: a thread that owns a multi handle and a pool of easy handles.
///
/// Any number of tasks may call it at once; at most `settings.maximumConnections` transfers run, the others wait in
/// order, fetches before downloads. Redirects (RFC 9110 §15.4) are followed for GET and HEAD, at most five, to http and
/// https, never from https to http, and without the token when they leave its origin.
public final class TransferEngine: Sendable {
  /// What it was made with.
  public let settings: HTTPClientSettings

  private let mailbox: Mailbox
  private let thread: PosixThread
  private let workers: WorkerThreads

  /// Redirects that are followed for one request.
  static let redirectLimit = 5

  /// Starts the threads. Throws `network` when libcurl or the system cannot start them.
  public init(_ settings: HTTPClientSettings) throws(TransferError) {
    guard Curl.initialised == 0,
      let multi = MultiHandle(connections: settings.maximumConnections)
    else {
      throw .network(code: 2, text: "libcurl cannot start")
    }
    self.settings = settings
    let mailbox = Mailbox(multi)
    // libcurl reads the proxy variables by itself, this one not.
    let caFile = settings.caFile ?? Self.variable("SSL_CERT_FILE")
    do throws(SystemError) {
      workers = try WorkerThreads(count: Self.workerCount(settings), name: "body")
      thread = try PosixThread(name: "transfers") {
        EngineLoop(settings: settings, caFile: caFile, multi: multi, mailbox: mailbox).run()
      }
    } catch {
      throw .network(code: 2, text: error.description)
    }
    self.mailbox = mailbox
  }

  deinit {
    mailbox.stop(shutDown: true)
    thread.join()
  }

  /// Ends every transfer with `cancelled`, now and from now on. Returns at once; for a thread that handles signals.
  public func stop() { mailbox.stop(shutDown: false) }

  /// Stops, and returns when the thread has ended and its connections are closed. Also done when the engine goes.
  public func shutdown() {
    mailbox.stop(shutDown: true)
    thread.join()
    workers.shutdown()
  }

  /// Connections made so far, for figures and tests.
  public var connectionsMade: Int { mailbox.connectionsMade }

  /// Threads that hand bodies to sinks: as many as there are processors, but not more than connections.
  public var workerCount: Int { Self.workerCount(settings) }

  /// The variable's value; nil when unset or empty.
  private static func variable(_ name: String) -> String? {
    ThisProcess.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func workerCount(_ settings: HTTPClientSettings) -> Int {
    min(settings.maximumConnections, ResourceLimits.processors)
  }

  /// One exchange in memory. Any final status is an answer; the errors are those of the way to it.
  /// `limit`: bytes of the body (decoded) that are taken; more is `tooLarge`.
  public func fetch(_ request: FetchRequest, limit: Int) async throws(TransferError) -> FetchResponse {
    let isSafe = request.method == .get || request.method == .head
    let body: TransferOrder.Body = isSafe ? .none : request.body.map { .bytes($0) } ?? .none
    let (receipt, url) = try await follow(
      request.url, fields: request.fields, authorization: request.authorization,
      limit: isSafe ? Self.redirectLimit : 0,
      deadline: request.deadline
    ) { [mailbox] url, fields, deadline in
      TransferOrder(
        id: mailbox.nextID(), method: request.method, url: url, fields: fields, body: body,
        delivery: .memory(limit: limit), deadline: deadline, completion: { _ in }
      )
    }
    return FetchResponse(head: receipt.head, body: receipt.body, url: url)
  }

  /// A GET into `sink`. Returns after a 2xx whose body was delivered; another status is thrown.
  /// Cancelling the task ends the transfer; what came until then is still delivered before this throws.
  public func download(
    _ request: DownloadRequest, sink: some TransferSink
  ) async throws(TransferError) -> TransferOutcome {
    let (receipt, url) = try await follow(
      request.url, fields: request.fields, authorization: request.authorization, limit: Self.redirectLimit,
      deadline: request.deadline
    ) { [mailbox, workers] url, fields, deadline in
      let id = mailbox.nextID()
      let ring = ChunkRing(
        sink: sink, workers: workers, onRoom: { mailbox.unpause(id) },
        onStop: { mailbox.cancel(id, .stoppedByReceiver) }
      )
      return TransferOrder(
        id: id, method: .get, url: url, fields: fields, body: .none, delivery: .ring(ring),
        deadline: deadline,
        completion: { _ in }
      )
    }
    guard receipt.head.isSuccess else {
      throw .status(StatusFailure(head: receipt.head, body: receipt.body, url: url.text))
    }
    return TransferOutcome(head: receipt.head, bytesReceived: receipt.received, url: url)
  }

  /// Sends a file, or its end. `progress` is told the bytes sent so far, on the engine's thread: it must be quick.
  public func upload(
    _ request: UploadRequest, limit: Int, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(TransferError) -> FetchResponse {
    let size: Int64
    do throws(SystemError) { size = try request.file.size - request.offset } catch {
      throw .unreadable(error)
    }
    guard size >= 0 else { throw .unreadable(.unexpectedEnd(of: request.file)) }
    guard let type = RequestField("Content-Type", request.contentType),
      let expect = RequestField("Expect", "100-continue")
    else { throw .badURL("Content-Type: \(request.contentType)") }
    let (receipt, url) = try await follow(
      request.url, fields: request.fields + [type, expect], authorization: request.authorization, limit: 0,
      deadline: nil
    ) { [mailbox] url, fields, deadline in
      TransferOrder(
        id: mailbox.nextID(), method: request.method, url: url, fields: fields,
        body: .file(request.file, offset: request.offset, size: size, progress: progress),
        delivery: .memory(limit: limit),
        deadline: deadline,
        answerTimeout: request.answerTimeout, completion: { _ in }
      )
    }
    return FetchResponse(head: receipt.head, body: receipt.body, url: url)
  }

  /// Repeats a request at the place each redirect names; the last answer is the result.
  private func follow(
    _ start: WebURL, fields: [RequestField], authorization: BearerToken?, limit: Int, deadline: Duration?,
    order: (WebURL, [RequestField], Duration?) -> TransferOrder
  ) async throws(TransferError) -> (TransferOrder.Receipt, WebURL) {
    let startedAt = SystemClock.monotonicMilliseconds
    var url = start
    for hop in 0...limit {
      var fields = fields
      if let authorization, authorization.origin == url.origin { fields.append(authorization.field) }
      let left = deadline.map { $0 - .milliseconds(SystemClock.monotonicMilliseconds - startedAt) }
      let receipt = try await perform(order(url, fields, left))
      guard limit > 0, let location = Redirect.location(in: receipt.head) else { return (receipt, url) }
      guard let next = Redirect.target(of: location, from: url) else {
        throw .redirectRefused(from: url.text, to: location)
      }
      guard hop < limit else { throw .tooManyRedirects(next.text) }
      url = next
    }
    throw .tooManyRedirects(url.text)
  }

  private func perform(_ order: TransferOrder) async throws(TransferError) -> TransferOrder.Receipt {
    let id = order.id
    let result: Result<TransferOrder.Receipt, TransferError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        var order = order
        order.completion = { continuation.resume(returning: $0) }
        guard mailbox.post(order) else {
          continuation.resume(returning: .failure(.cancelled))
          return
        }
        // A cancellation from before the order was posted found nothing to cancel.
        if Task.isCancelled { mailbox.cancel(id, .cancelled) }
      }
    } onCancel: {
      mailbox.cancel(id, .cancelled)
    }
    return try result.get()
  }
}
