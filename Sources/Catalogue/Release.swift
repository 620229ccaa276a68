public import DepotModel
internal import SQLite

/// One published version of a game, as seen through a channel or in the game's history.
public struct Release: Sendable, Hashable {
  /// Whether a version may be handed out as current.
  public enum State: String, Sendable, Hashable {
    /// It may.
    case published
    /// It was withdrawn; its number is never used again.
    case yanked
  }

  /// The game.
  public var gameID: GameID
  /// The game's title now.
  public var title: String
  /// The version.
  public var version: H5Version
  /// MD5 of the package.
  public var md5: MD5Digest
  /// SHA-256 of the package: the name of its blob.
  public var sha256: SHA256Digest
  /// Bytes of the package.
  public var size: Int64
  /// When it was uploaded.
  public var publishedAt: Timestamp
  /// Seen through a channel, the channel's setting; else as uploaded.
  public var mandatory: Bool
  /// Seen through a channel, the channel's setting; else as uploaded.
  public var minHostVersion: String?
  /// What its publisher says of it.
  public var notes: String?
  /// Published or yanked.
  public var state: State
  /// The channel it was asked through; in a history a channel that points at it (`stable` before others), or nil.
  public var channel: ChannelName?
  /// When `channel` came to point here, at least a second after its previous value; without one, `publishedAt`.
  public var movedAt: Timestamp
  /// Grows with each publishing in this catalogue.
  public var sequence: Int64
}

/// Some releases of a longer list.
public struct ReleasePage: Sendable, Hashable {
  /// In the list's order.
  public var releases: [Release]
  /// What to ask `after` for the next page; nil on the last.
  public var next: String?
  /// The catalogue's revision in the very snapshot this page was read from. Who walks several pages and then asks
  /// for changes must ask since the first page's.
  public var revision: Int64
}

extension Release {
  /// The columns `init(_:)` reads, of games `g`, releases `r` and channels `c`.
  static let columns = """
    g.id, g.title, r.version, r.md5, r.sha256, r.size, r.published_at, r.notes, r.state, r.sequence, \
    c.name, c.moved_at, r.mandatory, r.min_host_version, c.mandatory, c.min_host_version
    """

  /// Reads a release as its channel shows it.
  init(throughChannel row: borrowing Row) throws(SQLiteError) {
    try self.init(asUploaded: row)
    mandatory = try row.bool(14)
    minHostVersion = try row.optionalText(15)
  }

  /// Reads a release as it was uploaded; the channel's columns may be NULL.
  init(asUploaded row: borrowing Row) throws(SQLiteError) {
    gameID = try row.parsed(0, GameID.init)
    title = try row.text(1)
    version = try row.parsed(2, H5Version.init)
    md5 = try row.parsedBlob(3, MD5Digest.init(bytes:))
    sha256 = try row.parsedBlob(4, SHA256Digest.init(bytes:))
    size = try row.int(5)
    publishedAt = Timestamp(seconds: try row.int(6))
    notes = try row.optionalText(7)
    state = try row.parsed(8, State.init(rawValue:))
    sequence = try row.int(9)
    channel = row.isNull(10) ? nil : try row.parsed(10, ChannelName.init)
    movedAt = try row.optionalInt(11).map(Timestamp.init(seconds:)) ?? publishedAt
    mandatory = try row.bool(12)
    minHostVersion = try row.optionalText(13)
  }
}
