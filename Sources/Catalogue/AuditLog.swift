public import DepotModel
internal import SQLite

/// One line of the audit log: who and when are told beside it.
struct AuditEntry {
  enum Action: String {
    case publish
    case setChannel = "set-channel"
    case yank
    case editGame = "edit-game"
    case removeGame = "remove-game"
    case createToken = "create-token"
    case revokeToken = "revoke-token"
  }

  let action: Action
  /// A game's id or a token's name; never a token.
  let subject: String
  var version: H5Version?
  var channel: ChannelName?
  var detail: String?
}

extension Session {
  /// Writes a line, in the transaction of the change it tells of; nil is whoever runs a command.
  func log(_ entry: AuditEntry, actor: Author?, at time: Timestamp) throws(CatalogueError) {
    let author = actor ?? .commandLine
    try run(
      """
      INSERT INTO audit_log (at, actor, origin, action, subject, version, channel, detail)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(time.seconds), .text(author.name), .text(author.origin), .text(entry.action.rawValue),
      .text(entry.subject), Value(entry.version?.text), Value(entry.channel?.text), Value(entry.detail))
  }
}

/// A change that was made, as the audit log remembers it.
public struct AuditRecord: Sendable, Hashable {
  /// Later changes have higher numbers.
  public let id: Int64
  /// When it was made.
  public let at: Timestamp
  /// The name of the token that made it, or `cli`.
  public let actor: String
  /// From where, as `Author.origin`; nil for a change that older programs made.
  public let origin: String?
  /// `publish`, `set-channel`, `yank`, `edit-game`, `remove-game`, `create-token`, `revoke-token`, and what later
  /// programs add.
  public let action: String
  /// The game or the token that was changed.
  public let subject: String
  /// The version it was about.
  public let version: String?
  /// The channel it was about.
  public let channel: String?
  /// More, for a person.
  public let detail: String?
}

extension Catalogue {
  /// Changes, newest first, at most `limit` of them: those before the one numbered `id`, of the game with that id, made
  /// by the token of that name, as far as each is given.
  public func audit(
    before id: Int64? = nil, game: GameID? = nil, actor: String? = nil, limit: Int
  ) throws(CatalogueError) -> [AuditRecord] {
    let limit = Value.integer(Int64(limit))
    let before = Value.integer(id ?? .max)
    return try read { (session) throws(CatalogueError) in
      switch (game, actor) {
      case (nil, nil):
        try session.query(
          AuditRecord.select + " WHERE id < ? ORDER BY id DESC LIMIT ?", before, limit,
          as: AuditRecord.init)
      case (let game?, nil):
        try session.query(
          AuditRecord.select + AuditRecord.ofGame + " AND id < ? ORDER BY id DESC LIMIT ?", .text(game.text),
          before, limit, as: AuditRecord.init)
      case (nil, let actor?):
        try session.query(
          AuditRecord.select + " WHERE actor = ? AND id < ? ORDER BY id DESC LIMIT ?", .text(actor), before,
          limit, as: AuditRecord.init)
      case (let game?, let actor?):
        try session.query(
          AuditRecord.select + AuditRecord.ofGame + " AND actor = ? AND id < ? ORDER BY id DESC LIMIT ?",
          .text(game.text), .text(actor), before, limit, as: AuditRecord.init)
      }
    }
  }
}

extension AuditRecord {
  fileprivate static let select =
    "SELECT id, at, actor, origin, action, subject, version, channel, detail FROM audit_log"
  /// A token may be named like a game.
  fileprivate static let ofGame = " WHERE subject = ? AND action NOT IN ('create-token', 'revoke-token')"

  fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
    id = try row.int(0)
    at = Timestamp(seconds: try row.int(1))
    actor = try row.text(2)
    origin = try row.optionalText(3)
    action = try row.text(4)
    subject = try row.text(5)
    version = try row.optionalText(6)
    channel = try row.optionalText(7)
    detail = try row.optionalText(8)
  }
}
