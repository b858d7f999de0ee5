//! What was signed about heads of the log: notes of the log itself, and the cosignatures under them.
//!
//! A note is stored before it is served and never changes. A head has one note for each origin and key, so that a
//! changed origin or a changed key does not touch what others have seen.

use jiff::Timestamp;

use super::db::Tx;
use super::error::Error;
use super::value::{Columns, args, statements};

statements! {
    INSERT_NOTE = "INSERT INTO log_notes (origin, size, keyid, note, created_at) VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (origin, size, keyid) DO NOTHING";
    NOTE = "SELECT note FROM log_notes WHERE origin = $1 AND size = $2 AND keyid = $3";
    NEWEST_NOTE = "SELECT origin, size, keyid, note FROM log_notes ORDER BY size DESC, created_at DESC LIMIT 1";
    SIGNED_SIZE = "SELECT MAX(size) FROM log_notes";
    PUT_COSIGNATURE = "INSERT INTO log_cosignatures (origin, size, name, key_id, line, cosigned_at) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (origin, size, name, key_id) DO UPDATE \
        SET line = excluded.line, cosigned_at = excluded.cosigned_at WHERE log_cosignatures.cosigned_at < excluded.cosigned_at";
    COSIGNATURES = "SELECT name, key_id, line, cosigned_at FROM log_cosignatures WHERE origin = $1 AND size = $2 \
        ORDER BY name, key_id";
}

/// A note with the head that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNote {
    /// The origin that it names.
    pub origin: String,
    /// The size that it names.
    pub size: u64,
    /// Which key signed it.
    pub keyid: String,
    /// Its text with the one line of that key.
    pub note: String,
}

/// The newest line of a cosigner under a head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosignature {
    /// The name in the line.
    pub name: String,
    /// The short key id in the line.
    pub key_id: u32,
    /// The line.
    pub line: String,
    /// The time in the line.
    pub cosigned_at: Timestamp,
}

impl Tx {
    /// Stores a note; when there is one already, that one stays.
    pub async fn insert_note(&mut self, note: &StoredNote, at: Timestamp) -> Result<(), Error> {
        let args = args![&note.origin, note.size, &note.keyid, &note.note, at];
        self.execute(INSERT_NOTE, args).await.map(drop)
    }

    /// The note of a head under this origin and key.
    pub async fn signed_note(&mut self, origin: &str, size: u64, keyid: &str) -> Result<Option<String>, Error> {
        self.row(NOTE, args![origin, size, keyid]).await?.map(|row| Columns::of(&row).take()).transpose()
    }

    /// The note of the largest size that was ever signed.
    pub async fn newest_signed_note(&mut self) -> Result<Option<StoredNote>, Error> {
        let row = self.row(NEWEST_NOTE, &[]).await?;
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(StoredNote { origin: c.take()?, size: c.take()?, keyid: c.take()?, note: c.take()? })
        };
        row.as_ref().map(read).transpose()
    }

    /// The largest size that was ever signed; 0 when none was.
    pub async fn signed_size(&mut self) -> Result<u64, Error> {
        let row = self.row(SIGNED_SIZE, &[]).await?.ok_or(Error::NotFound)?;
        Ok(Columns::of(&row).take::<Option<u64>>()?.unwrap_or(0))
    }

    /// Stores a cosigner's line under a head, unless a newer one of it is there.
    pub async fn put_cosignature(&mut self, origin: &str, size: u64, c: &Cosignature) -> Result<(), Error> {
        let args = args![origin, size, &c.name, c.key_id, &c.line, c.cosigned_at];
        self.execute(PUT_COSIGNATURE, args).await.map(drop)
    }

    /// The newest line of each cosigner under a head.
    pub async fn cosignatures(&mut self, origin: &str, size: u64) -> Result<Vec<Cosignature>, Error> {
        let rows = self.rows(COSIGNATURES, args![origin, size]).await?;
        let read = |row| {
            let mut c = Columns::of(row);
            let (name, key_id) = (c.take()?, u32::try_from(c.take::<u64>()?).map_err(Error::corrupt)?);
            Ok(Cosignature { name, key_id, line: c.take()?, cosigned_at: c.take()? })
        };
        rows.iter().map(read).collect()
    }
}
