public import DepotModel
internal import SQLite

extension Catalogue {
  /// What a channel of a game points at, with the channel's settings; nil when there is no such game or channel.
  public func release(_ id: GameID, channel: ChannelName) throws(CatalogueError) -> Release? {
    try read { (session) throws(CatalogueError) in try session.release(id, channel: channel) }
  }

  /// One version of a game as it was uploaded; nil when there is none.
  public func release(_ id: GameID, version: H5Version) throws(CatalogueError) -> Release? {
    try read { (session) throws(CatalogueError) in try session.release(id, version: version) }
  }

  /// What `channel` shows of each of `ids`, from one snapshot; games it does not show are absent.
  public func releases(
    of ids: [GameID], channel: ChannelName
  ) throws(CatalogueError) -> (revision: Int64, releases: [GameID: Release]) {
    try readSnapshot { (session) throws(CatalogueError) in
      var releases: [GameID: Release] = [:]
      for id in ids where releases[id] == nil {
        releases[id] = try session.release(id, channel: channel)
      }
      return (try session.revision().newest, releases)
    }
  }

  /// A game's versions, newest first; empty for an unknown game. `limit` is taken as one of 1…10,000. Throws
  /// `unreadableCursor`.
  public func versions(
    _ id: GameID, after: String?, limit: Int
  ) throws(CatalogueError) -> ReleasePage {
    let limit = PageSize.clamped(limit)
    var before = Int64.max
    if let after {
      guard let sequence = Int64(after), sequence > 0 else { throw .unreadableCursor(after) }
      before = sequence
    }
    return try readSnapshot { [before] (session) throws(CatalogueError) in
      var releases = try session.query(
        Release.uploaded + " WHERE r.game = ? AND r.sequence < ? ORDER BY r.sequence DESC LIMIT ?",
        .text(id.text), .integer(before), .integer(Int64(limit) + 1)
      ) { (row) throws(SQLiteError) in try Release(asUploaded: row) }
      let next = releases.trimmed(to: limit).map { "\($0.sequence)" }
      return ReleasePage(releases: releases, next: next, revision: try session.revision().newest)
    }
  }

  /// How many versions a game has.
  public func versionCount(_ id: GameID) throws(CatalogueError) -> Int {
    try read { (session) throws(CatalogueError) in
      Int(
        try session.first("SELECT count(*) FROM releases WHERE game = ?", .text(id.text)) {
          (row) throws(SQLiteError) in try row.int(0)
        } ?? 0)
    }
  }

  /// Every release of every game in the order of publishing, as uploaded.
  public func allReleases() throws(CatalogueError) -> [Release] {
    try read { (session) throws(CatalogueError) in
      try session.query(Release.uploaded + " ORDER BY r.sequence") { (row) throws(SQLiteError) in
        try Release(asUploaded: row)
      }
    }
  }

  /// The digest of every package that some release needs.
  public func referencedDigests() throws(CatalogueError) -> Set<SHA256Digest> {
    try read { (session) throws(CatalogueError) in
      Set(
        try session.query("SELECT DISTINCT sha256 FROM releases") { (row) throws(SQLiteError) in
          try row.parsedBlob(0, SHA256Digest.init(bytes:))
        })
    }
  }
}

extension Release {
  /// Selects releases as uploaded, each with at most one channel that points at it.
  static let uploaded = """
    SELECT \(columns) FROM releases r JOIN games g ON g.id = r.game
    LEFT JOIN channels c ON c.game = r.game AND c.name = (
      SELECT iif(max(name = 'stable'), 'stable', min(name)) FROM channels WHERE release = r.sequence)
    """

  /// Selects releases through channels. The order of the joins is the order of the look-ups, statistics or not.
  static let throughChannels = """
    SELECT \(columns) FROM channels c CROSS JOIN releases r ON r.sequence = c.release
    CROSS JOIN games g ON g.id = c.game
    """

  static let ofChannel = throughChannels + " WHERE c.name = ? AND c.game = ?"
  static let ofVersion = uploaded + " WHERE r.game = ? AND r.version = ?"
}

extension Session {
  func release(_ id: GameID, channel: ChannelName) throws(CatalogueError) -> Release? {
    try first(Release.ofChannel, .text(channel.text), .text(id.text)) { (row) throws(SQLiteError) in
      try Release(throughChannel: row)
    }
  }

  func release(_ id: GameID, version: H5Version) throws(CatalogueError) -> Release? {
    try first(Release.ofVersion, .text(id.text), .text(version.text)) { (row) throws(SQLiteError) in
      try Release(asUploaded: row)
    }
  }
}

/// Elements a page may have: a bound for every caller, above what any of them asks for.
enum PageSize {
  static func clamped(_ limit: Int) -> Int { min(max(limit, 1), 10_000) }
}

extension Array {
  /// Cuts what was read beyond a page and returns the page's last element, if anything was cut.
  mutating func trimmed(to limit: Int) -> Element? {
    guard count > limit else { return nil }
    removeLast(count - limit)
    return last
  }
}
