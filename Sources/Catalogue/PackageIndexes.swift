public import DepotModel
internal import SQLite

/// The index of a package as it is kept, byte for byte what a client gets.
public struct StoredIndex: Sendable, Hashable {
  /// What the client gets.
  public let bytes: [UInt8]
  /// Of `bytes`.
  public let sha256: SHA256Digest
  /// Checksums of the blocks of large payloads; empty where there are none.
  public let blockSums: [UInt8]

  /// Bytes and their digest, which the caller has made of them, and the sums that go with them.
  public init(bytes: [UInt8], sha256: SHA256Digest, blockSums: [UInt8]) {
    self.bytes = bytes
    self.sha256 = sha256
    self.blockSums = blockSums
  }
}

/// What an update to a version needs to be told.
public struct UpdateFacts: Sendable, Hashable {
  /// The wrapper folder the paths have lost, with its slash; empty when there was none.
  public let root: String
  /// How the names in the zip were read: `utf-8`, `gb18030` …
  public let namesEncoding: String
  /// Bytes of all files unpacked.
  public let unpackedSize: Int64
  /// Files that are unpacked.
  public let fileCount: Int64
  /// A file at least needs a password.
  public let isEncrypted: Bool
  /// Bytes and SHA-256 of the index; nil when there is none.
  public let index: Index?

  /// What is told of an index.
  public struct Index: Sendable, Hashable {
    /// Bytes.
    public let size: Int64
    /// Of its bytes.
    public let sha256: SHA256Digest
    /// Bytes of the sums of blocks that go with it; 0 where there are none.
    public let blockSumsSize: Int64
  }
}

extension Catalogue {
  /// What an update to a version needs; nil when the game has no such version.
  public func updateFacts(_ id: GameID, _ version: H5Version) throws(CatalogueError) -> UpdateFacts? {
    try read { (session) throws(CatalogueError) in
      try session.first(
        """
        SELECT p.root, p.names_encoding, p.unpacked_size,
          (SELECT count(*) FROM release_files WHERE release = r.sequence),
          EXISTS (SELECT 1 FROM release_files WHERE release = r.sequence AND encrypted = 1),
          length(i.bytes), i.sha256, length(i.block_sums)
        FROM releases r JOIN release_packages p ON p.release = r.sequence
        LEFT JOIN release_indexes i ON i.release = r.sequence
        WHERE r.game = ? AND r.version = ?
        """, .text(id.text), .text(version.text)
      ) { (row) throws(SQLiteError) in
        UpdateFacts(
          root: try row.text(0), namesEncoding: try row.text(1), unpackedSize: try row.int(2),
          fileCount: try row.int(3), isEncrypted: try row.bool(4),
          index: row.isNull(5)
            ? nil
            : UpdateFacts.Index(
              size: try row.int(5), sha256: try row.parsedBlob(6, SHA256Digest.init(bytes:)),
              blockSumsSize: row.isNull(7) ? 0 : try row.int(7)))
      }
    }
  }

  /// The index of a version's package; nil when there is none.
  public func packageIndex(_ id: GameID, _ version: H5Version) throws(CatalogueError) -> StoredIndex? {
    try read { (session) throws(CatalogueError) in
      try session.first(
        """
        SELECT i.bytes, i.sha256, i.block_sums FROM releases r JOIN release_indexes i ON i.release = r.sequence
        WHERE r.game = ? AND r.version = ?
        """, .text(id.text), .text(version.text)
      ) { (row) throws(SQLiteError) in
        StoredIndex(
          bytes: try row.blob(0), sha256: try row.parsedBlob(1, SHA256Digest.init(bytes:)),
          blockSums: row.isNull(2) ? [] : try row.blob(2))
      }
    }
  }

  /// The releases whose package has no index yet, or one without its sums of blocks, in the order of publishing.
  public func releasesWithoutIndex() throws(CatalogueError) -> [Release] {
    try read { (session) throws(CatalogueError) in
      try session.query(
        Release.uploaded
          + " WHERE r.sequence NOT IN (SELECT release FROM release_indexes WHERE block_sums IS NOT NULL) ORDER BY r.sequence"
      ) { (row) throws(SQLiteError) in try Release(asUploaded: row) }
    }
  }

  /// Keeps the index of a package for every release of it, in place of any before. The revision stays: no game changes by it.
  public func store(_ index: StoredIndex, ofPackage digest: SHA256Digest) throws(CatalogueError) {
    _ = try write { (session) throws(CatalogueError) in
      try session.run(
        """
        INSERT INTO release_indexes (release, sha256, bytes, block_sums)
        SELECT sequence, ?, ?, ? FROM releases WHERE sha256 = ?
        ON CONFLICT (release) DO UPDATE
        SET sha256 = excluded.sha256, bytes = excluded.bytes, block_sums = excluded.block_sums
        """, .blob(index.sha256.bytes), .blob(index.bytes), .blob(index.blockSums), .blob(digest.bytes))
    }
  }

  /// Forgets the index of a package, which is damaged and cannot be made again.
  public func removeIndex(ofPackage digest: SHA256Digest) throws(CatalogueError) {
    _ = try write { (session) throws(CatalogueError) in
      try session.run(
        "DELETE FROM release_indexes WHERE release IN (SELECT sequence FROM releases WHERE sha256 = ?)",
        .blob(digest.bytes))
    }
  }
}

extension Session {
  func insert(_ index: StoredIndex, for release: Int64) throws(CatalogueError) {
    try run(
      "INSERT INTO release_indexes (release, sha256, bytes, block_sums) VALUES (?, ?, ?, ?)",
      .integer(release), .blob(index.sha256.bytes), .blob(index.bytes), .blob(index.blockSums))
  }
}
