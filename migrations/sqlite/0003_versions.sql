-- Versions, their private record, and uploads that wait to become one.

CREATE TABLE uploads (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    staging_path TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_account ON uploads (account_id);

CREATE TABLE versions (
    id TEXT NOT NULL PRIMARY KEY,
    patch_id TEXT NOT NULL REFERENCES patches (id),
    version TEXT NOT NULL,
    manifest_digest TEXT NOT NULL,
    manifest BLOB NOT NULL,
    package_sha256 TEXT NOT NULL,
    package_size INTEGER NOT NULL,
    seek_table BLOB NOT NULL,
    adapter_sha256 TEXT NOT NULL,
    -- The blob of the validation cases, from which publication takes them.
    cases_sha256 TEXT NOT NULL,
    -- The acknowledgement of personal data in the dataset that was given at the push.
    acknowledgement TEXT,
    attestation BLOB NOT NULL,
    pusher_id TEXT NOT NULL REFERENCES accounts (id),
    created_at INTEGER NOT NULL,
    evidence_state TEXT NOT NULL CONSTRAINT version_evidence_known
        CHECK (evidence_state IN ('IMPROVED_ON_SCOPE', 'EXPERIMENTAL', 'DEGRADED')),
    state TEXT NOT NULL CONSTRAINT version_state_known
        CHECK (state IN ('candidate', 'submitted', 'approved', 'published', 'deprecated', 'withdrawn', 'taken-down')),
    licence_state TEXT NOT NULL CONSTRAINT version_licence_known
        CHECK (licence_state IN ('none', 'granted-free', 'granted-paid', 'ended')),
    -- Digest of the last decision's signed payload: what the next decision must name as its predecessor.
    head TEXT NOT NULL,
    submission_id TEXT REFERENCES submissions (id),
    publish_validation_cases INTEGER NOT NULL CONSTRAINT version_cases_bool CHECK (publish_validation_cases IN (0, 1)),
    UNIQUE (patch_id, version),
    UNIQUE (patch_id, manifest_digest),
    UNIQUE (id, pusher_id, manifest_digest)
) STRICT;
CREATE INDEX versions_manifest ON versions (manifest_digest);
CREATE INDEX versions_state ON versions (state);

-- The private evaluation record; its five files are blobs.
CREATE TABLE record_files (
    version_id TEXT NOT NULL REFERENCES versions (id),
    name TEXT NOT NULL CONSTRAINT record_file_known
        CHECK (name IN ('dataset.jsonl', 'regression.jsonl', 'outputs.jsonl', 'run.json', 'training.json')),
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    CONSTRAINT record_files_version_id_name_key PRIMARY KEY (version_id, name)
) STRICT;

-- What was pushed never changes, and a version name is never reused.
CREATE TRIGGER versions_frozen BEFORE UPDATE OF id, patch_id, version, manifest_digest, manifest, package_sha256,
    package_size, seek_table, adapter_sha256, cases_sha256, acknowledgement, attestation, pusher_id, created_at, evidence_state ON versions
BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER versions_kept BEFORE DELETE ON versions
BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER record_files_frozen BEFORE UPDATE ON record_files
BEGIN SELECT RAISE(ABORT, 'append_only'); END;
