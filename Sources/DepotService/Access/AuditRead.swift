public import Catalogue
internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// `GET /audit`: who changed what, newest first; for admins.
struct AuditRead: Sendable {
  private let depot: Depot
  private let limit: Int
  private let after: Int64?
  private let game: GameID?
  private let actor: String?

  init(_ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    depot = handler.depot
    _ = try handler.access.authorise(request, for: .admin)
    let parameters = try Parameters(request, ["limit", "after", "game", "actor"])
    limit = try parameters.limit()
    after = try parameters.afterNumber()
    actor = try parameters.text("actor", upTo: 64)
    game = try parameters.text("game", upTo: 128).map { (text) throws(Problem) in
      guard let id = GameID(text) else { throw .badField("game", "game must be a game's id.") }
      return id
    }
  }

  func answer() throws(Problem) -> Answer {
    // One more tells whether there is another page.
    var records = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.audit(before: after, game: game, actor: actor, limit: limit + 1)
    }
    let isLast = records.count <= limit
    if !isLast { records.removeLast() }
    return try Answer(
      json: AuditReport(records, next: isLast ? nil : records.last.map { "\($0.id)" }),
      cacheControl: "private, no-cache", isShared: false)
  }
}

/// Lines of the audit log in the contract's form.
public struct AuditReport: Sendable, Encodable {
  private let entries: [Entry]
  private let next: String?

  /// `next` is the cursor of the page that follows; nil after the last.
  public init(_ records: [AuditRecord], next: String?) {
    entries = records.map { Entry(record: $0) }
    self.next = next
  }

  /// One JSON object: `entries` and `next`.
  public var json: [UInt8] {
    // Encoding strings and numbers cannot fail.
    (try? JSON.encode(self)) ?? []
  }

  private enum CodingKeys: CodingKey { case entries, next }

  /// Written by hand because the last page has `null` for its cursor, not a missing member.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entries, forKey: .entries)
    try container.encode(next, forKey: .next)
  }

  private struct Entry: Sendable, Encodable {
    let record: AuditRecord

    enum CodingKeys: CodingKey { case id, at, actor, from, action, subject, h5Version, channel, detail }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(record.id, forKey: .id)
      try container.encode("\(record.at)", forKey: .at)
      try container.encode(record.actor, forKey: .actor)
      try container.encode(record.origin, forKey: .from)
      try container.encode(record.action, forKey: .action)
      try container.encode(record.subject, forKey: .subject)
      try container.encode(record.version, forKey: .h5Version)
      try container.encode(record.channel, forKey: .channel)
      try container.encode(record.detail, forKey: .detail)
    }
  }
}
