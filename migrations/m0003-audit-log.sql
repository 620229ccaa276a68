-- Who changed what, oldest first. `actor` is a token's name, or `cli`.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The game or the token that was changed.
  subject TEXT NOT NULL,
  version TEXT,
  channel TEXT,
  detail TEXT
) STRICT;
