-- The tree over the leaves: its right edge, the roots of full tiles, one head per append, and what was signed of it.

-- The right edge after the newest leaf, changed in the transaction of the append. Empty: not computed yet.
ALTER TABLE log_counter ADD COLUMN frontier BLOB NOT NULL DEFAULT X'';

-- Roots of full tiles: the hashes of the tiles above level 0.
CREATE TABLE log_nodes (
    level INTEGER NOT NULL CONSTRAINT log_node_level_known CHECK (level BETWEEN 1 AND 7),
    idx INTEGER NOT NULL,
    hash BLOB NOT NULL,
    CONSTRAINT log_nodes_level_idx_key PRIMARY KEY (level, idx)
) STRICT;

-- One for each append, written with it: there are never two heads of one size.
CREATE TABLE log_heads (
    size INTEGER NOT NULL,
    root BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT log_heads_size_key PRIMARY KEY (size)
) STRICT;

-- Signed notes of heads, stored before they are served. A head has another note under another origin or key.
CREATE TABLE log_notes (
    origin TEXT NOT NULL,
    size INTEGER NOT NULL REFERENCES log_heads (size),
    keyid TEXT NOT NULL,
    note TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT log_notes_origin_size_keyid_key PRIMARY KEY (origin, size, keyid)
) STRICT;
CREATE INDEX log_notes_size ON log_notes (size);

-- The newest line of each cosigner of a head: the log's own and those of witnesses.
CREATE TABLE log_cosignatures (
    origin TEXT NOT NULL,
    size INTEGER NOT NULL REFERENCES log_heads (size),
    name TEXT NOT NULL,
    key_id INTEGER NOT NULL,
    line TEXT NOT NULL,
    cosigned_at INTEGER NOT NULL,
    CONSTRAINT log_cosignatures_origin_size_name_key_id_key PRIMARY KEY (origin, size, name, key_id)
) STRICT;

-- Signed status of all versions at a head.
CREATE TABLE statuses (
    origin TEXT NOT NULL,
    size INTEGER NOT NULL REFERENCES log_heads (size),
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    envelope BLOB NOT NULL,
    CONSTRAINT statuses_origin_size_issued_at_key PRIMARY KEY (origin, size, issued_at)
) STRICT;

CREATE TRIGGER log_nodes_frozen BEFORE UPDATE ON log_nodes BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER log_nodes_kept BEFORE DELETE ON log_nodes BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER log_heads_frozen BEFORE UPDATE ON log_heads BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER log_heads_kept BEFORE DELETE ON log_heads BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER log_notes_frozen BEFORE UPDATE ON log_notes BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER log_notes_kept BEFORE DELETE ON log_notes BEGIN SELECT RAISE(ABORT, 'append_only'); END;

-- A release waits for the proofs of its own leaves: its document comes once, after the decision. This engine cannot
-- take a NOT NULL back, so the table is made anew.
CREATE TABLE releases_pending (
    version_id TEXT NOT NULL REFERENCES versions (id),
    release BLOB,
    license_text BLOB NOT NULL,
    validation_cases BLOB,
    created_at INTEGER NOT NULL,
    CONSTRAINT releases_version_id_key PRIMARY KEY (version_id)
) STRICT;
INSERT INTO releases_pending (version_id, release, license_text, validation_cases, created_at)
    SELECT version_id, release, license_text, validation_cases, created_at FROM releases;
DROP TRIGGER releases_frozen;
DROP TRIGGER releases_kept;
DROP TABLE releases;
ALTER TABLE releases_pending RENAME TO releases;
CREATE INDEX releases_open ON releases (created_at) WHERE release IS NULL;
CREATE TRIGGER releases_frozen BEFORE UPDATE OF version_id, license_text, created_at ON releases
BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER release_frozen BEFORE UPDATE OF release ON releases WHEN OLD.release IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER releases_kept BEFORE DELETE ON releases BEGIN SELECT RAISE(ABORT, 'append_only'); END;
