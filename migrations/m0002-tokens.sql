-- Bearer tokens, of which only the SHA-256 is kept.
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'publish', 'admin')),
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE UNIQUE INDEX tokens_by_active_name ON tokens (name) WHERE revoked_at IS NULL;
