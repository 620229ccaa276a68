public import DepotModel
internal import SQLite

/// Some of what changed in a channel since a revision.
public struct ChangePage: Sendable, Hashable {
  /// The catalogue's revision in the snapshot this page was read from. After the last page, everything up to this
  /// page's revision has been told.
  public var revision: Int64
  /// Games that are new, or show something new, in the channel.
  public var changed: [Release]
  /// Games the channel no longer shows.
  public var removed: [GameID]
  /// What to ask `after` for the next page; nil on the last.
  public var next: String?
}

extension Catalogue {
  /// What changed in a channel since a revision, in the order it changed; `limit` counts changed and removed games
  /// together.
  ///
  /// A game that changes while pages are walked moves to the end and is told there, so nothing is missed; it may be
  /// told twice. `limit` is taken as one of 1…10,000. Throws `revisionGone` when `since` is older than is kept or
  /// ahead of this catalogue, and `unreadableCursor`.
  public func changes(
    since: Int64, channel: ChannelName, after: String?, limit: Int
  ) throws(CatalogueError) -> ChangePage {
    let limit = PageSize.clamped(limit)
    let start = try after.map { (text) throws(CatalogueError) in try ChangeCursor(text) }
    return try readSnapshot { (session) throws(CatalogueError) in
      let known = try session.revision()
      guard since >= known.oldest, since <= known.newest else {
        throw .revisionGone(oldest: known.oldest, newest: known.newest)
      }
      let first = ChangeCursor(revision: since + 1, game: "")
      var events = try session.events(channel, after: max(start ?? first, first), limit: limit + 1)
      let next = events.trimmed(to: limit)?.cursor.text
      var page = ChangePage(revision: known.newest, changed: [], removed: [], next: next)
      for event in events {
        switch event.what {
        case .changed(let release): page.changed.append(release)
        case .removed(let game): page.removed.append(game)
        }
      }
      return page
    }
  }
}

/// A place in a channel's changes: their order is by revision, then by id.
struct ChangeCursor: Comparable, Sendable {
  let revision: Int64
  let game: String

  init(revision: Int64, game: String) {
    self.revision = revision
    self.game = game
  }

  /// Reads `text`; throws `unreadableCursor`.
  init(_ text: String) throws(CatalogueError) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let revision = Int64(parts[0]), let game = GameID(String(parts[1])) else {
      throw .unreadableCursor(text)
    }
    self.init(revision: revision, game: game.text)
  }

  var text: String { "\(revision):\(game)" }

  /// SQLite's order: its BINARY collation compares bytes.
  static func < (left: ChangeCursor, right: ChangeCursor) -> Bool {
    if left.revision != right.revision { return left.revision < right.revision }
    return left.game.utf8.lexicographicallyPrecedes(right.game.utf8)
  }
}

/// One thing that happened to a game in a channel.
struct ChangeEvent {
  enum What {
    case changed(Release)
    case removed(GameID)
  }

  let cursor: ChangeCursor
  let what: What
}

extension Session {
  fileprivate func events(
    _ channel: ChannelName, after cursor: ChangeCursor, limit: Int
  ) throws(CatalogueError) -> [ChangeEvent] {
    let name = Value.text(channel.text)
    let revision = Value.integer(cursor.revision)
    let game = Value.text(cursor.game)
    let count = Value.integer(Int64(limit))
    let changed = try query(
      """
      SELECT \(Release.columns), c.revision FROM channels c CROSS JOIN releases r ON r.sequence = c.release
      CROSS JOIN games g ON g.id = c.game
      WHERE c.name = ? AND (c.revision, c.game) > (?, ?) ORDER BY c.revision, c.game LIMIT ?
      """, name, revision, game, count
    ) { (row) throws(SQLiteError) in
      let release = try Release(throughChannel: row)
      let cursor = ChangeCursor(revision: try row.int(16), game: release.gameID.text)
      return ChangeEvent(cursor: cursor, what: .changed(release))
    }
    let removed = try query(
      """
      SELECT game, revision FROM departures
      WHERE name = ? AND (revision, game) > (?, ?) ORDER BY revision, game LIMIT ?
      """, name, revision, game, count
    ) { (row) throws(SQLiteError) in
      let game = try row.parsed(0, GameID.init)
      return ChangeEvent(
        cursor: ChangeCursor(revision: try row.int(1), game: game.text), what: .removed(game))
    }
    return Array((changed + removed).sorted { $0.cursor < $1.cursor }.prefix(limit))
  }
}
