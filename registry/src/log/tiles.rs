//! Tiles, entry bundles and proofs, made from rows. One transaction sees one state of the tree.

use std::collections::BTreeMap;

use retoque_core::digest::Digest;
use retoque_core::log::generate::Plan;
use retoque_core::log::{Bundle, Tile, bundle};

use super::{Error, damaged};
use crate::store::Tx;

/// The bytes of a tile: its hashes, one after another.
pub async fn tile(tx: &mut Tx, tile: Tile) -> Result<Vec<u8>, Error> {
    let hashes = tx.tile(tile).await?;
    if hashes.len() != usize::from(tile.width()) {
        return Err(damaged(format!("{} hashes in tile {tile}", hashes.len()), format!("{}", tile.width())).into());
    }
    Ok(hashes.iter().flat_map(Digest::as_bytes).copied().collect())
}

/// The bytes of an entry bundle: each leaf behind its length.
pub async fn entries(tx: &mut Tx, wanted: Bundle) -> Result<Vec<u8>, Error> {
    let leaves = tx.entries(wanted).await?;
    if leaves.len() != usize::from(wanted.width()) {
        return Err(damaged(format!("{} leaves in {wanted}", leaves.len()), format!("{}", wanted.width())).into());
    }
    Ok(bundle::write(leaves.iter().map(Vec::as_slice))?)
}

/// Answers [`Plan`]s; a tile that several of them need is read once.
pub struct Prover<'t> {
    tx: &'t mut Tx,
    tiles: BTreeMap<Tile, Vec<u8>>,
}

impl<'t> Prover<'t> {
    /// A prover over the state that this transaction sees.
    pub const fn new(tx: &'t mut Tx) -> Self {
        Self { tx, tiles: BTreeMap::new() }
    }

    /// The hashes that the plan asks for.
    pub async fn resolve(&mut self, plan: &Plan) -> Result<Vec<Digest>, Error> {
        for wanted in plan.tiles() {
            if !self.tiles.contains_key(&wanted) {
                let bytes = tile(self.tx, wanted).await?;
                self.tiles.insert(wanted, bytes);
            }
        }
        Ok(plan.resolve(&mut self.tiles)?)
    }

    /// The inclusion proof of leaf `index` in the tree of `size` leaves.
    pub async fn inclusion(&mut self, index: u64, size: u64) -> Result<Vec<Digest>, Error> {
        let outside = || damaged(format!("leaf {index}"), format!("a leaf of a tree of {size}"));
        self.resolve(&Plan::inclusion(index, size).ok_or_else(outside)?).await
    }

    /// The consistency proof from the tree of `old` to that of `size` leaves.
    pub async fn consistency(&mut self, old: u64, size: u64) -> Result<Vec<Digest>, Error> {
        let outside = || damaged(format!("a tree of {size} leaves"), format!("at least {old}"));
        self.resolve(&Plan::consistency(old, size).ok_or_else(outside)?).await
    }

    /// The root of the tree of `size` leaves, computed anew.
    pub async fn root(&mut self, size: u64) -> Result<Digest, Error> {
        let Some(plan) = Plan::root(size) else { return Ok(retoque_core::log::empty_root()) };
        let roots = self.resolve(&plan).await?;
        roots.first().copied().ok_or_else(|| damaged("no root", format!("that of {size} leaves")).into())
    }
}
