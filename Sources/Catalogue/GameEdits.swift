public import DepotModel
internal import SQLite

/// What is to be different about a game, of what its publisher may say again later. Nil leaves a member as it is.
public struct GameEdit: Sendable, Hashable {
  /// The title; `.some(nil)` makes it the id again.
  public var title: String??
  /// The notes of the version that the channel points at; `.some(nil)` takes them away.
  public var notes: String??

  /// Changes nothing unless told.
  public init(title: String?? = nil, notes: String?? = nil) {
    self.title = title
    self.notes = notes
  }
}

extension Catalogue {
  /// Changes a game's title and the notes of the version that `channel` points at, and returns what the channel then
  /// shows. What is so already changes nothing, not even the revision.
  ///
  /// Throws `unknownGame`, or `unknownChannel` when the game has no such channel.
  @discardableResult
  public func edit(
    _ id: GameID, channel: ChannelName, _ edit: GameEdit, actor: Author?
  ) throws(CatalogueError) -> Release {
    let now = now
    return try write { (session) throws(CatalogueError) in
      guard try session.presence(of: id) == .present else { throw .unknownGame(id) }
      guard let release = try session.release(id, channel: channel) else {
        throw .unknownChannel(id, channel)
      }
      let title = edit.title.map { $0 ?? id.text } ?? release.title
      let notes = edit.notes ?? release.notes
      var changed: [String] = []
      if title != release.title { changed.append("title") }
      if notes != release.notes { changed.append("notes") }
      guard !changed.isEmpty else { return release }
      let revision = try session.nextRevision()
      if title != release.title {
        try session.setTitle(of: id, to: title, revision: revision)
      }
      if notes != release.notes {
        try session.run(
          "UPDATE releases SET notes = ? WHERE sequence = ?", Value(notes), .integer(release.sequence))
        try session.run(
          "UPDATE channels SET revision = ? WHERE release = ?", .integer(revision),
          .integer(release.sequence))
      }
      try session.log(
        AuditEntry(
          action: .editGame, subject: id.text, version: release.version, channel: channel,
          detail: changed.joined(separator: ", ")), actor: actor, at: now)
      guard let edited = try session.release(id, channel: channel) else { throw .unknownChannel(id, channel) }
      return edited
    }
  }
}
