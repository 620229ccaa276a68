internal import DepotModel
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
  /// Writes a line, in the transaction of the change it tells of.
  func log(_ entry: AuditEntry, actor: String?, at time: Timestamp) throws(CatalogueError) {
    try run(
      """
      INSERT INTO audit_log (at, actor, action, subject, version, channel, detail)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(time.seconds), .text(actor ?? "cli"), .text(entry.action.rawValue), .text(entry.subject),
      Value(entry.version?.text), Value(entry.channel?.text), Value(entry.detail))
  }
}
