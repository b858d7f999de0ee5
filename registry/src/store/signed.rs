//! What stands in the log with somebody's signature, in the order of the log: for the question what a change of the
//! root of trust would make worthless.

use super::db::Tx;
use super::error::Error;
use super::page::Page;
use super::value::{Columns, args, statements};

statements! {
    DECISIONS_FROM = "SELECT log_index, record, envelope FROM decisions WHERE log_index >= $1 ORDER BY log_index LIMIT $2";
    REGISTRATIONS_FROM = "SELECT log_index, keyid, registration FROM keys WHERE log_index >= $1 ORDER BY log_index";
    NOTES_FROM = "SELECT size, keyid FROM log_notes WHERE size >= $1 ORDER BY size, keyid";
}

/// A signed document of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged<T> {
    /// Its leaf.
    pub index: u64,
    /// What the leaf says, or commits to.
    pub about: T,
    /// The signed envelope.
    pub envelope: Vec<u8>,
}

/// A head of the log that was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedNote {
    /// How many leaves.
    pub size: u64,
    /// By which key.
    pub keyid: String,
}

impl Tx {
    /// At most [`Page::MOST`] decisions from this leaf on, with their records.
    pub async fn decisions_from(&mut self, index: u64) -> Result<Vec<Logged<Vec<u8>>>, Error> {
        let rows = self.rows(DECISIONS_FROM, args![index, Page::MOST]).await?;
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(Logged { index: c.take()?, about: c.take()?, envelope: c.take()? })
        };
        rows.iter().map(read).collect()
    }

    /// The registrations of keys that were made at this leaf or later, with the id of the registered key.
    pub async fn registrations_from(&mut self, index: u64) -> Result<Vec<Logged<String>>, Error> {
        let rows = self.rows(REGISTRATIONS_FROM, args![index]).await?;
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(Logged { index: c.take()?, about: c.take()?, envelope: c.take()? })
        };
        rows.iter().map(read).collect()
    }

    /// The signed heads of this size and larger ones.
    pub async fn notes_from(&mut self, size: u64) -> Result<Vec<SignedNote>, Error> {
        let rows = self.rows(NOTES_FROM, args![size]).await?;
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(SignedNote { size: c.take()?, keyid: c.take()? })
        };
        rows.iter().map(read).collect()
    }
}
