internal import SQLite

/// A connection as the tables' files use it: SQLite's errors arrive as `CatalogueError`.
///
/// Each table group's statements are extensions of this type and run inside the caller's transaction.
struct Session {
  let database: Database

  @discardableResult
  func run(_ sql: String, _ values: Value...) throws(CatalogueError) -> Int {
    do throws(SQLiteError) { return try database.run(sql, values) } catch { throw CatalogueError(error) }
  }

  func query<Element>(
    _ sql: String, _ values: Value..., as body: (borrowing Row) throws(SQLiteError) -> Element
  ) throws(CatalogueError) -> [Element] {
    do throws(SQLiteError) { return try database.query(sql, values, as: body) } catch {
      throw CatalogueError(error)
    }
  }

  func first<Element>(
    _ sql: String, _ values: Value..., as body: (borrowing Row) throws(SQLiteError) -> Element
  ) throws(CatalogueError) -> Element? {
    do throws(SQLiteError) { return try database.first(sql, values, as: body) } catch {
      throw CatalogueError(error)
    }
  }

  func exists(_ sql: String, _ values: Value...) throws(CatalogueError) -> Bool {
    do throws(SQLiteError) { return try database.first(sql, values) { _ in true } ?? false } catch {
      throw CatalogueError(error)
    }
  }
}
