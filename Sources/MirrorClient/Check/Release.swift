public import DepotModel

/// One version of one game as the server offers it, every field parsed.
public struct Release: Sendable, Hashable {
  /// The game.
  public let id: GameID
  /// For people.
  public let title: String
  /// What the channel points at.
  public let version: H5Version
  /// Where the package is.
  public let url: PackageURL
  /// Decides whether bytes are the package.
  public let sha256: SHA256Digest
  /// Checked as well: it is what apps compare.
  public let md5: MD5Digest
  /// Bytes of the package.
  public let size: Int64
  /// When it was published, by the server's clock.
  public let publishedAt: Timestamp

  /// All of it.
  public init(
    id: GameID, title: String, version: H5Version, url: PackageURL, sha256: SHA256Digest, md5: MD5Digest,
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

/// An absolute http or https URL that a server named, fit to be asked for.
public struct PackageURL: Sendable, Hashable, CustomStringConvertible {
  /// Bytes beyond which it is no URL anybody meant.
  static let maximumLength = 2048
  /// As the server wrote it.
  public let text: String

  /// Nil for another scheme, for credentials, a missing host or characters that no URL holds (RFC 3986 §2).
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "\"") }
      ),
      let separator = text.firstRange(of: "://")
    else { return nil }
    guard ["http", "https"].contains(text[..<separator.lowerBound].lowercased()) else { return nil }
    let authority = text[separator.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else { return nil }
    self.text = text
  }

  /// Whether it is https.
  public var isSecure: Bool { text.lowercased().hasPrefix("https://") }
  /// As the server wrote it.
  public var description: String { text }
}
