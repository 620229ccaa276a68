public import DepotModel
internal import SQLite

extension Catalogue {
  /// Writes one state of the catalogue to a new file, which is on the disk when this returns; publishing goes on meanwhile.
  public func backUp(to path: String) throws(CatalogueError) {
    try read { (session) throws(CatalogueError) in
      do throws(SQLiteError) { try session.database.backUp(to: path) } catch { throw CatalogueError(error) }
    }
  }

  /// What the file at `path` says of packages, read also on a full disk, where SQLite cannot make what it shares with others
  /// who have the file open. A file that `isStill` belongs to nobody else, has no log, and is read without leaving a trace.
  public static func contents(
    ofFileAt path: String, isStill: Bool = false
  ) throws(CatalogueError) -> CatalogueContents {
    do throws(SQLiteError) {
      guard !isStill else {
        return try contents(of: Database(path: path, mode: .immutable, applicationID: applicationID))
      }
      do throws(SQLiteError) {
        return try contents(of: Database(path: path, mode: .readOnly, applicationID: applicationID))
      } catch {
        guard error.isDiskFull || error.isNotPermitted || error.isDiskFailure else { throw error }
        return try contents(of: Database(path: path, mode: .alone, applicationID: applicationID))
      }
    } catch {
      throw CatalogueError(error)
    }
  }

  private static func contents(of database: Database) throws(SQLiteError) -> CatalogueContents {
    let point = try database.first("SELECT catalogue, revision FROM meta") { (row) throws(SQLiteError) in
      (identity: try row.text(0), revision: try row.int(1))
    }
    let packages = try database.query("SELECT DISTINCT sha256, size FROM releases ORDER BY sha256") {
      (row) throws(SQLiteError) in
      StoredPackage(sha256: try row.parsedBlob(0, SHA256Digest.init(bytes:)), size: try row.int(1))
    }
    return CatalogueContents(
      identity: point?.identity ?? "", revision: point?.revision ?? 0, packages: packages)
  }

  /// Makes the catalogue in the file at `path` another one, of which no client knows a revision. Migrates it.
  public static func giveNewIdentity(toFileAt path: String) throws(CatalogueError) {
    do throws(SQLiteError) {
      let database = try Database(
        path: path, mode: .readWrite(create: false), applicationID: applicationID)
      try Migrator(migrations).migrate(database)
      // RFC 9562 §5.4: a random UUID, version 4.
      try database.run(
        """
        UPDATE meta SET oldest_revision = revision, catalogue = lower(
          hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
          || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
        """)
    } catch {
      throw CatalogueError(error)
    }
  }
}

/// What a catalogue's file says of packages.
public struct CatalogueContents: Sendable, Hashable {
  /// The catalogue's UUID.
  public let identity: String
  /// How often what it shows has changed.
  public let revision: Int64
  /// Those that releases need, by digest.
  public let packages: [StoredPackage]
}

/// A package as releases name it.
public struct StoredPackage: Sendable, Hashable {
  /// Its name in the blob store.
  public let sha256: SHA256Digest
  /// Bytes.
  public let size: Int64
}
