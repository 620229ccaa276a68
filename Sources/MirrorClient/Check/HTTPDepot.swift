public import DepotModel
public import HTTPClient

/// A depot behind its HTTP API.
public struct HTTPDepot: DepotSource {
  /// Games asked for in one page.
  static let pageSize = 1000
  /// Bytes of one page of games.
  static let pageLimit = 16 << 20
  /// Bytes of one manifest: 100,000 files at less than 1 KB.
  static let manifestLimit = 96 << 20

  /// Bytes of one `delta.json`: its patches take about 300 each.
  static let deltaLimit = 64 << 10

  /// One request and its answer: what a test replaces.
  typealias Get = @Sendable (WebURL, _ limit: Int) async throws(TransferError) -> (status: Int, body: [UInt8])

  private let server: WebURL
  private let get: Get

  /// The depot at `server`, asked through `engine`; failures that may pass are tried again as `retries` says.
  public init(
    server: WebURL, engine: TransferEngine, token: BearerToken?, retries: RetryPolicy, timer: any RetryTimer
  ) {
    self.init(server: server) { (url, limit) async throws(TransferError) in
      let request = FetchRequest(.get, url, authorization: token)
      let response = try await engine.fetch(request, limit: limit, retries: retries, timer: timer)
      return (response.status, response.body)
    }
  }

  init(server: WebURL, get: @escaping Get) {
    self.server = server
    self.get = get
  }

  /// The server's address.
  public var name: String { server.text }

  /// `GET /games`.
  public func listing(
    channel: ChannelName, after cursor: String?
  ) async throws(MirrorError) -> ListingPage {
    let (url, body) = try await page(channel: channel, since: nil, after: cursor)
    guard let body else { throw .badAnswer(url: url.text, reason: "status 410 to a listing") }
    return try read(url) { () throws(AnswerError) in try DepotAnswers.listing(body, server: server) }
  }

  /// `GET /games?since=`.
  public func changes(
    since point: CataloguePoint, channel: ChannelName, after cursor: String?
  ) async throws(MirrorError) -> ChangesAnswer {
    let (url, body) = try await page(channel: channel, since: point, after: cursor)
    guard let body else { return .gone }
    return .page(try read(url) { () throws(AnswerError) in try DepotAnswers.changes(body, server: server) })
  }

  /// `GET /games/{id}/versions/{v}/manifest`.
  public func manifest(of release: Release) async throws(MirrorError) -> UnpackingFacts {
    let (url, body) = try await manifestBody(of: release)
    return try read(url) { () throws(AnswerError) in try DepotAnswers.manifest(body, of: release) }
  }

  /// `GET /games/{id}/versions/{v}/manifest`.
  public func blocks(of release: Release) async throws(MirrorError) -> PackageBlocks? {
    let (url, body) = try await manifestBody(of: release)
    return try read(url) { () throws(AnswerError) in try DepotAnswers.blocks(body, of: release) }
  }

  /// `GET /games/{id}/versions/{v}/delta.json`.
  public func delta(of release: Release) async throws(MirrorError) -> DeltaOffer? {
    let url = try address(Self.path(of: release, "delta.json"), query: [])
    do {
      let answer = try await get(url, Self.deltaLimit)
      guard answer.status == 200 else { return nil }
      // Whatever is wrong with it, the manifest may be right.
      return try? DepotAnswers.delta(answer.body, of: release, at: url, server: server)
    } catch {
      switch error {
      case .cancelled: throw .cancelled
      case .network, .certificate, .headIncomplete, .bodyIncomplete, .stalled, .deadlineExceeded:
        throw .unreachable(url: url.text, reason: error.description)
      case .status, .tooLarge, .headTooLarge, .headMalformed, .unexpectedEncoding, .badURL, .redirectRefused,
        .tooManyRedirects, .stoppedByReceiver, .unreadable:
        return nil
      }
    }
  }

  private func manifestBody(of release: Release) async throws(MirrorError) -> (url: WebURL, body: [UInt8]) {
    let url = try address(Self.path(of: release, "manifest"), query: [])
    return (url, try await ask(url, limit: Self.manifestLimit, accepting: [200]).body)
  }

  private static func path(of release: Release, _ last: String) -> [String] {
    ["games", release.id.text, "versions", release.version.text, last]
  }

  /// Nil for 410.
  private func page(
    channel: ChannelName, since point: CataloguePoint?, after cursor: String?
  ) async throws(MirrorError) -> (url: WebURL, body: [UInt8]?) {
    var query: [(name: String, value: String)] = [
      (name: "channel", value: channel.text), (name: "limit", value: "\(Self.pageSize)"),
    ]
    if let point { query.append((name: "since", value: "\(point.catalogue):\(point.revision)")) }
    if let cursor { query.append((name: "after", value: cursor)) }
    let url = try address(["games"], query: query)
    let answer = try await ask(url, limit: Self.pageLimit, accepting: point == nil ? [200] : [200, 410])
    return (url, answer.status == 410 ? nil : answer.body)
  }

  private func address(
    _ segments: [String], query: [(name: String, value: String)]
  ) throws(MirrorError) -> WebURL {
    guard let url = server.appending(segments, query: query) else {
      throw .badAnswer(url: server.text, reason: "no URL can be made for \(segments.joined(separator: "/"))")
    }
    return url
  }

  private func ask(
    _ url: WebURL, limit: Int, accepting accepted: [Int]
  ) async throws(MirrorError) -> (status: Int, body: [UInt8]) {
    let answer: (status: Int, body: [UInt8])
    do {
      answer = try await get(url, limit)
    } catch {
      if error == .cancelled { throw .cancelled }
      if case .status(let failure) = error { throw Self.refusal(failure.status, url: url) }
      if case .tooLarge = error { throw .badAnswer(url: url.text, reason: error.description) }
      throw .unreachable(url: url.text, reason: error.description)
    }
    guard accepted.contains(answer.status) else { throw Self.refusal(answer.status, url: url) }
    return answer
  }

  private static func refusal(_ status: Int, url: WebURL) -> MirrorError {
    switch status {
    case 401, 403: .notPermitted(url: url.text, status: status)
    case 500...: .unreachable(url: url.text, reason: "status \(status)")
    default: .badAnswer(url: url.text, reason: "status \(status)")
    }
  }

  private func read<Value>(
    _ url: WebURL, _ body: () throws(AnswerError) -> Value
  ) throws(MirrorError) -> Value {
    do { return try body() } catch { throw .badAnswer(url: url.text, reason: error.reason) }
  }
}
