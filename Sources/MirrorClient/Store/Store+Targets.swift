internal import DepotModel
internal import HTTPClient
internal import SQLite

extension Store {
  /// What a server's answer changes.
  struct Offers: Sendable {
    /// All there is, rather than what changed.
    var isComplete: Bool
    /// Nil when a part of the answer could not be read: the next sync asks for everything it may have missed.
    var point: CataloguePoint?
    /// The catalogue as it was seen last.
    var seen: CataloguePoint?
    var channel: String
    var scope: String
    var offered: [Release]
    var removed: [GameID]
    /// Games that are there but could not be read: what is known of them stays.
    var unreadable: Set<String>
  }

  /// Takes an answer over, in one transaction. Every game in it, and every game when the scope has changed, will be
  /// looked at; with `looksAtAll` so will all others.
  func apply(_ offers: Offers, looksAtAll: Bool) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        if looksAtAll { try database.run("UPDATE targets SET is_in_step = 0 WHERE is_in_step = 1") }
        if offers.isComplete {
          let present = Set(offers.offered.map(\.id.text)).union(offers.unreadable)
          let known = try database.query("SELECT game_id FROM targets") { (row) throws(SQLiteError) in
            try row.text(0)
          }
          for id in known where !present.contains(id) {
            try database.run("DELETE FROM targets WHERE game_id = ?", .text(id))
          }
        }
        for id in offers.removed { try database.run("DELETE FROM targets WHERE game_id = ?", .text(id.text)) }
        for release in offers.offered {
          try database.run(
            """
            INSERT INTO targets (game_id, title, version, url, sha256, md5, size, published_at, mandatory,
              min_host_version, notes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (game_id) DO UPDATE SET title = excluded.title, version = excluded.version,
              url = excluded.url, sha256 = excluded.sha256, md5 = excluded.md5, size = excluded.size,
              published_at = excluded.published_at, mandatory = excluded.mandatory,
              min_host_version = excluded.min_host_version, notes = excluded.notes, is_in_step = 0
            """,
            .text(release.id.text), .text(release.title), .text(release.version.text),
            .text(release.url.text),
            .text(release.sha256.hex), .text(release.md5.hex), .integer(release.size),
            .text(release.publishedAt.description), Value(release.mandatory), Value(release.minHostVersion),
            Value(release.notes))
        }
        try database.run(
          """
          UPDATE mirror SET catalogue = ?, revision = ?, channel = ?, scope = ?, seen_catalogue = ?, seen_revision = ?
          WHERE id = 1
          """,
          Value(offers.point?.catalogue), Value(offers.point?.revision), .text(offers.channel),
          .text(offers.scope), Value(offers.seen?.catalogue), Value(offers.seen?.revision))
      }
    }
  }

  /// The games that are not known to be in step, in the order of their names.
  func pendingTargets() throws(MirrorError) -> [Release] {
    try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        """
        SELECT game_id, title, version, url, sha256, md5, size, published_at FROM targets
        WHERE is_in_step = 0 ORDER BY game_id
        """
      ) { (row) throws(SQLiteError) in
        Release(
          id: try row.parsed(0) { GameID($0) }, title: try row.text(1),
          version: try row.parsed(2) { H5Version($0) },
          url: try row.parsed(3) { WebURL($0) }, sha256: try row.parsed(4) { SHA256Digest(hex: $0) },
          md5: try row.parsed(5) { MD5Digest(hex: $0) }, size: try row.int(6),
          publishedAt: try row.parsed(7) { Timestamp($0) })
      }
    }
  }

  /// Whether the server has a game of this name.
  func hasTarget(_ id: GameID) throws(MirrorError) -> Bool {
    try withDatabase { (database) throws(SQLiteError) in
      try database.first("SELECT 1 FROM targets WHERE game_id = ?", .text(id.text)) {
        (row) throws(SQLiteError) in
        try row.int(0)
      } != nil
    }
  }

  /// What the server offers of these games stands on disk.
  func markInStep(_ ids: [GameID]) throws(MirrorError) {
    guard !ids.isEmpty else { return }
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        for id in ids {
          try database.run(
            "UPDATE targets SET is_in_step = 1, error = NULL WHERE game_id = ?", .text(id.text))
        }
      }
    }
  }

  /// What the server offers of these games is to be looked at.
  func markOutOfStep(_ ids: [GameID]) throws(MirrorError) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        for id in ids {
          try database.run("UPDATE targets SET is_in_step = 0 WHERE game_id = ?", .text(id.text))
        }
      }
    }
  }

  /// Keeps why a game is not in step, for `status`.
  func noteFailure(_ id: GameID, _ error: MirrorError) throws(MirrorError) {
    _ = try withDatabase { (database) throws(SQLiteError) in
      try database.run(
        "UPDATE targets SET error = ? WHERE game_id = ?", .text(error.description), .text(id.text))
    }
  }

  /// What the server offers, by game, and why the mirror is not in step with it.
  func targetSummaries() throws(MirrorError) -> [String: (version: String, isInStep: Bool, error: String?)] {
    try withDatabase { (database) throws(SQLiteError) in
      var summaries: [String: (version: String, isInStep: Bool, error: String?)] = [:]
      try database.rows("SELECT game_id, version, is_in_step, error FROM targets") {
        (row) throws(SQLiteError) in
        summaries[try row.text(0)] = (try row.text(1), try row.bool(2), try row.optionalText(3))
      }
      return summaries
    }
  }

  /// What the server offered last of a game; nil when it offers none.
  func targetVersion(of id: GameID) throws(MirrorError) -> H5Version? {
    try withDatabase { (database) throws(SQLiteError) in
      try database.first("SELECT version FROM targets WHERE game_id = ?", .text(id.text)) {
        (row) throws(SQLiteError) in try row.parsed(0) { H5Version($0) }
      }
    }
  }

  /// The digests whose partial downloads may still be of use, in hex.
  func wantedDigests() throws(MirrorError) -> Set<String> {
    let digests = try withDatabase { (database) throws(SQLiteError) in
      try database.query(
        "SELECT sha256 FROM targets WHERE is_in_step = 0 UNION SELECT sha256 FROM journal"
      ) { (row) throws(SQLiteError) in try row.text(0) }
    }
    return Set(digests)
  }
}
