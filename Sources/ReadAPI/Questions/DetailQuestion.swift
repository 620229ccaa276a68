package import DepotModel
package import HTTPWire

/// `GET /games/{id}` as it was asked: one game as a channel holds it, and where its other channels stand.
package struct DetailQuestion: Sendable {
  package let base: BaseURL
  package let channel: ChannelName

  /// Throws `bad-field`, `bad-request` and `bad-host`.
  package init(_ request: HTTPRequest, _ publicURL: PublicURL?) throws(Problem) {
    base = try BaseURL(for: request, publicURL)
    channel = try Parameters(request, ["channel"]).channel()
  }

  private struct Body: Encodable {
    let game: Game
    let channels: [ListedChannel]
    let versionCount: Int

    enum CodingKeys: CodingKey { case channels, versionCount }

    func encode(to encoder: any Encoder) throws {
      try game.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(channels, forKey: .channels)
      try container.encode(versionCount, forKey: .versionCount)
    }
  }

  /// The answer.
  package func answer(
    _ game: Game, channels: [ListedChannel], versionCount: Int
  ) throws(Problem) -> Answer {
    try Answer(
      json: Body(game: game, channels: channels, versionCount: versionCount), cacheControl: base.cacheControl)
  }
}

/// Where a channel of a game stands.
package struct ListedChannel: Encodable, Sendable {
  private let name: ChannelName
  private let version: H5Version
  private let rollout: Int
  private let mandatory: Bool
  private let minHostVersion: String?
  private let movedAt: Timestamp

  package init(
    name: ChannelName, version: H5Version, rollout: Int, mandatory: Bool, minHostVersion: String?,
    movedAt: Timestamp
  ) {
    self.name = name
    self.version = version
    self.rollout = rollout
    self.mandatory = mandatory
    self.minHostVersion = minHostVersion
    self.movedAt = movedAt
  }

  private enum CodingKeys: CodingKey { case name, h5Version, rollout, mandatory, minHostVersion, movedAt }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(version, forKey: .h5Version)
    try container.encode(rollout, forKey: .rollout)
    try container.encode(mandatory, forKey: .mandatory)
    try container.encode(minHostVersion, forKey: .minHostVersion)
    try container.encode(movedAt, forKey: .movedAt)
  }
}
