//! Which objects of the store the rows need, and what the log says of decisions: for those who look after an
//! installation as a whole.

use jiff::Timestamp;
use retoque_core::digest::Digest;
use retoque_core::id::{Org, Slug, Version};

use super::db::Tx;
use super::error::Error;
use super::id::VersionId;
use super::page::{Listing, Page};
use super::value::{Columns, args, statements};

statements! {
    HOLDERS = "SELECT v.id, o.name, p.slug, v.version, v.package_sha256, v.package_size, v.cases_sha256 FROM versions v \
        JOIN patches p ON p.id = v.patch_id JOIN orgs o ON o.id = p.org_id \
        WHERE v.state <> 'taken-down' AND v.id > $1 ORDER BY v.id LIMIT $2";
    STAGED_SINCE = "SELECT EXISTS (SELECT 1 FROM uploads WHERE staging_path = $1 AND created_at >= $2)";
    HISTORY_FROM = "SELECT log_index, record, record_sha256, salt, envelope FROM decisions WHERE log_index >= $1 \
        ORDER BY log_index LIMIT $2";
}

/// A version that has its bytes, with the objects that it needs besides its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Row id.
    pub id: VersionId,
    /// `org/slug@version`.
    pub name: String,
    /// The archive, with its size.
    pub package: (Digest, u64),
    /// The validation cases.
    pub cases: Digest,
}

/// A decision beside its leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// The leaf.
    pub index: u64,
    /// The record.
    pub record: Vec<u8>,
    /// Its digest.
    pub record_sha256: Digest,
    /// For a private patch: what the commitment in the log needs.
    pub salt: Option<Vec<u8>>,
    /// The signed document.
    pub envelope: Vec<u8>,
}

impl Tx {
    /// The versions that have their bytes, in the order in which they were pushed.
    pub async fn holders(&mut self, page: &Page) -> Result<Listing<Holder>, Error> {
        let rows = self.rows(HOLDERS, &[page.after_arg(), page.limit_arg()]).await?;
        let read = |row| {
            let mut c = Columns::of(row);
            let id = c.take()?;
            let (org, slug, version): (Org, Slug, Version) = (c.take()?, c.take()?, c.take()?);
            let package = (c.take()?, c.take()?);
            Ok(Holder { id, name: format!("{org}/{slug}@{version}"), package, cases: c.take()? })
        };
        let items = rows.iter().map(read).collect::<Result<_, Error>>()?;
        Ok(page.listing(items, |holder: &Holder| holder.id.to_string()))
    }

    /// Whether an upload that began at `since` or later lies at this place in staging.
    pub async fn is_staged_since(&mut self, path: &str, since: Timestamp) -> Result<bool, Error> {
        let row = self.row(STAGED_SINCE, args![path, since]).await?.ok_or(Error::NotFound)?;
        Columns::of(&row).take()
    }

    /// Decisions from this leaf on, a page of them.
    pub async fn history_from(&mut self, index: u64) -> Result<Vec<Logged>, Error> {
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(Logged {
                index: c.take()?,
                record: c.take()?,
                record_sha256: c.take()?,
                salt: c.take()?,
                envelope: c.take()?,
            })
        };
        self.rows(HISTORY_FROM, args![index, Page::MOST]).await?.iter().map(read).collect()
    }
}
