//! The entries of the log, bundle by bundle, each entry proven by its leaf in the tree.
//!
//! A bundle from the cache or from a source is compared entry by entry with the proven leaf hashes; the first that
//! differs is named by its index. Full bundles are kept, so that an interrupted verification goes on where it was.

use std::collections::BTreeSet;

use retoque_core::digest::Digest;
use retoque_core::log::{Bundle, Head, Resource, Tile, bundle, leaf_hash, tile};
use retoque_core::problem::{Finding, LOG_ENTRY, Place};

use super::Tiles;
use super::tiles::{Proven, address};
use crate::client::Client;
use crate::error::Failure;

/// The entries of one tree.
#[derive(Debug)]
pub struct Entries<'a> {
    tiles: &'a Tiles,
    head: Head,
    /// The proven level 0 tiles of the stretch that is being read.
    leaves: Proven,
}

impl<'a> Entries<'a> {
    /// The entries of the tree of `head`, whose checkpoint was verified.
    pub fn of(tiles: &'a Tiles, head: Head) -> Self {
        Self { tiles, head, leaves: Proven::new() }
    }

    /// All entries of one bundle, proven, and whether they were here already.
    pub async fn read(&mut self, bundle: Bundle) -> Result<(Vec<Vec<u8>>, bool), Failure> {
        let leaves = self.leaves(bundle).await?;
        if let Some(bytes) = self.tiles.cache().bundle(bundle) {
            if let Ok(entries) = prove(bundle, &bytes, &leaves) {
                return Ok((entries, true));
            }
            self.tiles.cache().forget_bundle(bundle);
        }
        let leaves = &leaves;
        let get = |client: Client| async move {
            let url = address(&client, Resource::Entries(bundle));
            let bytes = client.bytes(url, bundle::MAX_BYTES).await.map_err(|f| f.during(format!("{bundle}")))?;
            let entries = prove(bundle, &bytes, leaves)?;
            Ok((bytes, entries))
        };
        let (bytes, entries) = self.tiles.sources().first("the entries of the log", get).await?;
        self.tiles.cache().keep_bundle(bundle, &bytes);
        Ok((entries, false))
    }

    /// The proven leaf hashes of a bundle. Tiles are proven by the stretch, since each time needs the edge of the tree.
    async fn leaves(&mut self, bundle: Bundle) -> Result<Vec<Digest>, Failure> {
        let Some(wanted) = Tile::in_tree(self.head.size, 0, bundle.index()) else { return Ok(Vec::new()) };
        if !self.leaves.contains_key(&wanted) {
            let stretch = (wanted.index()..wanted.index() + u64::from(tile::FULL))
                .map_while(|index| Tile::in_tree(self.head.size, 0, index))
                .collect::<BTreeSet<_>>();
            self.leaves = self.tiles.proven(self.head, &stretch).await?;
        }
        Ok(self.leaves.get(&wanted).map_or_else(|| Ok(Vec::new()), |bytes| wanted.hashes(bytes))?)
    }
}

/// The entries in these bytes, when they are those of the tree.
fn prove(bundle: Bundle, bytes: &[u8], leaves: &[Digest]) -> Result<Vec<Vec<u8>>, Finding> {
    let entries = bundle.entries(bytes)?;
    for (n, (entry, leaf)) in entries.iter().zip(leaves).enumerate() {
        let found = leaf_hash(entry);
        if found != *leaf {
            let place = Place::field(format!("log[{}]", bundle.first() + n as u64));
            let next = "fetch it from another mirror; if it stays, the registry shows other entries than it signed";
            return Err(Finding::new(LOG_ENTRY, place, format!("an entry with hash {found}"), leaf.to_string(), next));
        }
    }
    Ok(entries.into_iter().map(<[u8]>::to_vec).collect())
}
