//! Regression suites that the operator sets. The cases are a blob under the suite's digest.

use jiff::Timestamp;
use retoque_core::digest::Digest;

use super::db::Tx;
use super::error::Error;
use super::id::AccountId;
use super::page::{Listing, Page};
use super::value::{Columns, args, statements};

statements! {
    INSERT_SUITE = "INSERT INTO suites (sha256, name, cases, allowance_points, created_at, created_by, retired_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    SUITE = "SELECT sha256, name, cases, allowance_points, created_at, created_by, retired_at FROM suites WHERE sha256 = $1";
    SUITES = "SELECT sha256, name, cases, allowance_points, created_at, created_by, retired_at FROM suites \
        WHERE name > $1 ORDER BY name LIMIT $2";
    SUITES_IN_FORCE = "SELECT sha256, name, cases, allowance_points, created_at, created_by, retired_at FROM suites \
        WHERE retired_at IS NULL ORDER BY name";
    SET_RETIRED = "UPDATE suites SET retired_at = $2 WHERE sha256 = $1";
}

/// A regression suite, without its cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// Digest of the file of cases.
    pub sha256: Digest,
    /// Unique name.
    pub name: String,
    /// How many cases.
    pub cases: u64,
    /// Allowed drop, in percentage points.
    pub allowance_points: u64,
    /// When it was set.
    pub created_at: Timestamp,
    /// Who set it.
    pub created_by: AccountId,
    /// From when on no new version may use it.
    pub retired_at: Option<Timestamp>,
}

fn suite(c: &mut Columns<'_>) -> Result<Suite, Error> {
    Ok(Suite {
        sha256: c.take()?,
        name: c.take()?,
        cases: c.take()?,
        allowance_points: c.take()?,
        created_at: c.take()?,
        created_by: c.take()?,
        retired_at: c.take()?,
    })
}

impl Tx {
    /// Sets a suite; digest and name must be free.
    pub async fn insert_suite(&mut self, s: &Suite) -> Result<(), Error> {
        let args = args![&s.sha256, &s.name, s.cases, s.allowance_points, s.created_at, &s.created_by, s.retired_at];
        self.execute(INSERT_SUITE, args).await.map(drop)
    }

    /// The suite of that digest; retired ones too.
    pub async fn suite(&mut self, sha256: &Digest) -> Result<Option<Suite>, Error> {
        self.row(SUITE, args![sha256]).await?.map(|row| suite(&mut Columns::of(&row))).transpose()
    }

    /// All suites, by name.
    pub async fn suites(&mut self, page: &Page) -> Result<Listing<Suite>, Error> {
        let rows = self.rows(SUITES, &[page.after_arg(), page.limit_arg()]).await?;
        let items = rows.iter().map(|row| suite(&mut Columns::of(row))).collect::<Result<_, _>>()?;
        Ok(page.listing(items, |s: &Suite| s.name.clone()))
    }

    /// Every suite that is not retired, by name: what a push may be judged on.
    pub async fn suites_in_force(&mut self) -> Result<Vec<Suite>, Error> {
        self.rows(SUITES_IN_FORCE, &[]).await?.iter().map(|row| suite(&mut Columns::of(row))).collect()
    }

    /// Retires a suite (a time), or brings it back into force (`None`).
    pub async fn set_suite_retired(&mut self, sha256: &Digest, at: Option<Timestamp>) -> Result<(), Error> {
        if self.execute(SET_RETIRED, args![sha256, at]).await? == 1 { Ok(()) } else { Err(Error::NotFound) }
    }
}
