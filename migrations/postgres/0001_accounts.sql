-- What this installation is, its log, and who acts: accounts, orgs, memberships, tokens, keys.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'append_only' USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'append_only';
END
$$;

CREATE TABLE meta (
    name TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    CONSTRAINT meta_name_key PRIMARY KEY (name)
);

-- The leaves of the log. The counter gives out their indexes: its row is locked last in a transaction.
CREATE TABLE log_counter (
    id BIGINT NOT NULL PRIMARY KEY CONSTRAINT log_counter_single CHECK (id = 1),
    size BIGINT NOT NULL
);
INSERT INTO log_counter (id, size) VALUES (1, 0);

CREATE TABLE log_leaves (
    idx BIGINT NOT NULL,
    leaf BYTEA NOT NULL,
    leaf_hash BYTEA NOT NULL,
    CONSTRAINT log_leaves_idx_key PRIMARY KEY (idx)
);

CREATE TRIGGER log_leaves_frozen BEFORE UPDATE ON log_leaves
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_leaves_kept BEFORE DELETE ON log_leaves
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE roots (
    version BIGINT NOT NULL,
    envelope BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    log_index BIGINT UNIQUE REFERENCES log_leaves (idx),
    CONSTRAINT roots_version_key PRIMARY KEY (version)
);

CREATE TABLE accounts (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    display TEXT COLLATE "C" NOT NULL,
    disclosure TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    disabled_at BIGINT
);

CREATE TABLE account_roles (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    role TEXT COLLATE "C" NOT NULL CONSTRAINT account_role_known CHECK (role IN ('build', 'review', 'operate')),
    created_at BIGINT NOT NULL,
    CONSTRAINT account_roles_account_id_role_key PRIMARY KEY (account_id, role)
);

CREATE TABLE orgs (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    display TEXT COLLATE "C" NOT NULL,
    verified_at BIGINT,
    created_at BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL REFERENCES accounts (id)
);

CREATE TABLE memberships (
    org_id TEXT COLLATE "C" NOT NULL REFERENCES orgs (id),
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    role TEXT COLLATE "C" NOT NULL CONSTRAINT membership_role_known CHECK (role IN ('admin', 'publisher', 'member')),
    created_at BIGINT NOT NULL,
    CONSTRAINT memberships_org_id_account_id_key PRIMARY KEY (org_id, account_id)
);
CREATE INDEX memberships_account ON memberships (account_id);

-- A token is known by the SHA-256 of its text; the text is shown once and stored nowhere.
CREATE TABLE tokens (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    secret_sha256 TEXT COLLATE "C" NOT NULL UNIQUE,
    label TEXT COLLATE "C" NOT NULL,
    scope TEXT COLLATE "C" NOT NULL CONSTRAINT token_scope_known CHECK (scope IN ('read', 'write')),
    org_id TEXT COLLATE "C" REFERENCES orgs (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX tokens_account ON tokens (account_id);

CREATE TABLE keys (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    keyid TEXT COLLATE "C" NOT NULL UNIQUE,
    public TEXT COLLATE "C" NOT NULL,
    registration BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT,
    log_index BIGINT NOT NULL UNIQUE REFERENCES log_leaves (idx)
);
CREATE INDEX keys_account ON keys (account_id);
