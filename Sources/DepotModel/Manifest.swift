/// Everything about one package: enough to fetch, reuse and verify single entries by ranges over it.
public struct Manifest: Codable, Hashable, Sendable {
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
  /// What its publisher says of this version.
  public var notes: String?
  /// The wrapper folder that paths below have lost, with its slash; empty when there was none.
  public var root: String
  /// `utf-8`, `gb18030` … : how the names in the zip were read.
  public var namesEncoding: String
  /// Bytes of all files unpacked.
  public var unpackedSize: Int64
  /// Bytes in each block but the last.
  public var blockSize: Int64
  /// SHA-256 of each block of the zip.
  public var blocks: [SHA256Digest]
  /// In zip order.
  public var files: [File]
  /// Entries that are not to be unpacked.
  public var ignored: [Ignored]

  /// One file of the package, at the path to create on disk: UTF-8 NFC, `/` separated, relative.
  public struct File: Codable, Hashable, Sendable {
    /// The path to create.
    public var path: String
    /// Bytes of the file.
    public var size: Int64
    /// SHA-256 of the file; nil when it is encrypted.
    public var sha256: SHA256Digest?
    /// MD5 of the file; nil when it is encrypted.
    public var md5: MD5Digest?
    /// Lower-case hex, eight digits.
    public var crc32: String
    /// 0 stored, 8 deflate (APPNOTE 4.4.5).
    public var method: Int
    /// Bytes of the file as the zip holds it.
    public var compressedSize: Int64
    /// Where in the zip its local header starts.
    public var headerOffset: Int64
    /// Where in the zip its bytes start.
    public var dataOffset: Int64
    /// SHA-256 of its bytes as the zip holds them.
    public var compressedSha256: SHA256Digest
    /// Whether those bytes are encrypted.
    public var encrypted: Bool

    /// All of it.
    public init(
      path: String, size: Int64, sha256: SHA256Digest?, md5: MD5Digest?, crc32: String, method: Int,
      compressedSize: Int64, headerOffset: Int64, dataOffset: Int64, compressedSha256: SHA256Digest,
      encrypted: Bool
    ) {
      self.path = path
      self.size = size
      self.sha256 = sha256
      self.md5 = md5
      self.crc32 = crc32
      self.method = method
      self.compressedSize = compressedSize
      self.headerOffset = headerOffset
      self.dataOffset = dataOffset
      self.compressedSha256 = compressedSha256
      self.encrypted = encrypted
    }

    /// Written by hand because the digests of an encrypted entry are `null` in the contract.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(path, forKey: .path)
      try container.encode(size, forKey: .size)
      try container.encode(sha256, forKey: .sha256)
      try container.encode(md5, forKey: .md5)
      try container.encode(crc32, forKey: .crc32)
      try container.encode(method, forKey: .method)
      try container.encode(compressedSize, forKey: .compressedSize)
      try container.encode(headerOffset, forKey: .headerOffset)
      try container.encode(dataOffset, forKey: .dataOffset)
      try container.encode(compressedSha256, forKey: .compressedSha256)
      try container.encode(encrypted, forKey: .encrypted)
    }
  }

  /// An entry that is in the zip but not to be unpacked, and why.
  public struct Ignored: Codable, Hashable, Sendable {
    /// The entry's name in the zip.
    public var path: String
    /// Why it is left out.
    public var reason: String

    /// All of it.
    public init(path: String, reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  /// All of it.
  public init(
    game: Game, root: String, namesEncoding: String, unpackedSize: Int64, blockSize: Int64,
    blocks: [SHA256Digest],
    files: [File], ignored: [Ignored]
  ) {
    self.gameId = game.gameId
    self.title = game.title
    self.h5Version = game.h5Version
    self.h5Down = game.h5Down
    self.h5Md5 = game.h5Md5
    self.h5Sha256 = game.h5Sha256
    self.h5Size = game.h5Size
    self.publishedAt = game.publishedAt
    self.mandatory = game.mandatory
    self.minHostVersion = game.minHostVersion
    self.notes = game.notes
    self.root = root
    self.namesEncoding = namesEncoding
    self.unpackedSize = unpackedSize
    self.blockSize = blockSize
    self.blocks = blocks
    self.files = files
    self.ignored = ignored
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
    try container.encode(notes, forKey: .notes)
    try container.encode(root, forKey: .root)
    try container.encode(namesEncoding, forKey: .namesEncoding)
    try container.encode(unpackedSize, forKey: .unpackedSize)
    try container.encode(blockSize, forKey: .blockSize)
    try container.encode(blocks, forKey: .blocks)
    try container.encode(files, forKey: .files)
    try container.encode(ignored, forKey: .ignored)
  }
}
