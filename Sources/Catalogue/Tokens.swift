public import DepotModel
internal import SQLite

/// What a token allows.
public enum TokenScope: String, Sendable, Hashable, CaseIterable {
  /// Reading, where reading needs a token.
  case read
  /// Uploading, and reading.
  case publish
  /// Everything.
  case admin

  /// Whether a token of this scope may do what `other` is needed for.
  public func includes(_ other: TokenScope) -> Bool {
    switch self {
    case .read: other == .read
    case .publish: other != .admin
    case .admin: true
    }
  }
}

/// A token as it is remembered: never the token itself.
public struct TokenRecord: Sendable, Hashable {
  /// Never another token's, even after this one is gone and its name is used again.
  public var id: Int64
  /// What people call it.
  public var name: String
  /// What it allows.
  public var scope: TokenScope
  /// The games that it may publish, where its scope lets it publish at all; nil for all.
  public var games: Set<GameID>?
  /// SHA-256 of the token.
  public var hash: [UInt8]
  /// When it was made.
  public var createdAt: Timestamp
  /// From when on it is refused; nil for never.
  public var expiresAt: Timestamp?
  /// When it was revoked; nil while it was not.
  public var revokedAt: Timestamp?
  /// When it was last accepted, as far as that was noted; nil while it was not.
  public var lastUsedAt: Timestamp?

  /// Whether it is accepted at `time`.
  public func isActive(at time: Timestamp) -> Bool {
    revokedAt == nil && expiresAt.map { time < $0 } ?? true
  }
}

extension Catalogue {
  /// Remembers a token by `hash`, the SHA-256 of it; nil `games` are all. Throws `tokenNameTaken` when an active token has that name.
  public func createToken(
    name: String, scope: TokenScope, games: Set<GameID>? = nil, expiresAt: Timestamp?, hash: [UInt8],
    actor: Author? = nil
  ) throws(CatalogueError) {
    let now = now
    let list = games.map { $0.sorted().map(\.text).joined(separator: " ") }
    try write { (session) throws(CatalogueError) in
      let holder = try session.first(
        TokenRecord.select + " WHERE name = ? AND revoked_at IS NULL", .text(name)
      ) { (row) throws(SQLiteError) in try TokenRecord(row) }
      if let holder {
        guard !holder.isActive(at: now) else { throw .tokenNameTaken(name) }
        // An expired token gives its name back.
        try session.run(
          "UPDATE tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL",
          .integer(now.seconds), .text(name))
      }
      try session.run(
        "INSERT INTO tokens (name, scope, games, hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
        .text(name), .text(scope.rawValue), Value(list), .blob(hash), .integer(now.seconds),
        Value(expiresAt?.seconds))
      try session.log(
        AuditEntry(
          action: .createToken, subject: name,
          detail: list.map { "\(scope.rawValue) \($0)" } ?? scope.rawValue), actor: actor, at: now)
    }
  }

  /// Every token ever made, in that order, revoked and expired ones too.
  public func tokens() throws(CatalogueError) -> [TokenRecord] {
    try read { (session) throws(CatalogueError) in
      try session.query(TokenRecord.select + " ORDER BY id") { (row) throws(SQLiteError) in
        try TokenRecord(row)
      }
    }
  }

  /// Revokes the token of that name; false when no unrevoked token has it.
  @discardableResult
  public func revokeToken(name: String, actor: Author? = nil) throws(CatalogueError) -> Bool {
    let now = now
    return try write { (session) throws(CatalogueError) in
      let count = try session.run(
        "UPDATE tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL", .integer(now.seconds),
        .text(name))
      guard count > 0 else { return false }
      try session.log(AuditEntry(action: .revokeToken, subject: name), actor: actor, at: now)
      return true
    }
  }

  /// The active token whose SHA-256 is `hash`; nil when there is none. The index finds it in a time that may depend
  /// on the hash, so the caller compares `TokenRecord.hash` once more in constant time.
  public func token(matching hash: [UInt8]) throws(CatalogueError) -> TokenRecord? {
    let record = try read { (session) throws(CatalogueError) in
      try session.first(TokenRecord.select + " WHERE hash = ?", .blob(hash)) {
        (row) throws(SQLiteError) in try TokenRecord(row)
      }
    }
    guard let record, record.isActive(at: now) else { return nil }
    return record
  }

  /// Notes when tokens, by their `id`, were last accepted. A time earlier than the one that is noted changes nothing.
  public func noteTokenUses(_ uses: [Int64: Timestamp]) throws(CatalogueError) {
    guard !uses.isEmpty else { return }
    try write { (session) throws(CatalogueError) in
      for (id, time) in uses {
        try session.run(
          "UPDATE tokens SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?",
          .integer(time.seconds), .integer(id), .integer(time.seconds))
      }
    }
  }
}

extension TokenRecord {
  fileprivate static let select =
    "SELECT name, scope, hash, created_at, expires_at, revoked_at, id, games, last_used_at FROM tokens"

  /// Nil when one of them is no id.
  private static func games(_ list: String) -> Set<GameID>? {
    let names = list.split(separator: " ")
    let games = Set(names.compactMap { GameID(String($0)) })
    return games.count == names.count ? games : nil
  }

  fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
    name = try row.text(0)
    scope = try row.parsed(1, TokenScope.init(rawValue:))
    hash = try row.blob(2)
    createdAt = Timestamp(seconds: try row.int(3))
    expiresAt = try row.optionalInt(4).map(Timestamp.init(seconds:))
    revokedAt = try row.optionalInt(5).map(Timestamp.init(seconds:))
    id = try row.int(6)
    games = try row.isNull(7) ? nil : row.parsed(7, Self.games)
    lastUsedAt = try row.optionalInt(8).map(Timestamp.init(seconds:))
  }
}
