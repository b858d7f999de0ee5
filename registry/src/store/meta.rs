//! What this installation is: its instance id, its origin, and the keys that every replica must hold; and its roots.

use jiff::Timestamp;

use super::db::Tx;
use super::error::Error;
use super::value::{Columns, args, statements};

/// Random id of the installation, made by `init`.
pub const INSTANCE: &str = "instance";
/// The origin under which the registry speaks of itself in signed documents.
pub const ORIGIN: &str = "origin";
/// Key id of the log's key.
pub const LOG_KEY_ID: &str = "keyid.platform-log";
/// Key ids that a replica's mounted keys must have; one row per role.
pub const KEY_IDS: [(&str, &str); 3] = [
    ("platform-build", "keyid.platform-build"),
    ("platform-log", LOG_KEY_ID),
    ("platform-status", "keyid.platform-status"),
];

statements! {
    META = "SELECT value FROM meta WHERE name = $1";
    INSERT_META = "INSERT INTO meta (name, value) VALUES ($1, $2)";
    UPDATE_META = "UPDATE meta SET value = $2 WHERE name = $1";
    INSERT_ROOT = "INSERT INTO roots (version, envelope, created_at, log_index) VALUES ($1, $2, $3, $4)";
    ROOTS = "SELECT version, envelope, created_at, log_index FROM roots WHERE version >= $1 ORDER BY version";
    ROOT = "SELECT version, envelope, created_at, log_index FROM roots WHERE version = $1";
    LATEST_ROOT = "SELECT version, envelope, created_at, log_index FROM roots ORDER BY version DESC LIMIT 1";
}

/// A version of the root of trust.
#[derive(Debug, Clone)]
pub struct Root {
    /// Its version, from 1.
    pub version: u64,
    /// The signed envelope, as stored.
    pub envelope: Vec<u8>,
    /// When it came in.
    pub created_at: Timestamp,
    /// Where the log says so; the first root comes before the log.
    pub log_index: Option<u64>,
}

impl Tx {
    /// The installation value `name`.
    pub async fn meta(&mut self, name: &str) -> Result<Option<String>, Error> {
        self.row(META, args![name]).await?.map(|row| Columns::of(&row).take()).transpose()
    }

    /// Sets an installation value for the first time.
    pub async fn insert_meta(&mut self, name: &str, value: &str) -> Result<(), Error> {
        self.execute(INSERT_META, args![name, value]).await.map(drop)
    }

    /// Changes an installation value.
    pub async fn update_meta(&mut self, name: &str, value: &str) -> Result<(), Error> {
        if self.execute(UPDATE_META, args![name, value]).await? == 1 { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Stores the next root; which one is next, the caller has checked.
    pub async fn insert_root(&mut self, root: &Root) -> Result<(), Error> {
        self.execute(INSERT_ROOT, args![root.version, &root.envelope, root.created_at, root.log_index]).await.map(drop)
    }

    /// The root of that version.
    pub async fn root(&mut self, version: u64) -> Result<Option<Root>, Error> {
        self.row(ROOT, args![version]).await?.map(|row| root(&mut Columns::of(&row))).transpose()
    }

    /// All roots from version `from` on, in order.
    pub async fn roots(&mut self, from: u64) -> Result<Vec<Root>, Error> {
        self.rows(ROOTS, args![from]).await?.iter().map(|row| root(&mut Columns::of(row))).collect()
    }

    /// The newest root.
    pub async fn latest_root(&mut self) -> Result<Option<Root>, Error> {
        self.row(LATEST_ROOT, &[]).await?.map(|row| root(&mut Columns::of(&row))).transpose()
    }
}

fn root(c: &mut Columns<'_>) -> Result<Root, Error> {
    Ok(Root { version: c.take()?, envelope: c.take()?, created_at: c.take()?, log_index: c.take()? })
}
