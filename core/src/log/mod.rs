//! The transparency log: an append-only Merkle tree of records, as C2SP tlog-tiles with signed checkpoints.
//!
//! Hashes as in RFC 6962: a leaf is hashed behind one zero byte and an inner node behind a one, so that neither can
//! pass for the other. Everything here takes bytes and gives bytes or findings; nothing is fetched. Size and root are
//! only ever taken from a [`VerifiedCheckpoint`], never from a proof. Clause: specification, section 8.

pub mod bundle;
pub mod checkpoint;
pub mod cosignature;
mod decimal;
pub mod freshness;
pub mod frontier;
pub mod generate;
pub mod note;
pub mod policy;
pub mod proof;
pub mod tile;
pub mod tree;
mod vkey;
pub mod witness;

pub use checkpoint::{Checkpoint, SignedCheckpoint, VerifiedCheckpoint};
pub use frontier::Frontier;
pub use note::Note;
pub use policy::Policy;
pub use proof::ProofFile;
pub use tile::{Bundle, Resource, Tile};
pub use tree::Head;
pub use vkey::{Algorithm, VerifierKey};

use crate::digest::{Digest, Hasher};

/// The most leaves a tree may have: sizes fit in 63 bits, as other implementations read them.
pub const MAX_SIZE: u64 = i64::MAX as u64;
/// The longest record a leaf can be, as its length has 16 bits in an entry bundle.
pub const MAX_ENTRY: usize = u16::MAX as usize;

/// The Merkle leaf hash of one record.
pub fn leaf_hash(record: &[u8]) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(&[0]);
    hasher.update(record);
    hasher.finish()
}

/// The hash of an inner node.
pub fn node_hash(left: &Digest, right: &Digest) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(&[1]);
    hasher.update(left.as_bytes());
    hasher.update(right.as_bytes());
    hasher.finish()
}

/// The root of the tree without leaves.
pub fn empty_root() -> Digest {
    Digest::of(b"")
}

#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod peer_tests;
#[cfg(test)]
mod spelling_tests;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_empty_leaf_has_the_published_hash() {
        let known = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d";
        assert_eq!(leaf_hash(b"").hex(), known);
        assert_eq!(empty_root().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
