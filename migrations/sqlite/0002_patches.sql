-- What patches stand on: supported bases, regression suites; and the patches themselves.

CREATE TABLE bases (
    id TEXT NOT NULL PRIMARY KEY,
    repo TEXT NOT NULL,
    "commit" TEXT NOT NULL,
    licence TEXT NOT NULL,
    record_sha256 TEXT NOT NULL,
    files INTEGER NOT NULL,
    record BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL REFERENCES accounts (id),
    UNIQUE (repo, "commit")
) STRICT;

-- The cases of a suite are a blob under its digest.
CREATE TABLE suites (
    sha256 TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    cases INTEGER NOT NULL CONSTRAINT suite_cases_positive CHECK (cases > 0),
    allowance_points INTEGER NOT NULL CONSTRAINT suite_allowance_percent CHECK (allowance_points BETWEEN 0 AND 100),
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL REFERENCES accounts (id),
    retired_at INTEGER,
    CONSTRAINT suites_sha256_key PRIMARY KEY (sha256)
) STRICT;

CREATE TABLE patches (
    id TEXT NOT NULL PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    problem TEXT NOT NULL,
    success_criterion TEXT NOT NULL,
    category TEXT NOT NULL CONSTRAINT patch_category_known
        CHECK (category IN ('structured-output', 'domain-extraction', 'code-repair', 'classification', 'style')),
    base_id TEXT NOT NULL REFERENCES bases (id),
    visibility TEXT NOT NULL CONSTRAINT patch_visibility_known CHECK (visibility IN ('private', 'public')),
    licensing TEXT NOT NULL CONSTRAINT patch_licensing_known CHECK (licensing IN ('free', 'paid')),
    -- Name, title and problem in lower case: both engines then find the same rows.
    search TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL REFERENCES accounts (id),
    UNIQUE (org_id, slug)
) STRICT;
CREATE INDEX patches_base ON patches (base_id);
