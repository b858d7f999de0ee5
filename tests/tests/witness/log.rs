//! A log that asks for cosignatures, and that can also show another history.

use std::collections::BTreeMap;

use retoque_core::digest::Digest;
use retoque_core::log::generate::Plan;
use retoque_core::log::tile::Node;
use retoque_core::log::witness::AddCheckpoint;
use retoque_core::log::{Checkpoint, Frontier, SignedCheckpoint, Tile, VerifierKey, leaf_hash};
use retoque_core::sign::{SecretKey, Signer as _};

/// A log with its key and its leaves.
#[derive(Clone)]
pub struct Log {
    /// Its origin.
    pub origin: String,
    seed: u8,
    leaves: Vec<Digest>,
}

impl Log {
    /// A log with this many leaves.
    pub fn of(origin: &str, seed: u8, size: u64) -> Self {
        let mut log = Self { origin: origin.to_owned(), seed, leaves: Vec::new() };
        log.grow(size, "record");
        log
    }

    /// Appends leaves of this kind until there are `size`.
    pub fn grow(&mut self, size: u64, kind: &str) {
        let from = self.leaves.len() as u64;
        self.leaves.extend((from..size).map(|i| leaf_hash(format!("{kind} {i}").as_bytes())));
    }

    /// The same log with another history from leaf `from` on.
    pub fn forked(&self, from: usize) -> Self {
        let mut other = self.clone();
        other.leaves.truncate(from);
        other.grow(self.leaves.len() as u64, "other");
        other
    }

    fn key(&self) -> SecretKey {
        SecretKey::from_seed(&[self.seed; 32]).unwrap()
    }

    /// How it signs.
    pub fn vkey(&self) -> String {
        VerifierKey::log(&self.origin, self.key().public().clone()).unwrap().to_string()
    }

    /// Its newest checkpoint.
    pub fn checkpoint(&self) -> Checkpoint {
        let frontier: Frontier = self.leaves.iter().copied().collect();
        Checkpoint::new(&self.origin, frontier.head()).unwrap()
    }

    /// The request to cosign the newest checkpoint, with the proof from `old`.
    pub fn request(&self, old: u64) -> AddCheckpoint {
        let size = self.leaves.len() as u64;
        let (mut frontier, mut nodes) = (Frontier::new(), BTreeMap::new());
        for (index, leaf) in (0..).zip(&self.leaves) {
            nodes.insert(Node { height: 0, index }, *leaf);
            nodes.extend(frontier.append(*leaf));
        }
        let bytes = |tile: Tile| tile.nodes().flat_map(|node| *nodes[&node].as_bytes()).collect();
        let mut tiles: BTreeMap<Tile, Vec<u8>> = Tile::all(size).map(|tile| (tile, bytes(tile))).collect();
        let proof = Plan::consistency(old, size).map_or_else(Vec::new, |plan| plan.resolve(&mut tiles).unwrap());
        let note = self.checkpoint().sign(&self.key()).unwrap();
        AddCheckpoint { old, proof, checkpoint: SignedCheckpoint::from_note(note).unwrap() }
    }
}
