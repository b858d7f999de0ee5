//! The tree as the standard defines it, without a thought for speed.

use retoque_core::digest::Digest;
use retoque_core::log::{empty_root, leaf_hash, node_hash};

/// The root over these leaf hashes.
pub(crate) fn root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => empty_root(),
        [one] => *one,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            node_hash(&root(left), &root(right))
        }
    }
}

/// The hash of the leaf that the tests append at `index`.
pub(crate) fn leaf(index: u64) -> Vec<u8> {
    format!("leaf {index}").into_bytes()
}

/// The hashes of the first `count` of them.
pub(crate) fn hashes(count: u64) -> Vec<Digest> {
    (0..count).map(|index| leaf_hash(&leaf(index))).collect()
}
