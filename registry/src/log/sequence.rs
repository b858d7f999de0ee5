//! Appending: a leaf, the nodes that it completes, the new head and the new right edge are one transaction with what
//! the leaf records.
//!
//! A database from before the tree gets it by [`build`], once, when it is migrated.

use jiff::Timestamp;
use retoque_core::log::{Bundle, Frontier, MAX_ENTRY, Tile, leaf_hash};

use super::{Error, damaged};
use crate::store::{Store, Tx};

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
            for bundle in Bundle::all(size) {
                let leaves: Vec<_> = tx.entries(bundle).await?.iter().map(|leaf| leaf_hash(leaf)).collect();
                let stored = match Tile::in_tree(size, 0, bundle.index()) {
                    Some(tile) => tx.tile(tile).await?,
                    None => Vec::new(),
                };
                if leaves.len() != usize::from(bundle.width()) || leaves != stored {
                    return Err(damaged(
                        format!("leaves of {bundle} with other hashes"),
                        "the leaves that were hashed",
                    )
                    .into());
                }
                for leaf in leaves {
                    tx.grow(&mut frontier, leaf, at).await?;
                }
            }
            tx.set_frontier(&frontier).await?;
            Ok(tx.done(size))
        })
        .await
}
