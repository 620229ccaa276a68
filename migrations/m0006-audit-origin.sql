-- From where the change was made: a client's address, or `cli`; null in lines written before this was kept.
ALTER TABLE audit_log ADD COLUMN origin TEXT;

CREATE INDEX audit_log_by_subject ON audit_log (subject, id);
CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
