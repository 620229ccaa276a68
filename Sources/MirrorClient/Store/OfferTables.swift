/// The catalogue that a mirror hands on to mirrors of its own: who it is, and a number that grows with every change of what
/// it offers, so that they ask only for what changed since. Triggers keep it, so that no way of changing what is in use
/// can pass it by.
enum OfferTables {
  /// What makes a game's package another one, and lets the game be there.
  private static let moved = """
    UPDATE offering SET revision = revision + 1;
    INSERT INTO offers (game_id, revision, moved_at, is_removed)
      SELECT NEW.game_id, 0, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM offers WHERE game_id = NEW.game_id);
    UPDATE offers SET revision = (SELECT revision FROM offering), is_removed = 0,
      moved_at = max(CAST(strftime('%s', 'now') AS INTEGER), moved_at + 1)
      WHERE game_id = NEW.game_id;
    """

  private static let left = """
    UPDATE offering SET revision = revision + 1;
    UPDATE offers SET revision = (SELECT revision FROM offering), is_removed = 1
      WHERE game_id = OLD.game_id;
    """

  static let migration = """
    ALTER TABLE targets ADD COLUMN mandatory INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE targets ADD COLUMN min_host_version TEXT;
    ALTER TABLE targets ADD COLUMN notes TEXT;

    -- What its server said of a version. NULL: it was installed before that was kept.
    ALTER TABLE installed ADD COLUMN published_at TEXT;
    ALTER TABLE installed ADD COLUMN mandatory INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE installed ADD COLUMN min_host_version TEXT;
    ALTER TABLE installed ADD COLUMN notes TEXT;

    UPDATE installed SET published_at = (
      SELECT published_at FROM targets AS t
      WHERE t.game_id = installed.game_id AND t.version = installed.version AND t.sha256 = installed.sha256);

    -- The next sync asks for everything once: what was not kept so far is learnt then.
    UPDATE mirror SET seen_catalogue = coalesce(seen_catalogue, catalogue),
      seen_revision = coalesce(seen_revision, revision), catalogue = NULL, revision = NULL;

    CREATE TABLE offering (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      catalogue TEXT NOT NULL,
      revision INTEGER NOT NULL
    ) STRICT;
    INSERT INTO offering (id, catalogue, revision) VALUES (
      1,
      -- RFC 9562 §5.4: a random UUID, version 4.
      lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
      ),
      1
    );

    CREATE TABLE offers (
      game_id TEXT PRIMARY KEY,
      -- Of the last change of anything that is told of the game.
      revision INTEGER NOT NULL,
      -- When its version came into use: seconds since 1970, at least one more with every move.
      moved_at INTEGER NOT NULL,
      is_removed INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX offers_by_revision ON offers (revision, game_id);
    INSERT INTO offers (game_id, revision, moved_at, is_removed)
      SELECT game_id, 1, coalesce(CAST(strftime('%s', installed_at) AS INTEGER), 0), 0 FROM installed WHERE is_current = 1;

    CREATE TRIGGER installed_learns AFTER INSERT ON installed BEGIN
      UPDATE installed SET (title, published_at, mandatory, min_host_version, notes) = (
        SELECT title, published_at, mandatory, min_host_version, notes FROM targets AS t
        WHERE t.game_id = NEW.game_id)
      WHERE game_id = NEW.game_id AND version = NEW.version AND EXISTS (
        SELECT 1 FROM targets AS t
        WHERE t.game_id = NEW.game_id AND t.version = NEW.version AND t.sha256 = NEW.sha256);
    END;
    CREATE TRIGGER targets_teach_new AFTER INSERT ON targets BEGIN
    \(taught)
    END;
    CREATE TRIGGER targets_teach AFTER UPDATE OF title, version, sha256, published_at, mandatory, min_host_version,
      notes ON targets
    BEGIN
    \(taught)
    END;

    CREATE TRIGGER offers_new AFTER INSERT ON installed WHEN NEW.is_current = 1 BEGIN
    \(moved)
    END;
    CREATE TRIGGER offers_moved AFTER UPDATE OF is_current ON installed
      WHEN OLD.is_current = 0 AND NEW.is_current = 1
    BEGIN
    \(moved)
    END;
    CREATE TRIGGER offers_left AFTER UPDATE OF is_current ON installed
      WHEN OLD.is_current = 1 AND NEW.is_current = 0
    BEGIN
    \(left)
    END;
    CREATE TRIGGER offers_removed AFTER DELETE ON installed WHEN OLD.is_current = 1 BEGIN
    \(left)
    END;
    CREATE TRIGGER offers_told AFTER UPDATE OF title, published_at, mandatory, min_host_version, notes ON installed
      WHEN NEW.is_current = 1
        AND (NEW.title, NEW.published_at, NEW.mandatory, NEW.min_host_version, NEW.notes)
          IS NOT (OLD.title, OLD.published_at, OLD.mandatory, OLD.min_host_version, OLD.notes)
    BEGIN
      UPDATE offering SET revision = revision + 1;
      UPDATE offers SET revision = (SELECT revision FROM offering) WHERE game_id = NEW.game_id;
    END;
    """

  private static let taught = """
    UPDATE installed SET title = NEW.title, published_at = NEW.published_at, mandatory = NEW.mandatory,
      min_host_version = NEW.min_host_version, notes = NEW.notes
    WHERE game_id = NEW.game_id AND version = NEW.version AND sha256 = NEW.sha256
      AND (title, published_at, mandatory, min_host_version, notes)
        IS NOT (NEW.title, NEW.published_at, NEW.mandatory, NEW.min_host_version, NEW.notes);
    """
}
