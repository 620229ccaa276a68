-- One row: who this catalogue is and how often what it shows has changed.
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  catalogue TEXT NOT NULL,
  revision INTEGER NOT NULL,
  -- `since` an older revision than this cannot be answered.
  oldest_revision INTEGER NOT NULL
) STRICT;

INSERT INTO meta (id, catalogue, revision, oldest_revision) VALUES (
  1,
  -- RFC 9562 §5.4: a random UUID, version 4.
  lower(
    hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
    || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
  ),
  0,
  0
);

CREATE TABLE games (
  id TEXT NOT NULL PRIMARY KEY,
  -- The id in lower case: two ids may not differ by case only.
  folded TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Removed games. The folded id stays taken for this one spelling.
CREATE TABLE tombstones (
  game TEXT NOT NULL PRIMARY KEY,
  folded TEXT NOT NULL UNIQUE,
  removed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every version number a removed game ever used, and the bytes it stood for.
CREATE TABLE burnt_versions (
  game TEXT NOT NULL,
  version TEXT NOT NULL,
  md5 BLOB NOT NULL CHECK (length(md5) = 16),
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
  -- 1: not even the same bytes may come back.
  yanked INTEGER NOT NULL CHECK (yanked IN (0, 1)),
  PRIMARY KEY (game, version)
) STRICT, WITHOUT ROWID;

-- What was uploaded, as it was uploaded. `sequence` is the order of publishing.
CREATE TABLE releases (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
  version TEXT NOT NULL,
  md5 BLOB NOT NULL CHECK (length(md5) = 16),
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
  size INTEGER NOT NULL CHECK (size >= 0),
  published_at INTEGER NOT NULL,
  channel TEXT NOT NULL,
  mandatory INTEGER NOT NULL CHECK (mandatory IN (0, 1)),
  min_host_version TEXT,
  notes TEXT,
  state TEXT NOT NULL DEFAULT 'published' CHECK (state IN ('published', 'yanked')),
  UNIQUE (game, version)
) STRICT;

CREATE INDEX releases_by_sha256 ON releases (sha256);
CREATE INDEX releases_by_game ON releases (game, sequence);

-- What a look inside the package found: one row a release, apart because `blocks` can be long.
CREATE TABLE release_packages (
  release INTEGER PRIMARY KEY REFERENCES releases (sequence) ON DELETE CASCADE,
  root TEXT NOT NULL,
  names_encoding TEXT NOT NULL,
  unpacked_size INTEGER NOT NULL CHECK (unpacked_size >= 0),
  block_size INTEGER NOT NULL CHECK (block_size > 0),
  -- SHA-256 of each block of the zip, one after the other.
  blocks BLOB NOT NULL CHECK (length(blocks) % 32 = 0)
) STRICT;

CREATE TABLE release_files (
  release INTEGER NOT NULL REFERENCES releases (sequence) ON DELETE CASCADE,
  -- Place in the zip, from 0.
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL CHECK (size >= 0),
  -- Null for an encrypted file: its plain bytes are not known here.
  sha256 BLOB CHECK (length(sha256) = 32),
  md5 BLOB CHECK (length(md5) = 16),
  crc32 TEXT NOT NULL,
  method INTEGER NOT NULL,
  compressed_size INTEGER NOT NULL CHECK (compressed_size >= 0),
  header_offset INTEGER NOT NULL CHECK (header_offset >= 0),
  data_offset INTEGER NOT NULL CHECK (data_offset >= 0),
  compressed_sha256 BLOB NOT NULL CHECK (length(compressed_sha256) = 32),
  encrypted INTEGER NOT NULL CHECK (encrypted IN (0, 1)),
  PRIMARY KEY (release, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE release_ignored (
  release INTEGER NOT NULL REFERENCES releases (sequence) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (release, position)
) STRICT, WITHOUT ROWID;

-- The version a channel of a game points at, with the channel's own settings.
CREATE TABLE channels (
  name TEXT NOT NULL,
  game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
  release INTEGER NOT NULL REFERENCES releases (sequence),
  mandatory INTEGER NOT NULL CHECK (mandatory IN (0, 1)),
  min_host_version TEXT,
  rollout INTEGER NOT NULL DEFAULT 100 CHECK (rollout BETWEEN 0 AND 100),
  -- When it came to point at `release`: grows by at least a second with every move.
  moved_at INTEGER NOT NULL,
  -- The catalogue's revision when anything that this channel shows of the game last changed.
  revision INTEGER NOT NULL,
  PRIMARY KEY (name, game)
) STRICT, WITHOUT ROWID;

CREATE INDEX channels_by_revision ON channels (name, revision, game);
CREATE INDEX channels_by_game ON channels (game, name);
CREATE INDEX channels_by_release ON channels (release);

-- Games that a channel no longer shows, for those who ask what changed since.
CREATE TABLE departures (
  name TEXT NOT NULL,
  game TEXT NOT NULL,
  -- The channel's last `moved_at`: a game that returns continues after it.
  moved_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (name, game)
) STRICT, WITHOUT ROWID;

CREATE INDEX departures_by_revision ON departures (name, revision, game);
