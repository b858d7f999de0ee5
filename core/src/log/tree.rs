//! Verification of the Merkle tree of RFC 6962: is a leaf in it, and does one tree continue another.
//!
//! Size and root come in as a [`Head`] that was verified before. Proofs that are too short, too long, or for an index
//! outside of the tree are refused.

use super::{MAX_SIZE, empty_root, node_hash};
use crate::digest::Digest;
use crate::problem::{CONSISTENCY_FAILED, Code, Finding, INCLUSION_FAILED, LOG_FORK, LOG_ROLLBACK, Place};

/// The most hashes that a proof can hold.
pub const MAX_PROOF: usize = 63;

/// How many leaves a tree has, and its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of leaves.
    pub size: u64,
    /// The root hash.
    pub root: Digest,
}

impl Head {
    /// The tree without leaves.
    pub fn empty() -> Self {
        Self { size: 0, root: empty_root() }
    }

    /// Whether the leaf with this hash stands at `index`.
    pub fn verify_inclusion(&self, index: u64, leaf: &Digest, proof: &[Digest]) -> Result<(), Finding> {
        if index >= self.size || self.size > MAX_SIZE {
            let found = format!("index {index} in a tree of {} leaves", self.size);
            return Err(refuse(INCLUSION_FAILED, found, "an index below the size"));
        }
        let mut climb = Climb { index, last: self.size - 1 };
        let mut hash = *leaf;
        for sibling in proof {
            match climb.step().ok_or_else(|| self.not_included(index, proof))? {
                Side::Left => hash = node_hash(sibling, &hash),
                Side::Right => hash = node_hash(&hash, sibling),
            }
        }
        if climb.at_top() && hash == self.root { Ok(()) } else { Err(self.not_included(index, proof)) }
    }

    fn not_included(&self, index: u64, proof: &[Digest]) -> Finding {
        let found = format!("a proof of {} hashes for leaf {index} that does not lead to the root", proof.len());
        refuse(INCLUSION_FAILED, found, format!("root {} of {} leaves", self.root, self.size))
    }

    /// Whether this tree continues `old`: the same leaves in the same order, and perhaps more.
    pub fn verify_consistency(&self, old: &Self, proof: &[Digest]) -> Result<(), Finding> {
        if self.size < old.size {
            let expected = format!("at least {} leaves, as seen before", old.size);
            return Err(refuse(LOG_ROLLBACK, format!("a tree of {} leaves", self.size), expected));
        }
        let failed = || {
            let found = format!("a proof of {} hashes that does not join the trees", proof.len());
            refuse(CONSISTENCY_FAILED, found, format!("a proof from {} to {} leaves", old.size, self.size))
        };
        if self.size == old.size {
            if self.root != old.root {
                let found = format!("root {} for {} leaves", self.root, self.size);
                return Err(refuse(LOG_FORK, found, format!("root {}, as seen before", old.root)));
            }
            return if proof.is_empty() { Ok(()) } else { Err(failed()) };
        }
        if old.size == 0 {
            // Every tree continues the empty one; there is only one empty root and nothing to prove.
            return if proof.is_empty() && old.root == empty_root() { Ok(()) } else { Err(failed()) };
        }
        if self.size > MAX_SIZE {
            return Err(failed());
        }
        self.walk_consistency(old, proof).filter(|same| *same).map(|_| ()).ok_or_else(failed)
    }

    /// Rebuilds both roots from the proof; `None` when it has the wrong length.
    fn walk_consistency(&self, old: &Self, proof: &[Digest]) -> Option<bool> {
        let mut climb = Climb { index: old.size - 1, last: self.size - 1 };
        climb.skip_right_edges();
        let mut rest = proof.iter();
        // A complete old tree is itself the first node, so the proof does not repeat it.
        let first = if old.size.is_power_of_two() { &old.root } else { rest.next()? };
        let (mut older, mut newer) = (*first, *first);
        for sibling in rest {
            match climb.step()? {
                Side::Left => (older, newer) = (node_hash(sibling, &older), node_hash(sibling, &newer)),
                Side::Right => newer = node_hash(&newer, sibling),
            }
        }
        Some(climb.at_top() && older == old.root && newer == self.root)
    }
}

/// On which side of the node the next sibling stands.
enum Side {
    Left,
    Right,
}

/// The way from a node up to the root, in a tree whose last node of the same height is `last`.
struct Climb {
    index: u64,
    last: u64,
}

impl Climb {
    /// Goes up past one sibling; `None` at the root, where there is none.
    fn step(&mut self) -> Option<Side> {
        if self.last == 0 {
            return None;
        }
        let left = self.index & 1 == 1 || self.index == self.last;
        if left {
            // The last node may have no sibling on some heights: it passes up unchanged until it is a right child.
            while self.index & 1 == 0 && self.index != 0 {
                self.up();
            }
        }
        self.up();
        Some(if left { Side::Left } else { Side::Right })
    }

    fn skip_right_edges(&mut self) {
        while self.index & 1 == 1 {
            self.up();
        }
    }

    const fn up(&mut self) {
        self.index >>= 1;
        self.last >>= 1;
    }

    const fn at_top(&self) -> bool {
        self.last == 0
    }
}

fn refuse(code: Code, found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "do not rely on this log; keep both answers and ask who runs it";
    Finding::new(code, Place::default(), found, expected, next)
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
