public import DepotModel
public import HTTPClient

/// What a server says of a package to those that update to it: `delta.json`, of exactly the package asked for.
public struct DeltaOffer: Sendable, Hashable {
  /// The package's index: every byte of it that is no entry's payload, compressed.
  public struct Index: Sendable, Hashable {
    /// Bytes of an index that are taken at most: ten times what 100,000 entries need.
    public static let maximumSize: Int64 = 32 << 20

    /// Where it is.
    public var url: WebURL
    /// Bytes, 1…`maximumSize`.
    public var size: Int64
    /// Of these bytes.
    public var sha256: SHA256Digest

    /// All of it.
    public init(url: WebURL, size: Int64, sha256: SHA256Digest) {
      self.url = url
      self.size = size
      self.sha256 = sha256
    }
  }

  /// CRC-32 of each whole block of 4 KiB of payloads of 16 KiB and more. Nothing proves them but the package they lead to.
  public struct Sums: Sendable, Hashable {
    /// Bytes that are taken at most: those of a package of 16 GiB.
    public static let maximumSize: Int64 = 16 << 20
    /// Bytes that one sum is of.
    public static let blockSize: Int64 = 4096

    /// Where they are.
    public var url: WebURL
    /// Bytes, 1…`maximumSize`.
    public var size: Int64

    /// All of it.
    public init(url: WebURL, size: Int64) {
      self.url = url
      self.size = size
    }
  }

  /// The wrapper folder that paths lose, with its slash; empty for none.
  public var root: String
  /// How the names in the zip are to be read.
  public var namesEncoding: String
  /// Bytes, number and encryption of the package's files; nil from a server that leaves them to the index.
  public var contents: PackageContents?
  /// Nil when the server has none, or one beyond the limit.
  public var index: Index?
  /// Nil when the server has none, or such as are not known here.
  public var sums: Sums?

  /// All of it.
  public init(
    root: String, namesEncoding: String, contents: PackageContents?, index: Index?, sums: Sums? = nil
  ) {
    self.root = root
    self.namesEncoding = namesEncoding
    self.contents = contents
    self.index = index
    self.sums = sums
  }
}

/// What the files of a package come to.
public struct PackageContents: Sendable, Hashable {
  /// Bytes of all files.
  public var unpackedSize: Int64
  /// Number of files.
  public var fileCount: Int
  /// Whether some of them need a password.
  public var isEncrypted: Bool

  /// All of it.
  public init(unpackedSize: Int64, fileCount: Int, isEncrypted: Bool) {
    self.unpackedSize = unpackedSize
    self.fileCount = fileCount
    self.isEncrypted = isEncrypted
  }
}

extension UnpackingFacts {
  /// What an offer says, with what the files come to from wherever that is known.
  init(_ offer: DeltaOffer, _ contents: PackageContents) {
    self.init(
      root: offer.root, namesEncoding: offer.namesEncoding, unpackedSize: contents.unpackedSize,
      fileCount: contents.fileCount, isEncrypted: contents.isEncrypted)
  }
}
