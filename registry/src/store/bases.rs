//! Supported base revisions, each with its base record as it was handed in.

use jiff::Timestamp;
use retoque_core::digest::Digest;
use retoque_core::id::{BasePin, Commit, RepoId};

use super::db::Tx;
use super::error::Error;
use super::id::{AccountId, BaseId};
use super::page::{Listing, Page};
use super::value::{Columns, args, statements};

statements! {
    INSERT_BASE = "INSERT INTO bases (id, repo, \"commit\", licence, record_sha256, files, record, created_at, created_by) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    BASE_BY_ID = "SELECT id, repo, \"commit\", licence, record_sha256, files, created_at, created_by FROM bases WHERE id = $1";
    BASE_BY_PIN = "SELECT id, repo, \"commit\", licence, record_sha256, files, created_at, created_by FROM bases \
        WHERE repo = $1 AND \"commit\" = $2";
    BASES = "SELECT id, repo, \"commit\", licence, record_sha256, files, created_at, created_by FROM bases \
        WHERE repo || '@' || \"commit\" > $1 ORDER BY repo || '@' || \"commit\" LIMIT $2";
    BASE_RECORD = "SELECT record FROM bases WHERE id = $1";
}

/// A supported base, without its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// Row id.
    pub id: BaseId,
    /// Repository and commit.
    pub pin: BasePin,
    /// Licence of the base.
    pub licence: String,
    /// Digest of the record's bytes.
    pub record_sha256: Digest,
    /// How many files the record pins.
    pub files: u64,
    /// When it was added.
    pub created_at: Timestamp,
    /// Who added it.
    pub created_by: AccountId,
}

fn base(c: &mut Columns<'_>) -> Result<Base, Error> {
    Ok(Base {
        id: c.take()?,
        pin: BasePin { repo: c.take::<RepoId>()?, commit: c.take::<Commit>()? },
        licence: c.take()?,
        record_sha256: c.take()?,
        files: c.take()?,
        created_at: c.take()?,
        created_by: c.take()?,
    })
}

impl Tx {
    /// Adds a base; each revision once.
    pub async fn insert_base(&mut self, b: &Base, record: &[u8]) -> Result<(), Error> {
        let args = args![
            &b.id,
            &b.pin.repo,
            &b.pin.commit,
            &b.licence,
            &b.record_sha256,
            b.files,
            record,
            b.created_at,
            &b.created_by
        ];
        self.execute(INSERT_BASE, args).await.map(drop)
    }

    /// The base of that id.
    pub async fn base(&mut self, id: BaseId) -> Result<Option<Base>, Error> {
        self.row(BASE_BY_ID, args![&id]).await?.map(|row| base(&mut Columns::of(&row))).transpose()
    }

    /// The base of that pin.
    pub async fn base_by_pin(&mut self, pin: &BasePin) -> Result<Option<Base>, Error> {
        let row = self.row(BASE_BY_PIN, args![&pin.repo, &pin.commit]).await?;
        row.map(|row| base(&mut Columns::of(&row))).transpose()
    }

    /// All bases, by pin.
    pub async fn bases(&mut self, page: &Page) -> Result<Listing<Base>, Error> {
        let rows = self.rows(BASES, &[page.after_arg(), page.limit_arg()]).await?;
        let items = rows.iter().map(|row| base(&mut Columns::of(row))).collect::<Result<_, _>>()?;
        Ok(page.listing(items, |b: &Base| b.pin.to_string()))
    }

    /// The record of a base, as it was handed in.
    pub async fn base_record(&mut self, id: BaseId) -> Result<Option<Vec<u8>>, Error> {
        self.row(BASE_RECORD, args![&id]).await?.map(|row| Columns::of(&row).take()).transpose()
    }
}
