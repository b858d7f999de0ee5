//! The log's leaves, appended in the transaction of what they record. Tiles and checkpoints are made from them.
//!
//! Clause: specification, section 8: a decision and its leaf are committed together or not at all.

use retoque_core::log::leaf_hash;

use crate::store::{Error, Tx};

/// Appends a canonical record and answers its index. Call it last but for the rows that name the index: from here to
/// the commit nobody else can append.
pub async fn append(tx: &mut Tx, record: &[u8]) -> Result<u64, Error> {
    tx.append_leaf(record, &leaf_hash(record)).await
}
