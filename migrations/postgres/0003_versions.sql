-- Versions, their private record, and uploads that wait to become one.

CREATE TABLE uploads (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    size BIGINT NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    staging_path TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);
CREATE INDEX uploads_account ON uploads (account_id);

CREATE TABLE versions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    patch_id TEXT COLLATE "C" NOT NULL REFERENCES patches (id),
    version TEXT COLLATE "C" NOT NULL,
    manifest_digest TEXT COLLATE "C" NOT NULL,
    manifest BYTEA NOT NULL,
    package_sha256 TEXT COLLATE "C" NOT NULL,
    package_size BIGINT NOT NULL,
    seek_table BYTEA NOT NULL,
    adapter_sha256 TEXT COLLATE "C" NOT NULL,
    -- The blob of the validation cases, from which publication takes them.
    cases_sha256 TEXT COLLATE "C" NOT NULL,
    -- The acknowledgement of personal data in the dataset that was given at the push.
    acknowledgement TEXT COLLATE "C",
    attestation BYTEA NOT NULL,
    pusher_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    evidence_state TEXT COLLATE "C" NOT NULL CONSTRAINT version_evidence_known
        CHECK (evidence_state IN ('IMPROVED_ON_SCOPE', 'EXPERIMENTAL', 'DEGRADED')),
    state TEXT COLLATE "C" NOT NULL CONSTRAINT version_state_known
        CHECK (state IN ('candidate', 'submitted', 'approved', 'published', 'deprecated', 'withdrawn', 'taken-down')),
    licence_state TEXT COLLATE "C" NOT NULL CONSTRAINT version_licence_known
        CHECK (licence_state IN ('none', 'granted-free', 'granted-paid', 'ended')),
    -- Digest of the last decision's signed payload: what the next decision must name as its predecessor.
    head TEXT COLLATE "C" NOT NULL,
    submission_id TEXT COLLATE "C",
    publish_validation_cases BOOLEAN NOT NULL,
    UNIQUE (patch_id, version),
    UNIQUE (patch_id, manifest_digest),
    UNIQUE (id, pusher_id, manifest_digest)
);
CREATE INDEX versions_manifest ON versions (manifest_digest);
CREATE INDEX versions_state ON versions (state);

-- The private evaluation record; its five files are blobs.
CREATE TABLE record_files (
    version_id TEXT COLLATE "C" NOT NULL REFERENCES versions (id),
    name TEXT COLLATE "C" NOT NULL CONSTRAINT record_file_known
        CHECK (name IN ('dataset.jsonl', 'regression.jsonl', 'outputs.jsonl', 'run.json', 'training.json')),
    sha256 TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    CONSTRAINT record_files_version_id_name_key PRIMARY KEY (version_id, name)
);

-- What was pushed never changes, and a version name is never reused.
CREATE TRIGGER versions_frozen BEFORE UPDATE OF id, patch_id, version, manifest_digest, manifest, package_sha256,
    package_size, seek_table, adapter_sha256, cases_sha256, acknowledgement, attestation, pusher_id, created_at, evidence_state ON versions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER versions_kept BEFORE DELETE ON versions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER record_files_frozen BEFORE UPDATE ON record_files
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
