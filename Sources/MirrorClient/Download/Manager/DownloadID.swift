public import DepotModel
public import HTTPClient

/// What tells one download from another: the digest of a package, or the URL of any other file.
public enum DownloadID: Hashable, Sendable, CustomStringConvertible {
  /// A package, wherever it comes from.
  case package(SHA256Digest)
  /// Whatever stands at a URL.
  case url(WebURL)

  private static let prefix = "sha256:"

  /// Reads what `description` wrote; nil for anything else.
  public init?(_ text: String) {
    if text.hasPrefix(Self.prefix) {
      guard let digest = SHA256Digest(hex: String(text.dropFirst(Self.prefix.count))) else { return nil }
      self = .package(digest)
    } else {
      guard let url = WebURL(text) else { return nil }
      self = .url(url)
    }
  }

  /// `sha256:` and the digest in hex, or the URL.
  public var description: String {
    switch self {
    case .package(let digest): Self.prefix + digest.hex
    case .url(let url): url.text
    }
  }
}
