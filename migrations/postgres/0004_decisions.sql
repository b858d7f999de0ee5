-- The decisions on versions, each a leaf of the log, and what they bring about.

CREATE TABLE decisions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version_id TEXT COLLATE "C" NOT NULL REFERENCES versions (id),
    n BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CONSTRAINT decision_kind_known
        CHECK (kind IN ('attested', 'submitted', 'returned', 'approved', 'revoked', 'published', 'licence-granted',
            'licence-ended', 'deprecated', 'restored', 'withdrawn', 'taken-down')),
    actor_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    envelope BYTEA NOT NULL,
    record BYTEA NOT NULL,
    record_sha256 TEXT COLLATE "C" NOT NULL,
    -- For a private patch the leaf is a commitment to salt and record, which only these two open.
    salt BYTEA,
    created_at BIGINT NOT NULL,
    log_index BIGINT NOT NULL UNIQUE REFERENCES log_leaves (idx),
    UNIQUE (version_id, n)
);

CREATE TABLE submissions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version_id TEXT COLLATE "C" NOT NULL REFERENCES versions (id),
    submitter_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    manifest_digest TEXT COLLATE "C" NOT NULL,
    envelope BYTEA NOT NULL,
    -- The registration of the key that signed it, as it was then: the submitter may have another role later.
    registration BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (id, submitter_id, version_id, manifest_digest)
);
ALTER TABLE versions ADD FOREIGN KEY (submission_id) REFERENCES submissions (id);
CREATE INDEX submissions_version ON submissions (version_id);

-- Submitter and pusher are repeated here so that the database itself can refuse a review of one's own work: the
-- composite keys tie them to what was really submitted and pushed, the checks compare them with the reviewer.
CREATE TABLE reviews (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version_id TEXT COLLATE "C" NOT NULL,
    submission_id TEXT COLLATE "C" NOT NULL,
    submitter_id TEXT COLLATE "C" NOT NULL,
    pusher_id TEXT COLLATE "C" NOT NULL,
    reviewer_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    manifest_digest TEXT COLLATE "C" NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL CONSTRAINT review_verdict_known CHECK (verdict IN ('approve', 'return', 'revoke')),
    created_at BIGINT NOT NULL,
    -- Taking an approval back needs no second person.
    CONSTRAINT reviewer_is_not_submitter CHECK (reviewer_id <> submitter_id OR verdict = 'revoke'),
    CONSTRAINT reviewer_is_not_pusher CHECK (reviewer_id <> pusher_id OR verdict = 'revoke'),
    CONSTRAINT review_of_submission FOREIGN KEY (submission_id, submitter_id, version_id, manifest_digest)
        REFERENCES submissions (id, submitter_id, version_id, manifest_digest),
    CONSTRAINT review_of_version FOREIGN KEY (version_id, pusher_id, manifest_digest)
        REFERENCES versions (id, pusher_id, manifest_digest)
);
CREATE INDEX reviews_submission ON reviews (submission_id);

CREATE TABLE licence_records (
    version_id TEXT COLLATE "C" NOT NULL REFERENCES versions (id),
    n BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL CONSTRAINT licence_state_known CHECK (state IN ('none', 'granted-free', 'granted-paid', 'ended')),
    envelope BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT licence_records_version_id_n_key PRIMARY KEY (version_id, n)
);

-- Frozen at publication. Only the validation cases can be erased later, when a version is taken down.
CREATE TABLE releases (
    version_id TEXT COLLATE "C" NOT NULL REFERENCES versions (id),
    release BYTEA NOT NULL,
    license_text BYTEA NOT NULL,
    validation_cases BYTEA,
    created_at BIGINT NOT NULL,
    CONSTRAINT releases_version_id_key PRIMARY KEY (version_id)
);

CREATE TABLE outbox (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    done_at BIGINT
);
CREATE INDEX outbox_open ON outbox (created_at) WHERE done_at IS NULL;

CREATE TRIGGER decisions_frozen BEFORE UPDATE ON decisions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decisions_kept BEFORE DELETE ON decisions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER submissions_frozen BEFORE UPDATE ON submissions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER submissions_kept BEFORE DELETE ON submissions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reviews_frozen BEFORE UPDATE ON reviews
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reviews_kept BEFORE DELETE ON reviews
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER licence_records_frozen BEFORE UPDATE ON licence_records
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER licence_records_kept BEFORE DELETE ON licence_records
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER releases_frozen BEFORE UPDATE OF version_id, release, license_text, created_at ON releases
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER releases_kept BEFORE DELETE ON releases
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
