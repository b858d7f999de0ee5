-- The decisions on versions, each a leaf of the log, and what they bring about.

CREATE TABLE decisions (
    id TEXT NOT NULL PRIMARY KEY,
    version_id TEXT NOT NULL REFERENCES versions (id),
    n INTEGER NOT NULL,
    kind TEXT NOT NULL CONSTRAINT decision_kind_known
        CHECK (kind IN ('attested', 'submitted', 'returned', 'approved', 'revoked', 'published', 'licence-granted',
            'licence-ended', 'deprecated', 'restored', 'withdrawn', 'taken-down')),
    actor_id TEXT NOT NULL REFERENCES accounts (id),
    envelope BLOB NOT NULL,
    record BLOB NOT NULL,
    record_sha256 TEXT NOT NULL,
    -- For a private patch the leaf is a commitment to salt and record, which only these two open.
    salt BLOB,
    created_at INTEGER NOT NULL,
    log_index INTEGER NOT NULL UNIQUE REFERENCES log_leaves (idx),
    UNIQUE (version_id, n)
) STRICT;

CREATE TABLE submissions (
    id TEXT NOT NULL PRIMARY KEY,
    version_id TEXT NOT NULL REFERENCES versions (id),
    submitter_id TEXT NOT NULL REFERENCES accounts (id),
    manifest_digest TEXT NOT NULL,
    envelope BLOB NOT NULL,
    -- The registration of the key that signed it, as it was then: the submitter may have another role later.
    registration BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (id, submitter_id, version_id, manifest_digest)
) STRICT;
CREATE INDEX submissions_version ON submissions (version_id);

-- Submitter and pusher are repeated here so that the database itself can refuse a review of one's own work: the
-- composite keys tie them to what was really submitted and pushed, the checks compare them with the reviewer.
CREATE TABLE reviews (
    id TEXT NOT NULL PRIMARY KEY,
    version_id TEXT NOT NULL,
    submission_id TEXT NOT NULL,
    submitter_id TEXT NOT NULL,
    pusher_id TEXT NOT NULL,
    reviewer_id TEXT NOT NULL REFERENCES accounts (id),
    manifest_digest TEXT NOT NULL,
    verdict TEXT NOT NULL CONSTRAINT review_verdict_known CHECK (verdict IN ('approve', 'return', 'revoke')),
    created_at INTEGER NOT NULL,
    -- Taking an approval back needs no second person.
    CONSTRAINT reviewer_is_not_submitter CHECK (reviewer_id <> submitter_id OR verdict = 'revoke'),
    CONSTRAINT reviewer_is_not_pusher CHECK (reviewer_id <> pusher_id OR verdict = 'revoke'),
    CONSTRAINT review_of_submission FOREIGN KEY (submission_id, submitter_id, version_id, manifest_digest)
        REFERENCES submissions (id, submitter_id, version_id, manifest_digest),
    CONSTRAINT review_of_version FOREIGN KEY (version_id, pusher_id, manifest_digest)
        REFERENCES versions (id, pusher_id, manifest_digest)
) STRICT;
CREATE INDEX reviews_submission ON reviews (submission_id);

CREATE TABLE licence_records (
    version_id TEXT NOT NULL REFERENCES versions (id),
    n INTEGER NOT NULL,
    state TEXT NOT NULL CONSTRAINT licence_state_known CHECK (state IN ('none', 'granted-free', 'granted-paid', 'ended')),
    envelope BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT licence_records_version_id_n_key PRIMARY KEY (version_id, n)
) STRICT;

-- Frozen at publication. Only the validation cases can be erased later, when a version is taken down.
CREATE TABLE releases (
    version_id TEXT NOT NULL REFERENCES versions (id),
    release BLOB NOT NULL,
    license_text BLOB NOT NULL,
    validation_cases BLOB,
    created_at INTEGER NOT NULL,
    CONSTRAINT releases_version_id_key PRIMARY KEY (version_id)
) STRICT;

CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    done_at INTEGER
) STRICT;
CREATE INDEX outbox_open ON outbox (created_at) WHERE done_at IS NULL;

CREATE TRIGGER decisions_frozen BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER decisions_kept BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER submissions_frozen BEFORE UPDATE ON submissions BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER submissions_kept BEFORE DELETE ON submissions BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER reviews_frozen BEFORE UPDATE ON reviews BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER reviews_kept BEFORE DELETE ON reviews BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER licence_records_frozen BEFORE UPDATE ON licence_records BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER licence_records_kept BEFORE DELETE ON licence_records BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER releases_frozen BEFORE UPDATE OF version_id, release, license_text, created_at ON releases
BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER releases_kept BEFORE DELETE ON releases BEGIN SELECT RAISE(ABORT, 'append_only'); END;
