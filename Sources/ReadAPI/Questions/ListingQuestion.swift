package import DepotModel
package import HTTPWire

/// `GET /games` as it was asked: the games a channel holds, page by page, or what changed since a revision.
package struct ListingQuestion: Sendable {
  package let base: BaseURL
  package let channel: ChannelName
  /// Games a page.
  package let limit: Int
  /// The cursor of the page before.
  package let after: String?
  /// A part of the id or the title.
  package let matching: String?
  package let since: Since?
  /// Seconds that the answer may be held back while nothing has changed; 0 to answer at once.
  package let wait: Int
  private let parameters: Parameters

  /// Where a client stands: a revision, and of which catalogue if it says so.
  package struct Since: Sendable {
    let catalogue: String?
    /// Nil for a number larger than any revision can be.
    let revision: Int64?

    /// The revision to go on from in the catalogue `identity`. Throws `revision-gone` for that of another, and for one that no
    /// catalogue ever comes to.
    package func revision(in identity: String) throws(Problem) -> Int64 {
      if let catalogue, catalogue != identity.lowercased() {
        throw Problem(
          .revisionGone, "That revision is another catalogue's: list everything once, then go on from there.")
      }
      guard let revision else {
        throw Problem(
          .revisionGone, "That revision is ahead of this depot: list everything once, then go on from there.")
      }
      return revision
    }
  }

  /// Throws `bad-field`, `bad-request` and `bad-host`.
  package init(_ request: HTTPRequest, _ publicURL: PublicURL?) throws(Problem) {
    base = try BaseURL(for: request, publicURL)
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
    return Since(catalogue: catalogue, revision: Int64(digits))
  }

  /// The id after which the page of games begins; nil for the first.
  package func afterGame() throws(Problem) -> GameID? {
    guard let after else { return nil }
    guard let id = GameID(after) else { throw Self.badCursor }
    return id
  }

  package static let badCursor = Problem.badField("after", "after must be the next of the page before.")

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

  /// A page of games; `next` is the cursor of the one that follows.
  package func page(
    of games: [Game], catalogue: String, revision: Int64, next: String?
  ) throws(Problem) -> Answer {
    try Answer(
      json: Page(catalogue: catalogue, revision: revision, games: games, next: next),
      cacheControl: base.cacheControl, fields: link(to: next))
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

  /// A page of changes; `next` is the cursor of the one that follows.
  package func changes(
    _ changed: [Game], removed: [GameID], revision: Int64, next: String?
  ) throws(Problem) -> Answer {
    try Answer(
      json: Changes(revision: revision, changed: changed, removed: removed, next: next),
      cacheControl: base.cacheControl, fields: link(to: next))
  }

  private func link(to next: String?) -> HTTPFields {
    next.map { ["Link": parameters.nextLink("\(base.text)/games", after: $0)] } ?? [:]
  }
}
