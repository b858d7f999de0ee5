//! Appending: a leaf, the nodes that it completes, the new head and the new right edge are one transaction with what
//! the leaf records.
//!
//! A database from before the tree gets it by [`build`], once, when it is migrated.

use jiff::Timestamp;
use retoque_core::log::{Frontier, MAX_ENTRY, leaf_hash};

use super::{Error, damaged};
use crate::store::{Store, Tx};

/// How many leaves are read at once while the tree is built.
const CHUNK: u64 = 256;

/// Appends a canonical record and answers its index. Call it last but for the rows that name the index: from here to
/// the commit nobody else can append. Nothing is signed in between.
pub async fn append(tx: &mut Tx, record: &[u8], at: Timestamp) -> Result<u64, Error> {
    if record.len() > MAX_ENTRY {
        return Err(damaged(format!("a record of {} bytes", record.len()), format!("at most {MAX_ENTRY}")).into());
    }
    Ok(tx.append_leaf(record, at).await?)
}

/// Builds the tree over leaves that were appended before there was one. Answers how many there were; 0 when the tree is
/// there already.
pub async fn build(store: &Store, at: Timestamp) -> Result<u64, Error> {
    store
        .write(|mut tx| async move {
            tx.lock_log().await?;
            let (size, edge) = tx.log_counter().await?;
            if size == 0 || !edge.is_empty() {
                return Ok(tx.done(0));
            }
            let mut frontier = Frontier::new();
            while frontier.size() < size {
                let leaves = tx.leaves(frontier.size(), CHUNK.min(size - frontier.size())).await?;
                if leaves.is_empty() {
                    return Err(damaged(format!("no leaf {}", frontier.size()), format!("{size} leaves")).into());
                }
                for leaf in &leaves {
                    tx.grow(&mut frontier, leaf_hash(leaf), at).await?;
                }
            }
            tx.set_frontier(&frontier).await?;
            Ok(tx.done(size))
        })
        .await
}
