//! Leaves of the transparency log. Tiles, checkpoints and proofs come with the log itself.
//!
//! Hashes as in RFC 6962: a leaf is hashed behind one zero byte, so that no leaf can pass for an inner node.

use crate::digest::{Digest, Hasher};

/// The Merkle leaf hash of one record.
pub fn leaf_hash(record: &[u8]) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(&[0]);
    hasher.update(record);
    hasher.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_empty_leaf_has_the_published_hash() {
        let known = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d";
        assert_eq!(leaf_hash(b"").hex(), known);
    }
}
