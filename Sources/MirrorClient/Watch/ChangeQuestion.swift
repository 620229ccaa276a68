internal import DepotModel
internal import HTTPClient

/// Asks a depot whether something changed, and to wait with its answer until then.
struct ChangeQuestion: Sendable {
  private let server: WebURL
  private let engine: TransferEngine
  private let token: BearerToken?
  private let channel: ChannelName
  private let point: CataloguePoint

  init(
    server: WebURL, engine: TransferEngine, token: BearerToken?, channel: ChannelName, point: CataloguePoint
  ) {
    self.server = server
    self.engine = engine
    self.token = token
    self.channel = channel
    self.point = point
  }

  /// Seconds that an answer may take, when a connection that stands still is given up after `stallTimeout`.
  static func longest(_ stallTimeout: Duration) -> Int { Int(min(60, stallTimeout / .seconds(1)) * 0.8) }

  /// One question; throws `cancelled` only.
  func ask(wait: Int) async throws(TransferError) -> ChangeWait.Answer {
    let query: [(name: String, value: String)] = [
      (name: "channel", value: channel.text), (name: "limit", value: "1"),
      (name: "since", value: "\(point.catalogue):\(point.revision)"), (name: "wait", value: "\(wait)"),
    ]
    guard let url = server.appending(["games"], query: query) else { return .failed }
    let answer: FetchResponse
    do throws(TransferError) {
      answer = try await engine.fetch(
        FetchRequest(.get, url, authorization: token), limit: HTTPDepot.pageLimit)
    } catch {
      if error == .cancelled { throw error }
      return .failed
    }
    // The depot no longer knows what changed since then: a sync asks for everything.
    if answer.status == 410 { return .changed }
    guard answer.status == 200, let page = try? DepotAnswers.changes(answer.body, server: server) else {
      return .failed
    }
    return page.revision != point.revision || !page.changed.isEmpty || !page.removed.isEmpty
      ? .changed : .nothing
  }
}
