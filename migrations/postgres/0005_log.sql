-- The tree over the leaves: its right edge, the roots of full tiles, one head per append, and what was signed of it.

-- The right edge after the newest leaf, changed in the transaction of the append. Empty: not computed yet.
ALTER TABLE log_counter ADD COLUMN frontier BYTEA NOT NULL DEFAULT '';

-- Roots of full tiles: the hashes of the tiles above level 0.
CREATE TABLE log_nodes (
    level BIGINT NOT NULL CONSTRAINT log_node_level_known CHECK (level BETWEEN 1 AND 7),
    idx BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    CONSTRAINT log_nodes_level_idx_key PRIMARY KEY (level, idx)
);

-- One for each append, written with it: there are never two heads of one size.
CREATE TABLE log_heads (
    size BIGINT NOT NULL,
    root BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT log_heads_size_key PRIMARY KEY (size)
);

-- Signed notes of heads, stored before they are served. A head has another note under another origin or key.
CREATE TABLE log_notes (
    origin TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL REFERENCES log_heads (size),
    keyid TEXT COLLATE "C" NOT NULL,
    note TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT log_notes_origin_size_keyid_key PRIMARY KEY (origin, size, keyid)
);
CREATE INDEX log_notes_size ON log_notes (size);

-- The newest line of each cosigner of a head: the log's own and those of witnesses.
CREATE TABLE log_cosignatures (
    origin TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL REFERENCES log_heads (size),
    name TEXT COLLATE "C" NOT NULL,
    key_id BIGINT NOT NULL,
    line TEXT COLLATE "C" NOT NULL,
    cosigned_at BIGINT NOT NULL,
    CONSTRAINT log_cosignatures_origin_size_name_key_id_key PRIMARY KEY (origin, size, name, key_id)
);

-- Signed status of all versions at a head.
CREATE TABLE statuses (
    origin TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL REFERENCES log_heads (size),
    issued_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    envelope BYTEA NOT NULL,
    CONSTRAINT statuses_origin_size_issued_at_key PRIMARY KEY (origin, size, issued_at)
);

CREATE TRIGGER log_nodes_frozen BEFORE UPDATE ON log_nodes
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_nodes_kept BEFORE DELETE ON log_nodes
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_heads_frozen BEFORE UPDATE ON log_heads
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_heads_kept BEFORE DELETE ON log_heads
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_notes_frozen BEFORE UPDATE ON log_notes
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_notes_kept BEFORE DELETE ON log_notes
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A release waits for the proofs of its own leaves: its document comes once, after the decision.
ALTER TABLE releases ALTER COLUMN release DROP NOT NULL;
CREATE INDEX releases_open ON releases (created_at) WHERE release IS NULL;
DROP TRIGGER releases_frozen ON releases;
CREATE TRIGGER releases_frozen BEFORE UPDATE OF version_id, license_text, created_at ON releases
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER release_frozen BEFORE UPDATE OF release ON releases
    FOR EACH ROW WHEN (OLD.release IS NOT NULL) EXECUTE FUNCTION refuse_change();
