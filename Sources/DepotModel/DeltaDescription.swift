/// What an update to a version needs to know, in few bytes: `delta.json`.
public struct DeltaDescription: Codable, Hashable, Sendable {
  /// The version.
  public var h5Version: H5Version
  /// SHA-256 of its package.
  public var h5Sha256: SHA256Digest
  /// MD5 of its package.
  public var h5Md5: MD5Digest
  /// Bytes of its package.
  public var h5Size: Int64
  /// Absolute URL of the immutable package.
  public var h5Down: String
  /// The wrapper folder that paths lose, with its slash; empty when there is none.
  public var root: String
  /// `utf-8`, `gb18030` … : how the names in the zip are read.
  public var namesEncoding: String
  /// Bytes of all files unpacked.
  public var unpackedSize: Int64
  /// Files that are unpacked.
  public var fileCount: Int64
  /// Whether a file at least needs a password.
  public var encrypted: Bool
  /// The package's index; nil when there is none.
  public var index: Index?
  /// Checksums of blocks; nil when the package has no large payloads, or no index.
  public var blocks: Blocks?
  /// Patches from other packages to this one.
  public var patches: [Patch]

  /// The bytes of the package that are no payload, compressed.
  public struct Index: Codable, Hashable, Sendable {
    /// Absolute.
    public var url: String
    /// Bytes.
    public var size: Int64
    /// Of its bytes.
    public var sha256: SHA256Digest

    /// All of it.
    public init(url: String, size: Int64, sha256: SHA256Digest) {
      self.url = url
      self.size = size
      self.sha256 = sha256
    }
  }

  /// CRC-32 of each whole block of the payloads of 16 KiB and more.
  public struct Blocks: Codable, Hashable, Sendable {
    /// Absolute.
    public var url: String
    /// Bytes.
    public var size: Int64
    /// Bytes that one sum is of.
    public var blockSize: Int64

    /// All of it.
    public init(url: String, size: Int64, blockSize: Int64) {
      self.url = url
      self.size = size
      self.blockSize = blockSize
    }
  }

  /// What makes this package of another one.
  public struct Patch: Codable, Hashable, Sendable {
    /// SHA-256 of the package it starts from.
    public var from: SHA256Digest
    /// Absolute.
    public var url: String
    /// Bytes.
    public var size: Int64
    /// Of its bytes.
    public var sha256: SHA256Digest
    /// Bytes of memory that applying it takes.
    public var memory: Int64

    /// All of it.
    public init(from: SHA256Digest, url: String, size: Int64, sha256: SHA256Digest, memory: Int64) {
      self.from = from
      self.url = url
      self.size = size
      self.sha256 = sha256
      self.memory = memory
    }
  }

  /// All of it.
  public init(
    h5Version: H5Version, h5Sha256: SHA256Digest, h5Md5: MD5Digest, h5Size: Int64, h5Down: String,
    root: String,
    namesEncoding: String, unpackedSize: Int64, fileCount: Int64, encrypted: Bool, index: Index?,
    blocks: Blocks?,
    patches: [Patch]
  ) {
    self.h5Version = h5Version
    self.h5Sha256 = h5Sha256
    self.h5Md5 = h5Md5
    self.h5Size = h5Size
    self.h5Down = h5Down
    self.root = root
    self.namesEncoding = namesEncoding
    self.unpackedSize = unpackedSize
    self.fileCount = fileCount
    self.encrypted = encrypted
    self.index = index
    self.blocks = blocks
    self.patches = patches
  }

  /// Written by hand because an absent index is `null` in the contract, not a missing member.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(h5Version, forKey: .h5Version)
    try container.encode(h5Sha256, forKey: .h5Sha256)
    try container.encode(h5Md5, forKey: .h5Md5)
    try container.encode(h5Size, forKey: .h5Size)
    try container.encode(h5Down, forKey: .h5Down)
    try container.encode(root, forKey: .root)
    try container.encode(namesEncoding, forKey: .namesEncoding)
    try container.encode(unpackedSize, forKey: .unpackedSize)
    try container.encode(fileCount, forKey: .fileCount)
    try container.encode(encrypted, forKey: .encrypted)
    try container.encode(index, forKey: .index)
    try container.encode(blocks, forKey: .blocks)
    try container.encode(patches, forKey: .patches)
  }
}
