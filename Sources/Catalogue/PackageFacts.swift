public import DepotModel
internal import SQLite

/// What a look inside a package found: the part of a manifest that never changes.
public struct PackageFacts: Codable, Sendable, Hashable {
  /// The wrapper folder the paths have lost, with its slash; empty when there was none.
  public var root: String
  /// How the names in the zip were read: `utf-8`, `gb18030` …
  public var namesEncoding: String
  /// Bytes of all files unpacked.
  public var unpackedSize: Int64
  /// Bytes in each block but the last.
  public var blockSize: Int64
  /// SHA-256 of each block of the zip.
  public var blocks: [SHA256Digest]
  /// In zip order.
  public var files: [Manifest.File]
  /// Entries that are not unpacked, and why.
  public var ignored: [Manifest.Ignored]

  /// All of it.
  public init(
    root: String, namesEncoding: String, unpackedSize: Int64, blockSize: Int64, blocks: [SHA256Digest],
    files: [Manifest.File], ignored: [Manifest.Ignored]
  ) {
    self.root = root
    self.namesEncoding = namesEncoding
    self.unpackedSize = unpackedSize
    self.blockSize = blockSize
    self.blocks = blocks
    self.files = files
    self.ignored = ignored
  }
}

extension Catalogue {
  /// What was found inside a version's package; nil when the game has no such version.
  public func packageFacts(
    _ id: GameID, _ version: H5Version
  ) throws(CatalogueError) -> PackageFacts? {
    try readSnapshot { (session) throws(CatalogueError) in try session.packageFacts(id, version) }
  }
}

extension Session {
  func packageFacts(_ id: GameID, _ version: H5Version) throws(CatalogueError) -> PackageFacts? {
    let found = try first(
      """
      SELECT p.release, p.root, p.names_encoding, p.unpacked_size, p.block_size, p.blocks
      FROM releases r JOIN release_packages p ON p.release = r.sequence
      WHERE r.game = ? AND r.version = ?
      """, .text(id.text), .text(version.text)
    ) { (row) throws(SQLiteError) in
      let facts = PackageFacts(
        root: try row.text(1), namesEncoding: try row.text(2), unpackedSize: try row.int(3),
        blockSize: try row.int(4), blocks: try row.parsedBlob(5, Self.blocks), files: [], ignored: [])
      return (release: try row.int(0), facts: facts)
    }
    guard let release = found?.release, var facts = found?.facts else { return nil }
    facts.files = try query(
      """
      SELECT path, size, sha256, md5, crc32, method, compressed_size, header_offset, data_offset,
        compressed_sha256, encrypted
      FROM release_files WHERE release = ? ORDER BY position
      """, .integer(release)
    ) { (row) throws(SQLiteError) in try Manifest.File(row) }
    facts.ignored = try query(
      "SELECT path, reason FROM release_ignored WHERE release = ? ORDER BY position", .integer(release)
    ) { (row) throws(SQLiteError) in Manifest.Ignored(path: try row.text(0), reason: try row.text(1)) }
    return facts
  }

  func insert(_ facts: PackageFacts, for release: Int64) throws(CatalogueError) {
    try run(
      """
      INSERT INTO release_packages (release, root, names_encoding, unpacked_size, block_size, blocks)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      .integer(release), .text(facts.root), .text(facts.namesEncoding), .integer(facts.unpackedSize),
      .integer(facts.blockSize), .blob(facts.blocks.flatMap(\.bytes)))
    for (position, file) in facts.files.enumerated() {
      try run(
        """
        INSERT INTO release_files (release, position, path, size, sha256, md5, crc32, method,
          compressed_size, header_offset, data_offset, compressed_sha256, encrypted)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .integer(release), .integer(Int64(position)), .text(file.path), .integer(file.size),
        Value(file.sha256?.bytes), Value(file.md5?.bytes), .text(file.crc32),
        .integer(Int64(file.method)), .integer(file.compressedSize), .integer(file.headerOffset),
        .integer(file.dataOffset), .blob(file.compressedSha256.bytes), Value(file.encrypted))
    }
    for (position, entry) in facts.ignored.enumerated() {
      try run(
        "INSERT INTO release_ignored (release, position, path, reason) VALUES (?, ?, ?, ?)",
        .integer(release), .integer(Int64(position)), .text(entry.path), .text(entry.reason))
    }
  }

  private static func blocks(_ bytes: [UInt8]) -> [SHA256Digest]? {
    guard bytes.count.isMultiple(of: SHA256.byteCount) else { return nil }
    let starts = stride(from: 0, to: bytes.count, by: SHA256.byteCount)
    return starts.compactMap { SHA256Digest(bytes: Array(bytes[$0..<$0 + SHA256.byteCount])) }
  }
}

extension Manifest.File {
  fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
    self.init(
      path: try row.text(0), size: try row.int(1),
      sha256: row.isNull(2) ? nil : try row.parsedBlob(2, SHA256Digest.init(bytes:)),
      md5: row.isNull(3) ? nil : try row.parsedBlob(3, MD5Digest.init(bytes:)),
      crc32: try row.text(4), method: Int(try row.int(5)), compressedSize: try row.int(6),
      headerOffset: try row.int(7), dataOffset: try row.int(8),
      compressedSha256: try row.parsedBlob(9, SHA256Digest.init(bytes:)), encrypted: try row.bool(10))
  }
}
