//! Uploads that wait in staging for the push that names them.

use jiff::Timestamp;
use retoque_core::digest::Digest;

use super::db::Tx;
use super::error::Error;
use super::id::{AccountId, UploadId};
use super::value::{Columns, args, statements};

statements! {
    INSERT_UPLOAD = "INSERT INTO uploads (id, account_id, size, sha256, staging_path, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    UPLOAD = "SELECT id, account_id, size, sha256, staging_path, created_at FROM uploads WHERE id = $1";
    COUNT_UPLOADS = "SELECT COUNT(*) FROM uploads WHERE account_id = $1";
    DELETE_UPLOAD = "DELETE FROM uploads WHERE id = $1";
    UPLOADS_BEFORE = "SELECT id, account_id, size, sha256, staging_path, created_at FROM uploads \
        WHERE created_at < $1 ORDER BY created_at LIMIT $2";
}

/// Staged bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedUpload {
    /// Row id.
    pub id: UploadId,
    /// Who uploaded them.
    pub account_id: AccountId,
    /// How many.
    pub size: u64,
    /// Their digest.
    pub sha256: Digest,
    /// Where they lie in the object store.
    pub staging_path: String,
    /// When they began to come.
    pub created_at: Timestamp,
}

fn upload(c: &mut Columns<'_>) -> Result<StagedUpload, Error> {
    Ok(StagedUpload {
        id: c.take()?,
        account_id: c.take()?,
        size: c.take()?,
        sha256: c.take()?,
        staging_path: c.take()?,
        created_at: c.take()?,
    })
}

impl Tx {
    /// Notes bytes that are about to be staged, so that they are found again whatever happens.
    pub async fn insert_upload(&mut self, u: &StagedUpload) -> Result<(), Error> {
        let args = args![&u.id, &u.account_id, u.size, &u.sha256, &u.staging_path, u.created_at];
        self.execute(INSERT_UPLOAD, args).await.map(drop)
    }

    /// The upload of that id.
    pub async fn upload(&mut self, id: UploadId) -> Result<Option<StagedUpload>, Error> {
        self.row(UPLOAD, args![&id]).await?.map(|row| upload(&mut Columns::of(&row))).transpose()
    }

    /// How many uploads of the account are under way or wait.
    pub async fn uploads_of(&mut self, account: AccountId) -> Result<u64, Error> {
        let row = self.row(COUNT_UPLOADS, args![&account]).await?.ok_or(Error::NotFound)?;
        Columns::of(&row).take()
    }

    /// Forgets an upload, once its bytes are in their place or erased.
    pub async fn delete_upload(&mut self, id: UploadId) -> Result<(), Error> {
        self.execute(DELETE_UPLOAD, args![&id]).await.map(drop)
    }

    /// At most `limit` uploads that began before `time`, oldest first.
    pub async fn uploads_before(&mut self, time: Timestamp, limit: u32) -> Result<Vec<StagedUpload>, Error> {
        self.rows(UPLOADS_BEFORE, args![time, limit]).await?.iter().map(|row| upload(&mut Columns::of(row))).collect()
    }
}
