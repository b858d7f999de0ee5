-- What a release needs besides its proofs, from the decision until the proofs are there.

-- The document without proofs, as the transaction of the publication saw everything; gone when the release is there.
ALTER TABLE releases ADD COLUMN draft BYTEA;

-- Where the log has the registration that a submission was signed with.
ALTER TABLE submissions ADD COLUMN registration_index BIGINT REFERENCES log_leaves (idx);

-- A published version names its publication; versions that left that state are asked for the decision that moved them.
CREATE INDEX decisions_kind ON decisions (version_id, kind);
CREATE INDEX statuses_issued ON statuses (origin, issued_at);
