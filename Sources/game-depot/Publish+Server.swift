import CommandOptions
import DepotModel
import DepotService
import HTTPClient
import Platform

/// `publish --server`.
extension Publish {
  /// What the server says of an upload: the findings, and of a refusal what is wrong.
  private struct Answer: Decodable {
    struct Finding: Decodable {
      let rule: String
      let severity: String
      let path: String?
      let detail: String
    }

    struct Problem: Decodable {
      let status: Int
      let title: String?
      let detail: String?
      let findings: [Finding]?
    }

    // Of a resumable upload.
    let state: String?
    let isNew: Bool?
    let problem: Problem?
    // Of a refusal, and of an upload in one piece.
    let title: String?
    let detail: String?
    let findings: [Finding]?
  }

  func publish(to server: String) async throws -> Int32 {
    guard let base = WebURL(server) else {
      throw UsageError.badValue(source: "--server", value: server, expected: "an http or https URL")
    }
    guard let token = BearerToken(try token(), for: base.origin) else {
      throw Failure(Failure.usage, "the token is empty or holds characters that no token has")
    }
    let retries = try settings.integer("retries", in: 0...1000) ?? 8
    var client = HTTPClientSettings.standard
    client.caFile = settings.string("cacert")
    let engine = try TransferEngine(client)
    defer { engine.shutdown() }
    let size = try file.size
    let bar = isQuiet ? nil : UploadBar("\(fields.gameID) \(fields.version)", size: size)
    defer { bar?.clear() }
    do {
      let upload = ResumablePublish(
        engine: engine, base: base, token: token, file: file, size: size, values: values,
        policy: .standard(retries: retries), progress: { bar?.show($0) },
        note: { [isQuiet] text in
          bar?.clear()
          if !isQuiet { Terminal.write("game-depot: \(text)\n", to: .error) }
        })
      switch try await upload.run() {
      case .over(let response):
        bar?.clear()
        return try end(response)
      case .refused(let response):
        bar?.clear()
        throw refusal(response.status, response.body)
      case .unsupported:
        let response = try await publishAtOnce(base, token, engine, bar)
        bar?.clear()
        return try endAtOnce(response)
      }
    } catch let error as TransferError {
      bar?.clear()
      if case .status(let failure) = error { throw refusal(failure.status, failure.body) }
      throw Failure(Failure.unavailable, "\(base): \(error)")
    }
  }

  /// `POST /games`, for a server without resumable uploads.
  private func publishAtOnce(
    _ base: WebURL, _ token: BearerToken, _ engine: TransferEngine, _ bar: UploadBar?
  ) async throws(TransferError) -> FetchResponse {
    let query = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    guard let url = base.appending(["games"], query: query) else { throw .badURL(base.text) }
    return try await engine.upload(
      UploadRequest(url, file: file, authorization: token), limit: 64 << 20, progress: { bar?.show($0) })
  }

  private func end(_ response: FetchResponse) throws -> Int32 {
    guard let answer = Self.answer(response.body), let state = answer.state else {
      throw Failure(Failure.unavailable, "the server does not tell what became of the upload")
    }
    if state == "published" {
      warn(answer.findings ?? [], isPublished: true)
      tell(isNew: answer.isNew ?? true)
      return 0
    }
    guard let problem = answer.problem else {
      throw Failure(Failure.unavailable, "the server gave the upload up: it is \(state)")
    }
    warn(problem.findings ?? [], isPublished: false)
    throw failure(problem.status, problem.title, problem.detail, hasFindings: problem.findings != nil)
  }

  private func endAtOnce(_ response: FetchResponse) throws -> Int32 {
    guard response.status / 100 == 2 else { throw refusal(response.status, response.body) }
    warn(Self.answer(response.body)?.findings ?? [], isPublished: true)
    tell(isNew: response.status == 201)
    return 0
  }

  private func refusal(_ status: Int, _ body: [UInt8]) -> Failure {
    let answer = Self.answer(body)
    warn(answer?.findings ?? [], isPublished: false)
    return failure(status, answer?.title, answer?.detail, hasFindings: answer?.findings != nil)
  }

  private static func answer(_ body: [UInt8]) -> Answer? {
    try? JSON.decode(Answer.self, from: body)  // A proxy's error page is no JSON.
  }

  private func warn(_ findings: [Answer.Finding], isPublished: Bool) {
    for finding in findings where !isPublished || isWorthTelling(finding.severity, finding.path) {
      warn(rule: finding.rule, path: finding.path, detail: finding.detail)
    }
  }

  /// The detail of a refusal repeats the findings, which are told by now.
  private func failure(_ status: Int, _ title: String?, _ detail: String?, hasFindings: Bool) -> Failure {
    let detail = hasFindings ? "\(title ?? ""): nothing was published" : detail
    let code =
      switch status {
      case 401, 403: Failure.notPermitted
      case 400: Failure.usage
      case 409, 413, 415, 422: Failure.data
      case 507: Failure.cannotCreate
      default: Failure.unavailable
      }
    return Failure(code, detail ?? title ?? "the server answered \(status)")
  }
}
