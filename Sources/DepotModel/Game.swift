/// What a client is told of one version of a game: the fields apps already speak, in the contract's names.
public struct Game: Codable, Hashable, Sendable {
  /// The game.
  public var gameId: GameID
  /// What people call it.
  public var title: String
  /// The version of the package.
  public var h5Version: H5Version
  /// Absolute URL of the immutable package.
  public var h5Down: String
  /// MD5 of the package.
  public var h5Md5: MD5Digest
  /// SHA-256 of the package.
  public var h5Sha256: SHA256Digest
  /// Bytes of the package.
  public var h5Size: Int64
  /// When this version was uploaded.
  public var publishedAt: Timestamp
  /// Whether clients must update before they play.
  public var mandatory: Bool
  /// The oldest host application that can run it; nil for any.
  public var minHostVersion: String?
  /// The channel this answer speaks of; nil in a history for a version no channel points at.
  public var channel: ChannelName?
  /// What its publisher says of this version.
  public var notes: String?

  /// All of it.
  public init(
    gameId: GameID, title: String, h5Version: H5Version, h5Down: String, h5Md5: MD5Digest,
    h5Sha256: SHA256Digest,
    h5Size: Int64, publishedAt: Timestamp, mandatory: Bool, minHostVersion: String?, channel: ChannelName?,
    notes: String?
  ) {
    self.gameId = gameId
    self.title = title
    self.h5Version = h5Version
    self.h5Down = h5Down
    self.h5Md5 = h5Md5
    self.h5Sha256 = h5Sha256
    self.h5Size = h5Size
    self.publishedAt = publishedAt
    self.mandatory = mandatory
    self.minHostVersion = minHostVersion
    self.channel = channel
    self.notes = notes
  }

  /// Written by hand because an absent value is `null` in the contract, not a missing member.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(gameId, forKey: .gameId)
    try container.encode(title, forKey: .title)
    try container.encode(h5Version, forKey: .h5Version)
    try container.encode(h5Down, forKey: .h5Down)
    try container.encode(h5Md5, forKey: .h5Md5)
    try container.encode(h5Sha256, forKey: .h5Sha256)
    try container.encode(h5Size, forKey: .h5Size)
    try container.encode(publishedAt, forKey: .publishedAt)
    try container.encode(mandatory, forKey: .mandatory)
    try container.encode(minHostVersion, forKey: .minHostVersion)
    try container.encode(channel, forKey: .channel)
    try container.encode(notes, forKey: .notes)
  }
}
