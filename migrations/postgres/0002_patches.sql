-- What patches stand on: supported bases, regression suites; and the patches themselves.

CREATE TABLE bases (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    repo TEXT COLLATE "C" NOT NULL,
    "commit" TEXT COLLATE "C" NOT NULL,
    licence TEXT COLLATE "C" NOT NULL,
    record_sha256 TEXT COLLATE "C" NOT NULL,
    files BIGINT NOT NULL,
    record BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    UNIQUE (repo, "commit")
);

-- The cases of a suite are a blob under its digest.
CREATE TABLE suites (
    sha256 TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    cases BIGINT NOT NULL CONSTRAINT suite_cases_positive CHECK (cases > 0),
    allowance_points BIGINT NOT NULL CONSTRAINT suite_allowance_percent CHECK (allowance_points BETWEEN 0 AND 100),
    created_at BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    retired_at BIGINT,
    CONSTRAINT suites_sha256_key PRIMARY KEY (sha256)
);

CREATE TABLE patches (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    org_id TEXT COLLATE "C" NOT NULL REFERENCES orgs (id),
    slug TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    problem TEXT COLLATE "C" NOT NULL,
    success_criterion TEXT COLLATE "C" NOT NULL,
    category TEXT COLLATE "C" NOT NULL CONSTRAINT patch_category_known
        CHECK (category IN ('structured-output', 'domain-extraction', 'code-repair', 'classification', 'style')),
    base_id TEXT COLLATE "C" NOT NULL REFERENCES bases (id),
    visibility TEXT COLLATE "C" NOT NULL CONSTRAINT patch_visibility_known CHECK (visibility IN ('private', 'public')),
    licensing TEXT COLLATE "C" NOT NULL CONSTRAINT patch_licensing_known CHECK (licensing IN ('free', 'paid')),
    -- Name, title and problem in lower case: both engines then find the same rows.
    search TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    UNIQUE (org_id, slug)
);
CREATE INDEX patches_base ON patches (base_id);
