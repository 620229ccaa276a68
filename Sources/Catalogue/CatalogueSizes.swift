internal import SQLite

/// How much a catalogue holds.
public struct CatalogueSizes: Sendable, Hashable {
  /// Games that are published.
  public let games: Int64
  /// Versions in their histories.
  public let versions: Int64
  /// Bytes of the versions' packages; one that several versions share counts for each.
  public let packageBytes: Int64
  /// How often what it shows has changed.
  public let revision: Int64
}

extension Catalogue {
  /// How much there is. Takes some milliseconds for each 100,000 games.
  public func sizes() throws(CatalogueError) -> CatalogueSizes {
    try readSnapshot { (session) throws(CatalogueError) in
      let games = try session.first("SELECT count(*) FROM games") { (row) throws(SQLiteError) in
        try row.int(0)
      }
      let releases = try session.first("SELECT count(*), coalesce(sum(size), 0) FROM releases") {
        (row) throws(SQLiteError) in (count: try row.int(0), bytes: try row.int(1))
      }
      return CatalogueSizes(
        games: games ?? 0, versions: releases?.count ?? 0, packageBytes: releases?.bytes ?? 0,
        revision: try session.revision().newest)
    }
  }
}
