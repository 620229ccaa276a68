public import DepotModel
public import HTTPClient

/// One version of one game as the server offers it, every field parsed.
public struct Release: Sendable, Hashable {
  /// The game.
  public let id: GameID
  /// For people.
  public let title: String
  /// What the channel points at.
  public let version: H5Version
  /// Where the package is.
  public let url: WebURL
  /// Decides whether bytes are the package.
  public let sha256: SHA256Digest
  /// Checked as well: it is what apps compare.
  public let md5: MD5Digest
  /// Bytes of the package.
  public let size: Int64
  /// When it was published, by the server's clock.
  public let publishedAt: Timestamp
  /// Whether clients must update before they play.
  public var mandatory = false
  /// The oldest host application that can run it; nil for any.
  public var minHostVersion: String?
  /// What its publisher says of this version.
  public var notes: String?

  /// All of it.
  public init(
    id: GameID, title: String, version: H5Version, url: WebURL, sha256: SHA256Digest, md5: MD5Digest,
    size: Int64, publishedAt: Timestamp
  ) {
    self.id = id
    self.title = title
    self.version = version
    self.url = url
    self.sha256 = sha256
    self.md5 = md5
    self.size = size
    self.publishedAt = publishedAt
  }
}
