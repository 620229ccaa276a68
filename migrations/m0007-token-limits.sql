-- The ids of the games that a token may publish, separated by spaces; null for all.
ALTER TABLE tokens ADD COLUMN games TEXT;
-- When it was last accepted, told some time later.
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;
