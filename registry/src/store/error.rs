//! What can go wrong with a row: it is not there, its like is there already, it changed, a rule of the schema refuses
//! it, or the database itself failed. Nothing here names an engine or carries text for callers.

use std::fmt;

/// Why a store function did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The row to change is not there.
    #[error("no such row")]
    NotFound,
    /// A row with the same unique value exists.
    #[error("{0} is taken")]
    Duplicate(Unique),
    /// The row is not as the caller last saw it.
    #[error("changed meanwhile")]
    Stale,
    /// A CHECK, a foreign key or an append-only trigger of the schema refused the change: the service has a fault, or
    /// somebody tried what only the service forbids elsewhere.
    #[error("the schema refuses it: {0}")]
    Refused(Rule),
    /// The database cannot do it now, or holds what no schema of ours allows.
    #[error("database: {message}")]
    Backend {
        /// For the log.
        message: String,
        /// Whether the same transaction may succeed when it is run again.
        transient: bool,
    },
}

impl Error {
    /// A stored value that the code cannot read.
    pub(super) fn corrupt(what: impl fmt::Display) -> Self {
        Self::Backend { message: format!("unreadable value: {what}"), transient: false }
    }

    /// Whether it is a duplicate of `unique`.
    pub fn is_duplicate(&self, unique: Unique) -> bool {
        matches!(self, Self::Duplicate(found) if *found == unique)
    }
}

/// Lets [`super::Store::write`] see through the caller's error type.
pub trait Transient: From<Error> {
    /// Whether running the same transaction again may succeed.
    fn is_transient(&self) -> bool;
}

impl Transient for Error {
    fn is_transient(&self) -> bool {
        matches!(self, Self::Backend { transient: true, .. })
    }
}

macro_rules! uniques {
    ($($name:ident = $constraint:literal, $meaning:literal;)*) => {
        /// The unique values that callers may collide on. The schema decides every race about them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Unique {
            $(#[doc = $meaning] $name,)*
            /// Any other, such as a row id: a fault, not a collision of names.
            Other,
        }

        impl Unique {
            /// The value that the constraint protects; constraints are named `<table>_<columns>` in both schemas.
            pub(super) fn of_constraint(name: &str) -> Self {
                match name {
                    $($constraint => Self::$name,)*
                    _ => Self::Other,
                }
            }
        }

        impl fmt::Display for Unique {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$name => $meaning,)*
                    Self::Other => "A unique value",
                })
            }
        }

        /// Every constraint that stands behind a [`Unique`]; a test compares them with the schema.
        pub const UNIQUE_CONSTRAINTS: &[&str] = &[$($constraint),*];
    };
}

uniques! {
    AccountName = "accounts_name", "The account name";
    AccountRole = "account_roles_account_id_role", "The role of this account";
    OrgName = "orgs_name", "The org name";
    Membership = "memberships_org_id_account_id", "The membership";
    TokenSecret = "tokens_secret_sha256", "The token";
    KeyId = "keys_keyid", "The key";
    RootVersion = "roots_version", "The root version";
    BasePin = "bases_repo_commit", "The base";
    SuiteDigest = "suites_sha256", "The suite";
    SuiteName = "suites_name", "The suite name";
    PatchSlug = "patches_org_id_slug", "The patch name";
    VersionName = "versions_patch_id_version", "The version";
    VersionManifest = "versions_patch_id_manifest_digest", "The manifest";
    StagingPath = "uploads_staging_path", "The upload";
    RecordFile = "record_files_version_id_name", "The record file";
    DecisionNumber = "decisions_version_id_n", "The next decision of this version";
    LicenceNumber = "licence_records_version_id_n", "The next licence record of this version";
    Release = "releases_version_id", "The release";
    LogIndex = "log_leaves_idx", "The log index";
    Meta = "meta_name", "The installation value";
}

macro_rules! rules {
    ($($name:ident = $check:literal, $meaning:literal;)*) => {
        /// The rules of the schema, apart from unique values. Those that the service itself reacts to have a name here.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Rule {
            $(#[doc = $meaning] $name,)*
            /// A row that another one names is not there.
            ForeignKey,
            /// A value that must be there is not.
            Null,
            /// What is written never changes.
            AppendOnly,
            /// Any other CHECK, by its name.
            Check(String),
        }

        impl Rule {
            /// The rule that this CHECK of the schema stands for.
            pub(super) fn of_check(name: &str) -> Self {
                match name {
                    $($check => Self::$name,)*
                    _ => Self::Check(name.to_owned()),
                }
            }
        }

        impl fmt::Display for Rule {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$name => $check,)*
                    Self::ForeignKey => "foreign key",
                    Self::Null => "null",
                    Self::AppendOnly => "append only",
                    Self::Check(name) => name,
                })
            }
        }

        /// Every CHECK that stands behind a named [`Rule`]; a test compares them with the schema.
        pub const CHECKS: &[&str] = &[$($check),*];
    };
}

rules! {
    ReviewerIsNotSubmitter = "reviewer_is_not_submitter", "Nobody reviews what they submitted.";
    ReviewerIsNotPusher = "reviewer_is_not_pusher", "Nobody reviews what they pushed.";
}
