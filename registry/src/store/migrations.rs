//! The schema's versions, embedded, and whether a database fits this program.
//!
//! Refuses a database that is newer than the program, older than it (until `migrate`), or not there at all.

/// One step of the schema, in the text of each engine.
pub(super) struct Step {
    pub(super) version: i64,
    pub(super) name: &'static str,
    pub(super) sqlite: &'static str,
    pub(super) postgres: &'static str,
}

macro_rules! steps {
    ($($version:literal $name:literal $file:literal;)*) => {
        /// Every step, oldest first. A step that has been released is never edited.
        pub(super) const ALL: &[Step] = &[$(Step {
            version: $version,
            name: $name,
            sqlite: include_str!(concat!("../../../migrations/sqlite/", $file)),
            postgres: include_str!(concat!("../../../migrations/postgres/", $file)),
        }),*];
    };
}

steps! {
    1 "accounts" "0001_accounts.sql";
    2 "patches" "0002_patches.sql";
    3 "versions" "0003_versions.sql";
    4 "decisions" "0004_decisions.sql";
    5 "log" "0005_log.sql";
    6 "newest" "0006_newest.sql";
    7 "releases" "0007_releases.sql";
}

/// Why a database cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Neither `sqlite:PATH` nor `postgres://…`.
    #[error("a database URL is `sqlite:PATH` or `postgres://USER@HOST/NAME`")]
    Url,
    /// There is no such database, or it has no schema.
    #[error("there is no registry database there")]
    Missing,
    /// The schema is older than this program.
    #[error("the database has schema {have}, this program needs {need}")]
    Older {
        /// What the database has.
        have: i64,
        /// What the program needs.
        need: i64,
    },
    /// The schema is newer than this program.
    #[error("the database has schema {have}, this program knows only {know}")]
    Newer {
        /// What the database has.
        have: i64,
        /// What the program knows.
        know: i64,
    },
    /// It cannot be reached or opened.
    #[error("the database cannot be opened: {0}")]
    Unreachable(String),
    /// A step failed; the steps before it stay applied.
    #[error("the schema could not be brought up to date: {0}")]
    Migration(String),
}

/// The newest version that this program knows.
pub const fn newest() -> i64 {
    ALL[ALL.len() - 1].version
}

/// Whether a database with these `applied` versions fits.
pub(super) fn fits(applied: Option<&[i64]>) -> Result<(), OpenError> {
    let have = applied.and_then(|a| a.iter().max()).copied().ok_or(OpenError::Missing)?;
    match have.cmp(&newest()) {
        std::cmp::Ordering::Less => Err(OpenError::Older { have, need: newest() }),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(OpenError::Newer { have, know: newest() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_known_schema_fits() {
        let n = newest();
        assert_eq!(fits(None), Err(OpenError::Missing));
        assert_eq!(fits(Some(&[])), Err(OpenError::Missing));
        assert_eq!(fits(Some(&[1, n])), Ok(()));
        assert_eq!(fits(Some(&[1, n, n + 1])), Err(OpenError::Newer { have: n + 1, know: n }));
        assert_eq!(fits(Some(&[1])), Err(OpenError::Older { have: 1, need: n }));
    }
}
