-- What a mirror needs of a package beside payloads it may have already: one row a release; none where no index could be
-- made, or none was yet.
CREATE TABLE release_indexes (
  release INTEGER PRIMARY KEY REFERENCES releases (sequence) ON DELETE CASCADE,
  -- Of `bytes`.
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
  bytes BLOB NOT NULL
) STRICT;
