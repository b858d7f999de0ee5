//! The right edge of the tree: all that is needed to append leaves and to know the root, in O(log n) memory.

use super::tile::{Node, TILE_HEIGHT};
use super::tree::Head;
use super::{MAX_SIZE, empty_root, node_hash};
use crate::digest::Digest;
use crate::problem::{Finding, Place, TILE_INVALID};

/// The complete subtrees of a tree, from the largest on the left to the smallest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Digest>,
}

impl Frontier {
    /// The edge of the empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the hash of a leaf. Answers the nodes that are now complete and stand in a tile above level 0, lowest
    /// first: one for every full tile that the leaf finished.
    pub fn append(&mut self, leaf: Digest) -> Vec<(Node, Digest)> {
        let mut finished = Vec::new();
        let (mut hash, mut height) = (leaf, 0);
        // Each one bit at the end of the size is a complete subtree that the new one joins.
        while self.size >> height & 1 == 1 {
            let Some(left) = self.peaks.pop() else { break };
            hash = node_hash(&left, &hash);
            height += 1;
            if height % TILE_HEIGHT == 0 {
                finished.push((Node { height, index: self.size >> height }, hash));
            }
        }
        self.peaks.push(hash);
        self.size += 1;
        finished
    }

    /// The number of leaves.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The root hash.
    pub fn root(&self) -> Digest {
        fold(&self.peaks).unwrap_or_else(empty_root)
    }

    /// Size and root.
    pub fn head(&self) -> Head {
        Head { size: self.size, root: self.root() }
    }

    /// The stored form: the size in eight bytes, big-endian, and the subtree roots from left to right.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.size.to_be_bytes().to_vec();
        for peak in &self.peaks {
            bytes.extend_from_slice(peak.as_bytes());
        }
        bytes
    }

    /// Reads the stored form, which has exactly as many roots as the size has one bits.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Finding> {
        let refuse = |found: String, expected: &str| {
            let next = "restore the database from a backup; the log must not go on from a damaged edge";
            Finding::new(TILE_INVALID, Place::default(), found, expected, next)
        };
        let Some((size, roots)) = bytes.split_first_chunk::<8>() else {
            return Err(refuse(format!("{} bytes", bytes.len()), "a size in eight bytes"));
        };
        let size = u64::from_be_bytes(*size);
        let (peaks, rest) = roots.as_chunks::<32>();
        if size > MAX_SIZE || !rest.is_empty() || peaks.len() != size.count_ones() as usize {
            return Err(refuse(
                format!("{} bytes for {size} leaves", bytes.len()),
                "one root for each one bit of the size",
            ));
        }
        Ok(Self { size, peaks: peaks.iter().copied().map(Digest::from_bytes).collect() })
    }
}

/// Appends every leaf hash: the root of a long list without holding it.
impl FromIterator<Digest> for Frontier {
    fn from_iter<I: IntoIterator<Item = Digest>>(leaves: I) -> Self {
        let mut frontier = Self::new();
        for leaf in leaves {
            frontier.append(leaf);
        }
        frontier
    }
}

/// The root over complete subtrees from left to right; `None` without any.
pub(super) fn fold(peaks: &[Digest]) -> Option<Digest> {
    peaks.iter().rev().copied().reduce(|right, left| node_hash(&left, &right))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::log::leaf_hash;

    #[test]
    fn stored_and_read_again_at_every_size() {
        let mut frontier = Frontier::new();
        for i in 0..600_u64 {
            assert_eq!(Frontier::from_bytes(&frontier.to_bytes()).unwrap(), frontier);
            assert_eq!(frontier.size(), i);
            let finished = frontier.append(leaf_hash(&i.to_be_bytes()));
            let expected: &[Node] = if i % 256 == 255 { &[Node { height: 8, index: i / 256 }] } else { &[] };
            assert_eq!(finished.iter().map(|(node, _)| *node).collect::<Vec<_>>(), expected);
        }
        let bytes = frontier.to_bytes();
        for bad in [&bytes[..7], &bytes[..bytes.len() - 1], &bytes[..bytes.len() - 32], &[0xff; 8 + 64 * 32][..], &[]] {
            assert_eq!(Frontier::from_bytes(bad).unwrap_err().code, TILE_INVALID);
        }
        let mut other_size = bytes;
        other_size[7] ^= 1;
        assert!(Frontier::from_bytes(&other_size).is_err());
    }

    #[test]
    fn a_leaf_that_finishes_two_levels_says_so() {
        let frontier: Frontier = (0..65_535_u64).map(|i| leaf_hash(&i.to_be_bytes())).collect();
        let finished = frontier.clone().append(leaf_hash(b"last"));
        let nodes: Vec<Node> = finished.iter().map(|(node, _)| *node).collect();
        assert_eq!(nodes, [Node { height: 8, index: 255 }, Node { height: 16, index: 0 }]);
    }
}
