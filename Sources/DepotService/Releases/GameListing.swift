internal import Catalogue
internal import DepotModel
internal import HTTPWire

/// `GET /games`: the games a channel holds, page by page, or what changed since a revision, now or as soon as something
/// does.
struct GameListing: Sendable {
  private let depot: Depot
  private let base: BaseURL
  private let channel: ChannelName
  private let limit: Int
  private let after: String?
  private let matching: String?
  private let since: Since?
  /// Seconds that the answer may be held back while nothing has changed; 0 to answer at once.
  let wait: Int
  private let parameters: Parameters

  /// Where a client stands: a revision, and of which catalogue if it says so.
  private struct Since: Sendable {
    let text: String
    let catalogue: String?
    /// Nil for a number larger than any revision can be.
    let revision: Int64?
  }

  init(_ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    base = try BaseURL(for: request, depot.settings.publicURL)
    parameters = try Parameters(request, ["channel", "limit", "after", "q", "since", "wait"])
    channel = try parameters.channel()
    limit = try parameters.limit()
    after = try parameters.after()
    matching = try parameters.text("q", upTo: 256)
    since = try parameters["since"].map(Self.since)
    let asked = try parameters.wait()
    if asked != nil, since == nil {
      throw .badField("wait", "wait needs since: without it there is always an answer.")
    }
    // A page that follows another is there already.
    wait = after == nil ? asked ?? 0 : 0
  }

  private static func since(_ text: String) throws(Problem) -> Since {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = parts.last ?? ""
    let catalogue = parts.count == 2 ? parts[0].lowercased() : nil
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      catalogue?.isEmpty != true
    else {
      throw .badField(
        "since", "since must be a revision that this depot told, alone or as <catalogue>:<revision>.")
    }
    return Since(text: text, catalogue: catalogue, revision: Int64(digits))
  }

  func answer() throws(Problem) -> Answer {
    guard since != nil else { return try page() }
    return try changesNow().answer
  }

  /// What changed since, and whether anything did.
  func changesNow() throws(Problem) -> (answer: Answer, isEmpty: Bool) {
    guard let since else { return (try page(), false) }
    if let catalogue = since.catalogue, catalogue != depot.catalogue.identity.lowercased() {
      throw Problem(
        .revisionGone, "That revision is another catalogue's: list everything once, then go on from there.")
    }
    guard let revision = since.revision else {
      throw Problem(
        .revisionGone, "That revision is ahead of this depot: list everything once, then go on from there.")
    }
    return try changes(since: revision)
  }

  private struct Page: Encodable {
    let catalogue: String
    let revision: Int64
    let games: [Game]
    let next: String?

    enum CodingKeys: CodingKey { case catalogue, revision, games, next }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(catalogue, forKey: .catalogue)
      try container.encode(revision, forKey: .revision)
      try container.encode(games, forKey: .games)
      try container.encode(next, forKey: .next)
    }
  }

  private func page() throws(Problem) -> Answer {
    if let after, GameID(after) == nil {
      throw .badField("after", "after must be the next of the page before.")
    }
    let page = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.games(channel: channel, after: after, limit: limit, matching: matching)
    }
    let body = Page(
      catalogue: depot.catalogue.identity, revision: page.revision,
      games: page.releases.map { Game($0, base) },
      next: page.next)
    return try Answer(json: body, cacheControl: base.cacheControl, fields: link(to: page.next))
  }

  private struct Changes: Encodable {
    let revision: Int64
    let changed: [Game]
    let removed: [GameID]
    let next: String?

    enum CodingKeys: CodingKey { case revision, changed, removed, next }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(revision, forKey: .revision)
      try container.encode(changed, forKey: .changed)
      try container.encode(removed, forKey: .removed)
      try container.encode(next, forKey: .next)
    }
  }

  private func changes(since revision: Int64) throws(Problem) -> (answer: Answer, isEmpty: Bool) {
    let page = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.changes(since: revision, channel: channel, after: after, limit: limit)
    }
    let body = Changes(
      revision: page.revision, changed: page.changed.map { Game($0, base) }, removed: page.removed,
      next: page.next)
    let answer = try Answer(json: body, cacheControl: base.cacheControl, fields: link(to: page.next))
    return (answer, page.changed.isEmpty && page.removed.isEmpty)
  }

  private func link(to next: String?) -> HTTPFields {
    next.map { ["Link": parameters.nextLink("\(base.text)/games", after: $0)] } ?? [:]
  }
}
