internal import SQLite

/// The tables of `mirror.sqlite`, forward only: a released migration is never edited.
enum StoreSchema {
  /// Marks the file as a mirror's: "GDmr".
  static let applicationID: Int32 = 0x4744_6d72

  static let migrator = Migrator([
    Migration(
      name: "m0001-mirror",
      sql: """
        CREATE TABLE mirror (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          catalogue TEXT,
          revision INTEGER,
          channel TEXT,
          scope TEXT,
          stamp TEXT,
          is_unfinished INTEGER NOT NULL DEFAULT 0,
          synced_at TEXT,
          exit_code INTEGER,
          summary TEXT
        ) STRICT;
        INSERT INTO mirror (id) VALUES (1);

        CREATE TABLE targets (
          game_id TEXT PRIMARY KEY,
          title TEXT NOT NULL,
          version TEXT NOT NULL,
          url TEXT NOT NULL,
          sha256 TEXT NOT NULL,
          md5 TEXT NOT NULL,
          size INTEGER NOT NULL,
          published_at TEXT NOT NULL,
          is_in_step INTEGER NOT NULL DEFAULT 0,
          error TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX targets_pending ON targets (game_id) WHERE is_in_step = 0;

        CREATE TABLE installed (
          game_id TEXT NOT NULL,
          version TEXT NOT NULL,
          title TEXT NOT NULL,
          sha256 TEXT NOT NULL,
          md5 TEXT NOT NULL,
          size INTEGER NOT NULL,
          unpacked_size INTEGER NOT NULL,
          is_unpacked INTEGER NOT NULL,
          is_current INTEGER NOT NULL,
          installed_at TEXT NOT NULL,
          activation INTEGER NOT NULL,
          PRIMARY KEY (game_id, version)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX installed_current ON installed (game_id) WHERE is_current = 1;

        CREATE TABLE journal (
          game_id TEXT PRIMARY KEY,
          title TEXT NOT NULL,
          version TEXT NOT NULL,
          sha256 TEXT NOT NULL,
          md5 TEXT NOT NULL,
          size INTEGER NOT NULL,
          unpacked_size INTEGER NOT NULL,
          staging_inode TEXT
        ) STRICT, WITHOUT ROWID;
        """),
    Migration(name: "m0002-receipts", sql: ReceiptTable.migration),
    Migration(
      name: "m0003-removals",
      sql: """
        ALTER TABLE mirror ADD COLUMN seen_catalogue TEXT;
        ALTER TABLE mirror ADD COLUMN seen_revision INTEGER;
        ALTER TABLE mirror ADD COLUMN doubt TEXT;

        CREATE TABLE removals (
          game_id TEXT PRIMARY KEY
        ) STRICT, WITHOUT ROWID;
        """),
    Migration(
      name: "m0004-versions",
      sql: """
        -- One row a version, its files in one blob: 10,000 small games stay 10,000 rows.
        CREATE TABLE installed_files (
          game_id TEXT NOT NULL,
          version TEXT NOT NULL,
          sha256 TEXT NOT NULL,
          root TEXT NOT NULL,
          names_encoding TEXT NOT NULL,
          list BLOB NOT NULL,
          PRIMARY KEY (game_id, version, sha256)
        ) STRICT;

        ALTER TABLE installed ADD COLUMN has_package INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE installed ADD COLUMN shared_files INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE installed ADD COLUMN shared_bytes INTEGER NOT NULL DEFAULT 0;

        ALTER TABLE journal ADD COLUMN keeps_package INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE journal ADD COLUMN shared_files INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE journal ADD COLUMN shared_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE journal ADD COLUMN previous TEXT;
        ALTER TABLE journal ADD COLUMN is_undone INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE holds (
          game_id TEXT PRIMARY KEY,
          version TEXT NOT NULL,
          offered_sha256 TEXT,
          offered_at TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE bad_versions (
          game_id TEXT NOT NULL,
          version TEXT NOT NULL,
          sha256 TEXT NOT NULL,
          until TEXT NOT NULL,
          reason TEXT NOT NULL,
          PRIMARY KEY (game_id, version, sha256)
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE mirror ADD COLUMN verified_at TEXT;
        ALTER TABLE mirror ADD COLUMN verify_exit_code INTEGER;
        ALTER TABLE mirror ADD COLUMN verify_summary TEXT;
        """),
    Migration(
      name: "m0005-isolation",
      sql: """
        -- NULL: installed before anybody looked.
        ALTER TABLE installed_files ADD COLUMN needs_isolation INTEGER;
        """),
    Migration(name: "m0006-offers", sql: OfferTables.migration),
  ])
}
