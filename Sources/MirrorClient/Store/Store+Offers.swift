internal import DepotModel
internal import SQLite
internal import ZipArchive

/// What the mirror hands on, each question answered from one committed state: versions whose packages are kept.
extension Store {
  /// Whether the store is of a version of this program that kept a catalogue of its own.
  func keepsOffers() throws(MirrorError) -> Bool {
    try withDatabase { (database) throws(SQLiteError) in
      try database.first("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'offering'") {
        (row) throws(SQLiteError) in try row.int(0)
      } != nil
    }
  }

  /// Reads in one state of the store, which comes with it.
  private func offering<Value: Sendable>(
    _ read: @Sendable (Database) throws(SQLiteError) -> Value
  ) throws(MirrorError) -> (state: MirrorOffers.State, value: Value) {
    try withDatabase { (database) throws(SQLiteError) in
      try database.transaction(.read) { () throws(SQLiteError) in
        let state = try database.first(
          """
          SELECT o.catalogue, o.revision, m.channel FROM offering AS o JOIN mirror AS m ON m.id = 1 WHERE o.id = 1
          """
        ) { (row) throws(SQLiteError) in
          MirrorOffers.State(
            point: CataloguePoint(catalogue: try row.text(0), revision: try row.int(1)),
            channel: try row.optionalText(2).flatMap { ChannelName($0) } ?? .stable)
        }
        return (state ?? .empty, try read(database))
      }
    }
  }

  func offeringState() throws(MirrorError) -> MirrorOffers.State {
    try offering { (_) throws(SQLiteError) in }.state
  }

  /// The versions in use of games after `id`, by id, one more than `limit` when there are more.
  func offers(
    after id: GameID?, limit: Int, matching text: String?
  ) throws(MirrorError) -> (state: MirrorOffers.State, offers: [MirrorOffers.Offer]) {
    let match =
      text == nil
      ? "" : "AND (instr(lower(i.game_id), lower(?2)) > 0 OR instr(lower(i.title), lower(?2)) > 0)"
    let found = try offering { (database) throws(SQLiteError) in
      try database.query(
        """
        \(Self.offerColumns) WHERE i.is_current = 1 AND i.has_package = 1 AND i.game_id > ?1 \(match)
        ORDER BY i.game_id LIMIT ?3
        """, [.text(id?.text ?? ""), .text(text ?? ""), .integer(Int64(limit) + 1)], as: Self.offer)
    }
    return (found.state, found.value)
  }

  /// What changed after a revision and, within one, after a game; one more than `limit` when there is more.
  func offerChanges(
    after place: MirrorOffers.Place, limit: Int
  ) throws(MirrorError) -> (state: MirrorOffers.State, changes: [MirrorOffers.Change]) {
    let found = try offering { (database) throws(SQLiteError) in
      let rows = try database.query(
        """
        SELECT game_id, revision, is_removed FROM offers WHERE (revision, game_id) > (?, ?)
        ORDER BY revision, game_id LIMIT ?
        """, .integer(place.revision), .text(place.game), .integer(Int64(limit) + 1)
      ) { (row) throws(SQLiteError) in
        (id: try row.parsed(0) { GameID($0) }, revision: try row.int(1), isRemoved: try row.bool(2))
      }
      var changes: [MirrorOffers.Change] = []
      for row in rows {
        let offer =
          row.isRemoved
          ? nil
          : try database.first(
            "\(Self.offerColumns) WHERE i.game_id = ? AND i.is_current = 1 AND i.has_package = 1",
            .text(row.id.text), as: Self.offer)
        changes.append(
          MirrorOffers.Change(
            place: MirrorOffers.Place(revision: row.revision, game: row.id.text), id: row.id, offer: offer))
      }
      return changes
    }
    return (found.state, found.value)
  }

  /// All versions of games, and which of the games were here once.
  func offeredVersions(
    of ids: [GameID]
  ) throws(MirrorError) -> (state: MirrorOffers.State, games: [GameID: MirrorOffers.Versions]) {
    let found = try offering { (database) throws(SQLiteError) in
      var games: [GameID: MirrorOffers.Versions] = [:]
      for id in ids {
        let versions = try database.query(
          "\(Self.offerColumns) WHERE i.game_id = ? AND i.has_package = 1", .text(id.text), as: Self.offer)
        let isGone = try database.first(
          "SELECT 1 FROM offers WHERE game_id = ? AND is_removed = 1", .text(id.text)
        ) { (row) throws(SQLiteError) in try row.int(0) }
        games[id] = MirrorOffers.Versions(all: versions, isRemoved: isGone != nil)
      }
      return games
    }
    return (found.state, found.value)
  }

  private static let offerColumns = """
    SELECT i.game_id, i.title, i.version, i.sha256, i.md5, i.size, i.is_current, i.installed_at, i.published_at,
      i.mandatory, i.min_host_version, i.notes, o.moved_at, f.root, f.names_encoding
    FROM installed AS i LEFT JOIN offers AS o ON o.game_id = i.game_id
      LEFT JOIN installed_files AS f ON f.game_id = i.game_id AND f.version = i.version AND f.sha256 = i.sha256
    """

  private static func offer(_ row: borrowing Row) throws(SQLiteError) -> MirrorOffers.Offer {
    let installedAt = try row.parsed(7) { Timestamp($0) }
    return MirrorOffers.Offer(
      id: try row.parsed(0) { GameID($0) }, title: try row.text(1),
      version: try row.parsed(2) { H5Version($0) }, sha256: try row.parsed(3) { SHA256Digest(hex: $0) },
      md5: try row.parsed(4) { MD5Digest(hex: $0) }, size: try row.int(5),
      publishedAt: row.isNull(8) ? installedAt : try row.parsed(8) { Timestamp($0) },
      mandatory: try row.bool(9), minHostVersion: try row.optionalText(10), notes: try row.optionalText(11),
      isCurrent: try row.bool(6),
      movedAt: Timestamp(seconds: try row.optionalInt(12) ?? installedAt.seconds),
      root: try row.optionalText(13), namesEncoding: try row.optionalText(14))
  }
}
