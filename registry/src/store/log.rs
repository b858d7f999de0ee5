//! Leaves of the log. The counter row gives out indexes; it is locked last in a transaction and held shortly.
//!
//! Never `MAX(idx) + 1`: two writers would read the same maximum. Rows are append-only by trigger on both engines.

use retoque_core::digest::Digest;

use super::db::Tx;
use super::error::Error;
use super::page::Page;
use super::value::{Columns, args, statements};

statements! {
    NEXT_INDEX = "UPDATE log_counter SET size = size + 1 WHERE id = 1 RETURNING size - 1";
    LOCK = "UPDATE log_counter SET size = size WHERE id = 1";
    SIZE = "SELECT size FROM log_counter WHERE id = 1";
    INSERT_LEAF = "INSERT INTO log_leaves (idx, leaf, leaf_hash) VALUES ($1, $2, $3)";
    LEAF = "SELECT leaf FROM log_leaves WHERE idx = $1";
    LEAVES = "SELECT leaf FROM log_leaves WHERE idx >= $1 ORDER BY idx LIMIT $2";
}

impl Tx {
    /// Appends a leaf and answers its index. Call it as late as the transaction allows: from here to the commit no
    /// other leaf can be appended.
    pub async fn append_leaf(&mut self, leaf: &[u8], leaf_hash: &Digest) -> Result<u64, Error> {
        let row = self.row(NEXT_INDEX, &[]).await?.ok_or(Error::NotFound)?;
        let index: u64 = Columns::of(&row).take()?;
        self.execute(INSERT_LEAF, args![index, leaf, &leaf_hash.as_bytes()[..]]).await?;
        Ok(index)
    }

    /// Makes writers of the log wait until this transaction ends: what they have written is seen from here on, and what
    /// they write next sees what this one did.
    pub async fn lock_log(&mut self) -> Result<(), Error> {
        if self.execute(LOCK, &[]).await? == 1 { Ok(()) } else { Err(Error::NotFound) }
    }

    /// How many leaves there are.
    pub async fn log_size(&mut self) -> Result<u64, Error> {
        let row = self.row(SIZE, &[]).await?.ok_or(Error::NotFound)?;
        Columns::of(&row).take()
    }

    /// The leaf at `index`.
    pub async fn leaf(&mut self, index: u64) -> Result<Option<Vec<u8>>, Error> {
        self.row(LEAF, args![index]).await?.map(|row| Columns::of(&row).take()).transpose()
    }

    /// At most [`Page::MOST`] leaves from index `from` on.
    pub async fn leaves(&mut self, from: u64) -> Result<Vec<Vec<u8>>, Error> {
        self.rows(LEAVES, args![from, Page::MOST]).await?.iter().map(|row| Columns::of(row).take()).collect()
    }
}
