public import DepotModel
internal import SQLite

/// A checked package on its way into the catalogue; its blob is already in place.
public struct NewRelease: Sendable {
  /// The game, which may be new.
  public var gameID: GameID
  /// The version, which must be new or have the same bytes.
  public var version: H5Version
  /// Replaces the game's title; nil keeps it, and a new game is then titled by its id.
  public var title: String?
  /// The channel to move.
  public var channel: ChannelName
  /// Whether clients must update: becomes the channel's setting.
  public var mandatory: Bool
  /// The oldest host that can run it: becomes the channel's setting.
  public var minHostVersion: String?
  /// What its publisher says of it.
  public var notes: String?
  /// MD5 of the package.
  public var md5: MD5Digest
  /// SHA-256 of the package.
  public var sha256: SHA256Digest
  /// Bytes of the package.
  public var size: Int64
  /// When it was uploaded.
  public var publishedAt: Timestamp
  /// What is inside.
  public var package: PackageFacts
  /// Its index; nil when none can be made.
  public var index: StoredIndex?
  /// Who publishes it, for the audit log; nil for the command line.
  public var author: Author?

  /// All of it.
  public init(
    gameID: GameID, version: H5Version, title: String?, channel: ChannelName, mandatory: Bool,
    minHostVersion: String?, notes: String?, md5: MD5Digest, sha256: SHA256Digest, size: Int64,
    publishedAt: Timestamp, package: PackageFacts, index: StoredIndex? = nil,
    author: Author?
  ) {
    self.gameID = gameID
    self.version = version
    self.title = title
    self.channel = channel
    self.mandatory = mandatory
    self.minHostVersion = minHostVersion
    self.notes = notes
    self.md5 = md5
    self.sha256 = sha256
    self.size = size
    self.publishedAt = publishedAt
    self.package = package
    self.index = index
    self.author = author
  }
}

/// What a publishing came to.
public enum PublishOutcome: Sendable, Hashable {
  /// It is published, and the channel points at it; the catalogue has a new revision.
  case published(Release, revision: Int64)
  /// These bytes were that version already; nothing at all has changed.
  case alreadyThere(Release)
}

/// What is known of a version number before anything is published under it.
public enum VersionStanding: Sendable, Hashable {
  /// Any bytes may take it.
  case free
  /// Only the same bytes will do, and change nothing.
  case published(Release)
  /// Only the same bytes will do: it was used before the game was removed.
  case burnt(md5: MD5Digest, sha256: SHA256Digest)
  /// No bytes will do: it was yanked.
  case yanked(md5: MD5Digest)
}

extension Catalogue {
  /// Publishes a version and moves its channel to it, in one transaction.
  ///
  /// Throws `idCaseConflict`, `versionExists` or `versionBurnt` with nothing changed.
  public func publish(_ release: NewRelease) throws(CatalogueError) -> PublishOutcome {
    let now = now
    return try write { (session) throws(CatalogueError) in try session.publish(release, now: now) }
  }

  /// What `publish` would find of this version number now. Throws `idCaseConflict`.
  public func standing(of version: H5Version, _ id: GameID) throws(CatalogueError) -> VersionStanding {
    try readSnapshot { (session) throws(CatalogueError) in try session.standing(of: version, id) }
  }
}

extension Session {
  func publish(_ new: NewRelease, now: Timestamp) throws(CatalogueError) -> PublishOutcome {
    switch try standing(of: new.version, new.gameID) {
    case .published(let there):
      guard there.sha256 == new.sha256, there.size == new.size else {
        throw .versionExists(there: there.md5)
      }
      let current = try release(new.gameID, channel: new.channel)
      return .alreadyThere(current?.version == new.version ? current ?? there : there)
    case .burnt(let md5, let sha256):
      guard sha256 == new.sha256 else { throw .versionBurnt(there: md5) }
    case .yanked(let md5): throw .versionBurnt(there: md5)
    case .free: break
    }
    let revision = try nextRevision()
    try takeTitle(new, revision: revision)
    let sequence = try insert(new)
    try insert(new.package, for: sequence)
    if let index = new.index { try insert(index, for: sequence) }
    let target = ChannelTarget(
      game: new.gameID, channel: new.channel, release: sequence, mandatory: new.mandatory,
      minHostVersion: new.minHostVersion)
    try move(target, revision: revision, now: now)
    try log(
      AuditEntry(
        action: .publish, subject: new.gameID.text, version: new.version, channel: new.channel,
        detail: new.sha256.hex), actor: new.author, at: now)
    guard let release = try release(new.gameID, channel: new.channel) else {
      throw .corrupt("\(database.path): a release vanished while it was published")
    }
    return .published(release, revision: revision)
  }

  func standing(of version: H5Version, _ id: GameID) throws(CatalogueError) -> VersionStanding {
    try refuseOtherSpelling(of: id)
    if let there = try release(id, version: version) {
      return there.state == .yanked ? .yanked(md5: there.md5) : .published(there)
    }
    return try first(
      "SELECT md5, sha256, yanked FROM burnt_versions WHERE game = ? AND version = ?", .text(id.text),
      .text(version.text)
    ) { (row) throws(SQLiteError) -> VersionStanding in
      let md5 = try row.parsedBlob(0, MD5Digest.init(bytes:))
      if try row.bool(2) { return .yanked(md5: md5) }
      return .burnt(md5: md5, sha256: try row.parsedBlob(1, SHA256Digest.init(bytes:)))
    } ?? .free
  }

  private func takeTitle(_ new: NewRelease, revision: Int64) throws(CatalogueError) {
    let id = new.gameID
    let title = try first("SELECT title FROM games WHERE id = ?", .text(id.text)) {
      (row) throws(SQLiteError) in try row.text(0)
    }
    guard let title else {
      try run(
        "INSERT INTO games (id, folded, title) VALUES (?, ?, ?)", .text(id.text), .text(id.folded),
        .text(new.title ?? id.text))
      try run("DELETE FROM tombstones WHERE game = ?", .text(id.text))
      return
    }
    guard let newTitle = new.title, newTitle != title else { return }
    try setTitle(of: id, to: newTitle, revision: revision)
  }

  func setTitle(of id: GameID, to title: String, revision: Int64) throws(CatalogueError) {
    try run("UPDATE games SET title = ? WHERE id = ?", .text(title), .text(id.text))
    // The title shows in every channel of the game.
    try run("UPDATE channels SET revision = ? WHERE game = ?", .integer(revision), .text(id.text))
  }

  private func insert(_ new: NewRelease) throws(CatalogueError) -> Int64 {
    let sequence = try first(
      """
      INSERT INTO releases (game, version, md5, sha256, size, published_at, channel, mandatory,
        min_host_version, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING sequence
      """,
      .text(new.gameID.text), .text(new.version.text), .blob(new.md5.bytes), .blob(new.sha256.bytes),
      .integer(new.size), .integer(new.publishedAt.seconds), .text(new.channel.text),
      Value(new.mandatory), Value(new.minHostVersion), Value(new.notes)
    ) { (row) throws(SQLiteError) in try row.int(0) }
    guard let sequence else { throw .corrupt("\(database.path): an inserted release has no number") }
    return sequence
  }
}
