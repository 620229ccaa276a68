public import DepotModel
public import HTTPClient
internal import Platform

/// What a `DownloadManager` is asked to bring here.
public struct Download: Sendable, Hashable {
  /// Tells it from others; the same URL, or the same package, is one download.
  public let id: DownloadID
  /// Where it comes from: http or https.
  public let url: String
  /// What its bytes must hash to; nil: unknown.
  public let sha256: SHA256Digest?
  /// What its bytes must hash to, too; nil: unknown.
  public let md5: MD5Digest?
  /// How many bytes it must have; nil: unknown.
  public let size: Int64?
  /// For messages.
  public let label: String
  /// Where the whole file goes.
  public let destination: DownloadDestination
  /// Higher ones start first; among equals the manager's order counts.
  public var priority: Int

  /// A file at a URL. What is known of its bytes is checked before the file appears; without `sha256`, each later request
  /// asks the server whether the file is still what it has.
  public init(
    url: WebURL, to destination: DownloadDestination = .managed, sha256: SHA256Digest? = nil,
    md5: MD5Digest? = nil, size: Int64? = nil, priority: Int = 0
  ) {
    self.init(
      id: .url(url), url: url.text, sha256: sha256, md5: md5, size: size, label: url.text,
      destination: destination, priority: priority)
  }

  /// A package of a depot: its digest is what it is known by, and nothing is asked once it stands here whole. Of a partial
  /// that is damaged, only the blocks are fetched again that are not what the package's manifest says.
  public init(
    package: PackageSource, to destination: DownloadDestination = .managed, priority: Int = 0
  ) {
    self.init(
      id: .package(package.sha256), url: package.url, sha256: package.sha256, md5: package.md5,
      size: package.size, label: package.label, destination: destination, priority: priority)
  }

  init(
    id: DownloadID, url: String, sha256: SHA256Digest?, md5: MD5Digest?, size: Int64?, label: String,
    destination: DownloadDestination, priority: Int
  ) {
    self.id = id
    self.url = url
    self.sha256 = sha256
    self.md5 = md5
    self.size = size
    self.label = label
    self.destination = destination
    self.priority = priority
  }

  /// The name the file has in the manager's folder unless it is sent elsewhere: MD5(url) in hex for a file at a URL, the
  /// SHA-256 for a package, and the extension the URL ends with.
  public var fileName: String {
    let stem =
      switch id {
      case .package(let digest): digest.hex
      case .url(let url): MD5Digest(bytes: Hash.digest(of: Array(url.text.utf8), .md5))?.hex ?? ""
      }
    return Self.fileExtension(of: url).map { "\(stem).\($0)" } ?? stem
  }

  /// The name of what has come so far, in the manager's folder. A package's is the one `Downloader` gives it.
  public var partialName: String {
    switch id {
    case .package(let digest): "\(digest.hex).part"
    case .url: "\(fileName).part"
    }
  }

  /// The package this was made from; nil for a file at a URL.
  var package: PackageSource? {
    guard case .package(let digest) = id, let md5, let size else { return nil }
    return PackageSource(url: url, sha256: digest, md5: md5, size: size, label: label)
  }

  /// Whether one transfer serves both requests.
  func isSame(as other: Download) -> Bool {
    sha256 == other.sha256 && md5 == other.md5 && size == other.size && destination == other.destination
  }

  /// Of at most 16 letters and digits; nil when there is none.
  private static func fileExtension(of url: String) -> String? {
    let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let dot = path.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let text = path[path.index(after: dot)...]
    guard (1...16).contains(text.count), path[..<dot].split(separator: UInt8(ascii: "/")).count > 2,
      text.allSatisfy({ $0 < 0x80 && Character(Unicode.Scalar($0)).isLetter || (0x30...0x39).contains($0) })
    else { return nil }
    return String(decoding: text, as: UTF8.self)
  }
}
