-- What this installation is, its log, and who acts: accounts, orgs, memberships, tokens, keys.

CREATE TABLE meta (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT meta_name_key PRIMARY KEY (name)
) STRICT;

-- The leaves of the log. The counter gives out their indexes: its row is locked last in a transaction.
CREATE TABLE log_counter (
    id INTEGER NOT NULL PRIMARY KEY CONSTRAINT log_counter_single CHECK (id = 1),
    size INTEGER NOT NULL
) STRICT;
INSERT INTO log_counter (id, size) VALUES (1, 0);

CREATE TABLE log_leaves (
    idx INTEGER NOT NULL,
    leaf BLOB NOT NULL,
    leaf_hash BLOB NOT NULL,
    CONSTRAINT log_leaves_idx_key PRIMARY KEY (idx)
) STRICT;

CREATE TRIGGER log_leaves_frozen BEFORE UPDATE ON log_leaves BEGIN SELECT RAISE(ABORT, 'append_only'); END;
CREATE TRIGGER log_leaves_kept BEFORE DELETE ON log_leaves BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TABLE roots (
    version INTEGER NOT NULL,
    envelope BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    log_index INTEGER UNIQUE REFERENCES log_leaves (idx),
    CONSTRAINT roots_version_key PRIMARY KEY (version)
) STRICT;

CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    display TEXT NOT NULL,
    disclosure TEXT,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER
) STRICT;

CREATE TABLE account_roles (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    role TEXT NOT NULL CONSTRAINT account_role_known CHECK (role IN ('build', 'review', 'operate')),
    created_at INTEGER NOT NULL,
    CONSTRAINT account_roles_account_id_role_key PRIMARY KEY (account_id, role)
) STRICT;

CREATE TABLE orgs (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    display TEXT NOT NULL,
    verified_at INTEGER,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL REFERENCES accounts (id)
) STRICT;

CREATE TABLE memberships (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    role TEXT NOT NULL CONSTRAINT membership_role_known CHECK (role IN ('admin', 'publisher', 'member')),
    created_at INTEGER NOT NULL,
    CONSTRAINT memberships_org_id_account_id_key PRIMARY KEY (org_id, account_id)
) STRICT;
CREATE INDEX memberships_account ON memberships (account_id);

-- A token is known by the SHA-256 of its text; the text is shown once and stored nowhere.
CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    secret_sha256 TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    scope TEXT NOT NULL CONSTRAINT token_scope_known CHECK (scope IN ('read', 'write')),
    org_id TEXT REFERENCES orgs (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
CREATE INDEX tokens_account ON tokens (account_id);

CREATE TABLE keys (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    keyid TEXT NOT NULL UNIQUE,
    public TEXT NOT NULL,
    registration BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    log_index INTEGER NOT NULL UNIQUE REFERENCES log_leaves (idx)
) STRICT;
CREATE INDEX keys_account ON keys (account_id);
