package import DepotModel
package import HTTPWire

/// `GET /games/{id}/check` as it was asked: is there something else than what is installed.
package struct CheckQuestion: Sendable {
  package let base: BaseURL
  package let channel: ChannelName
  package let installed: InstalledGame
  /// The next client is likely to ask the same: a device's own name makes that unlikely.
  package let isWorthKeeping: Bool

  /// Throws `bad-field`, `bad-request` and `bad-host`.
  package init(_ id: GameID, _ request: HTTPRequest, _ publicURL: PublicURL?) throws(Problem) {
    base = try BaseURL(for: request, publicURL)
    let parameters = try Parameters(request, ["h5Version", "h5Md5", "hostVersion", "channel", "deviceId"])
    channel = try parameters.channel()
    installed = InstalledGame(
      id: id, version: try parameters.version("h5Version"), md5: try parameters.md5("h5Md5"))
    // Accepted so that clients may send them from the beginning; every version is for every host and device so far.
    _ = try parameters.version("hostVersion")
    isWorthKeeping = try parameters.text("deviceId", upTo: 128) == nil
  }

  private struct Body: Encodable {
    let reason: CheckReason
    let game: Game?

    enum CodingKeys: CodingKey { case updateAvailable, reason, game }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(reason.isUpdate, forKey: .updateAvailable)
      try container.encode(reason, forKey: .reason)
      try container.encode(game, forKey: .game)
    }
  }

  /// The answer; `game` is what the channel holds.
  package func answer(_ reason: CheckReason, _ game: Game?) throws(Problem) -> Answer {
    try Answer(json: Body(reason: reason, game: game), cacheControl: base.cacheControl)
  }
}

/// What a client has; nothing installed needs whatever there is.
package struct InstalledGame: Sendable {
  package let id: GameID
  package let version: H5Version?
  package let md5: MD5Digest?

  package init(id: GameID, version: H5Version?, md5: MD5Digest?) {
    self.id = id
    self.version = version
    self.md5 = md5
  }
}

/// What a check finds, in the contract's codes.
package enum CheckReason: String, Sendable, Encodable {
  case newVersion = "new_version"
  /// The channel points at a version that was published before the installed one.
  case rolledBack = "rolled_back"
  case checksumDiffers = "checksum_differs"
  case upToDate = "up_to_date"
  case unknownGame = "unknown_game"
  case gameRemoved = "game_removed"

  /// Whether the client has something to fetch.
  package var isUpdate: Bool {
    switch self {
    case .newVersion, .rolledBack, .checksumDiffers: true
    case .upToDate, .unknownGame, .gameRemoved: false
    }
  }

  /// Against what a channel holds. The latest version is what the channel points at, never what sorts highest: after a
  /// rollback clients follow it back. `isNewer` tells whether a version was published after what the channel holds.
  package static func of(
    _ installed: InstalledGame, current: (version: H5Version, md5: MD5Digest),
    isNewer: (H5Version) throws(Problem) -> Bool
  ) throws(Problem) -> CheckReason {
    guard let version = installed.version else { return .newVersion }
    guard version != current.version else {
      return installed.md5.map { $0 != current.md5 } ?? false ? .checksumDiffers : .upToDate
    }
    return try isNewer(version) ? .rolledBack : .newVersion
  }
}
