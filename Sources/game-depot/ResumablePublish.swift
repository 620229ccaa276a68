import DepotModel
import HTTPClient
import Platform

/// Sends a package to a server as a resumable upload (tus 1.0.0). Where the line breaks it goes on by itself, so many
/// times in a row without getting on.
struct ResumablePublish {
  let engine: TransferEngine
  /// The server.
  let base: WebURL
  let token: BearerToken
  let file: File
  let size: Int64
  /// The fields of an upload by their names.
  let values: [String: String]
  let policy: RetryPolicy
  /// Told how many bytes are there, from any thread: it must be quick.
  let progress: @Sendable (Int64) -> Void
  /// Told of a failure before the next try.
  let note: @Sendable (String) -> Void
  private let timer = SystemRetryTimer()

  /// What became of the package.
  enum End {
    /// The server has no resumable uploads.
    case unsupported
    /// What `GET /uploads/{id}` tells of one that is over: published or refused.
    case over(FetchResponse)
    /// There is no upload, or it cannot go on.
    case refused(FetchResponse)
  }

  /// Failures since it last got on.
  private struct Setbacks {
    var count = 0
    var reached: Int64 = 0
  }

  private enum Creation {
    case begun(WebURL)
    case ended(End)
  }

  /// Throws what no further try mended.
  func run() async throws(TransferError) -> End {
    var setbacks = Setbacks()
    while true {
      do throws(TransferError) {
        switch try await create() {
        case .begun(let upload): return try await send(to: upload)
        case .ended(let end): return end
        }
      } catch {
        // 6 name not resolved, 7 no connection: more likely the wrong server than a bad line.
        if case .network(let code, _) = error, [6, 7].contains(code) { throw error }
        try await wait(after: error, &setbacks)
      }
    }
  }

  private func create() async throws(TransferError) -> Creation {
    guard let url = base.appending(["uploads"]) else { throw .badURL(base.text) }
    let metadata = values.sorted { $0.key < $1.key }.map {
      "\($0.key) \(Base64.encode(Array($0.value.utf8)))"
    }
    let response = try await ask(
      .post, url,
      [("Upload-Length", "\(size)"), ("Upload-Metadata", metadata.joined(separator: ","))])
    switch response.status {
    case 201:
      guard let text = response["Location"], let upload = url.resolving(text) else {
        throw .headMalformed("a new upload without its Location")
      }
      return .begun(upload)
    // 431: what is said of the package is too long for a head.
    case 404, 405, 431, 501: return .ended(.unsupported)
    default:
      if let failure = response.failure, failure.isRetryable { throw failure }
      return .ended(.refused(response))
    }
  }

  private func send(to upload: WebURL) async throws(TransferError) -> End {
    var setbacks = Setbacks()
    var next: Int64? = 0
    while true {
      do throws(TransferError) {
        let head = try await next == nil ? ask(.head, upload) : nil
        if let head, head.status != 200 || head["Upload-Offset"] == "\(size)" {
          if head.status == 200 || [409, 410, 422].contains(head.status) {
            return try await outcome(of: upload)
          }
          if [401, 403, 404].contains(head.status) { return .refused(head) }
          throw head.failure ?? .headMalformed("HEAD of an upload answered \(head.status)")
        }
        guard let offset = next ?? head?["Upload-Offset"].flatMap({ Int64($0) }), (0..<size).contains(offset)
        else { throw .headMalformed("an upload without an Upload-Offset") }
        next = nil
        if offset > setbacks.reached { setbacks = Setbacks(reached: offset) }
        guard setbacks.count <= policy.retries else { throw .headMalformed("an upload that does not get on") }
        progress(offset)
        if let end = try await send(from: offset, to: upload) { return end }
        setbacks.count += 1
      } catch { try await wait(after: error, &setbacks) }
    }
  }

  /// Sends all that is missing; nil where HEAD is to tell what became of it.
  private func send(from offset: Int64, to upload: WebURL) async throws(TransferError) -> End? {
    var request = UploadRequest(
      upload, file: file, contentType: "application/offset+octet-stream",
      fields: fields([("Upload-Offset", "\(offset)")]), authorization: token)
    request.method = .patch
    request.offset = offset
    let response = try await engine.upload(request, limit: 64 << 20) { [progress] sent in
      progress(offset + sent)
    }
    switch response.status {
    case 204: return nil  // Published, or a part of it taken.
    case 423, 460: throw response.failure ?? .headIncomplete
    // Another offset, or a verdict on the package.
    case 409, 410, 422: return nil
    default:
      if let failure = response.failure, failure.isRetryable { throw failure }
      return .refused(response)
    }
  }

  private func outcome(of upload: WebURL) async throws(TransferError) -> End {
    let response = try await ask(.get, upload)
    guard let failure = response.failure else { return .over(response) }
    throw failure
  }

  private func ask(
    _ method: FetchRequest.Method, _ url: WebURL, _ more: [(String, String)] = []
  ) async throws(TransferError) -> FetchResponse {
    try await engine.fetch(
      FetchRequest(method, url, fields: fields(more), authorization: token), limit: 64 << 20)
  }

  private func fields(_ more: [(String, String)]) -> [RequestField] {
    ([("Tus-Resumable", "1.0.0")] + more).compactMap { RequestField($0.0, $0.1) }
  }

  /// Waits as long as makes sense; throws `failure` where no further try does.
  private func wait(after failure: TransferError, _ setbacks: inout Setbacks) async throws(TransferError) {
    setbacks.count += 1
    var delay = policy.delay(beforeRetry: setbacks.count, after: failure, timer: timer)
    if case .status(let answer) = failure, [423, 460].contains(answer.status),
      setbacks.count <= policy.retries
    {
      delay = .seconds(1)
    }
    guard let delay else { throw failure }
    note("\(failure); trying again (\(setbacks.count) of \(policy.retries))")
    try await timer.wait(delay)
  }
}
