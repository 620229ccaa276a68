internal import SQLite

extension Catalogue {
  /// Marks the file as this program's ("GDpt"); another program's database is refused.
  static let applicationID: Int32 = 0x4744_7074

  /// Every file of `migrations/`, in order; a test compares this list with the folder.
  static let migrations = [
    Migration(
      name: "m0001-games", sql: String(decoding: PackageResources.m0001_games_sql, as: UTF8.self)),
    Migration(
      name: "m0002-tokens", sql: String(decoding: PackageResources.m0002_tokens_sql, as: UTF8.self)),
    Migration(
      name: "m0003-audit-log", sql: String(decoding: PackageResources.m0003_audit_log_sql, as: UTF8.self)),
    Migration(
      name: "m0004-package-indexes",
      sql: String(decoding: PackageResources.m0004_package_indexes_sql, as: UTF8.self)),
    Migration(
      name: "m0005-block-sums", sql: String(decoding: PackageResources.m0005_block_sums_sql, as: UTF8.self)),
    Migration(
      name: "m0006-audit-origin",
      sql: String(decoding: PackageResources.m0006_audit_origin_sql, as: UTF8.self)),
    Migration(
      name: "m0007-token-limits",
      sql: String(decoding: PackageResources.m0007_token_limits_sql, as: UTF8.self)),
  ]
}
