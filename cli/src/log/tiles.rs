//! Tiles of the log's tree, from the cache or over HTTP, each proven by the root of the tree.
//!
//! The partial tiles of all levels give the root between them, so they are proven by comparing it; every full tile is
//! one hash of the tile above it. A tile that does not fit is refused by name (`tile_invalid`), wherever it came from.
//! With the tiles of the newer tree proven, an older head that it does not continue is a fork and no fault of the way.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::Url;
use retoque_core::digest::Digest;
use retoque_core::log::generate::Plan;
use retoque_core::log::{Frontier, Head, Resource, Tile, tile};
use retoque_core::problem::{Finding, LOG_ROLLBACK, Place, TILE_INVALID};

use super::{Cache, Fork};
use crate::client::{Client, Sources};
use crate::error::Failure;

/// How many tiles are on their way at once.
const AT_ONCE: usize = 8;

/// The tiles of one log.
#[derive(Debug, Clone)]
pub struct Tiles {
    sources: Sources,
    cache: Cache,
}

/// The bytes of proven tiles.
pub(super) type Proven = BTreeMap<Tile, Vec<u8>>;

impl Tiles {
    /// The tiles that these sources serve.
    pub const fn new(sources: Sources, cache: Cache) -> Self {
        Self { sources, cache }
    }

    /// Whether the tree of `new`, whose tiles are proven first, continues that of `old`.
    async fn continues(&self, old: Head, new: Head) -> Result<bool, Failure> {
        if old.size == new.size || old.size == 0 {
            return Ok(new.verify_consistency(&old, &[]).is_ok());
        }
        let Some(plan) = Plan::consistency(old.size, new.size) else { return Ok(false) };
        let proven = self.proven(new, &plan.tiles()).await?;
        let proof = plan.resolve(proven)?;
        Ok(new.verify_consistency(&old, &proof).is_ok())
    }

    /// The proof that the tree of `new` continues that of `old`, which was checked before; the proof is checked too.
    pub async fn consistency(&self, old: Head, new: Head) -> Result<Vec<Digest>, Failure> {
        let Some(plan) = Plan::consistency(old.size, new.size) else { return Ok(Vec::new()) };
        let proof = plan.resolve(self.proven(new, &plan.tiles()).await?)?;
        new.verify_consistency(&old, &proof)?;
        Ok(proof)
    }

    /// Refuses unless the tree of `new` continues that of `old`: smaller is a rollback, another history is a fork, which
    /// comes back with both notes.
    pub async fn check(&self, old: (Head, &str), new: (Head, &str)) -> Result<Option<Fork>, Failure> {
        if new.0.size < old.0.size {
            let found = format!("a log of {} entries", new.0.size);
            let expected = format!("at least {} entries, as were seen before", old.0.size);
            let next = "somebody shows an old state of the log; do not use it, and ask the operator of the registry";
            return Err(Finding::new(LOG_ROLLBACK, Place::default(), found, expected, next).into());
        }
        if self.continues(old.0, new.0).await? {
            return Ok(None);
        }
        Ok(Some(Fork { one: (old.0, old.1.to_owned()), other: (new.0, new.1.to_owned()) }))
    }

    /// These tiles of the tree, proven, from the first source that has them.
    pub async fn proven(&self, head: Head, wanted: &BTreeSet<Tile>) -> Result<Proven, Failure> {
        if head.size == 0 {
            return Ok(Proven::new());
        }
        let needed = &with_ancestors(head.size, wanted);
        let cached: Proven = needed.iter().filter_map(|tile| Some((*tile, self.cache.tile(*tile)?))).collect();
        let cached = &cached;
        let proven = self
            .sources
            .first("the tiles of the log", |client| async move {
                let (mut tiles, mut tries) = (cached.clone(), 0);
                loop {
                    let missing = needed.iter().copied().filter(|tile| !tiles.contains_key(tile)).collect();
                    tiles.extend(fetch(&client, missing).await?);
                    match prove(head, &tiles) {
                        Ok(()) => return Ok(tiles),
                        // What lay on the disk may have been damaged there: once more without it.
                        Err(finding) if tries > 0 || cached.is_empty() => return Err(finding.into()),
                        Err(_) => tiles.retain(|tile, _| !cached.contains_key(tile)),
                    }
                    tries += 1;
                }
            })
            .await?;
        for (tile, bytes) in &proven {
            if cached.get(tile).is_some_and(|old| old != bytes) {
                self.cache.forget_tile(*tile);
            }
            self.cache.keep_tile(*tile, bytes);
        }
        Ok(proven)
    }

    /// The cache.
    pub const fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The sources.
    pub const fn sources(&self) -> &Sources {
        &self.sources
    }
}

/// The address of a tile or bundle at a source.
pub(super) fn address(client: &Client, resource: Resource) -> Url {
    let path = resource.to_string();
    let segments: Vec<&str> = ["log", "tile"].into_iter().chain(path.split('/')).collect();
    client.address().join(&segments)
}

async fn fetch(client: &Client, tiles: BTreeSet<Tile>) -> Result<Proven, Failure> {
    stream::iter(tiles)
        .map(|tile| async move { Ok((tile, one(client, tile).await?)) })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}

/// One tile. A mirror need not keep the partial tiles that have become full; those begin with the same hashes.
async fn one(client: &Client, tile: Tile) -> Result<Vec<u8>, Failure> {
    let get = |tile: Tile| async move {
        let url = address(client, Resource::Tile(tile));
        let answer = client.optional_bytes(url, tile::MAX_BYTES).await;
        answer.map_err(|failure| failure.during(format!("tile {tile}")))
    };
    let mut found = get(tile).await?;
    if found.is_none() && !tile.is_full() {
        let beyond = (tile.index() + 1).saturating_mul(u64::from(tile::FULL)) << (8 * u32::from(tile.level()));
        if let Some(full) = Tile::in_tree(beyond, tile.level(), tile.index()) {
            let part = |bytes: Bytes| bytes.get(..usize::from(tile.width()) * 32).map(Bytes::copy_from_slice);
            found = get(full).await?.and_then(part);
        }
    }
    let bytes = found.ok_or_else(|| {
        let next = "ask another mirror; if it stays, the registry cannot show the tree that it signed";
        let expected = "every tile of a tree that was signed";
        Finding::new(TILE_INVALID, Place::default(), format!("no tile {tile}"), expected, next)
    })?;
    tile.hashes(&bytes)?;
    Ok(bytes.to_vec())
}

/// The tiles, those that hold their roots, and the right edge of the tree, which holds the last of these.
fn with_ancestors(size: u64, wanted: &BTreeSet<Tile>) -> BTreeSet<Tile> {
    let mut all = Plan::root(size).map(|plan| plan.tiles()).unwrap_or_default();
    for tile in wanted {
        let mut next = Some(*tile);
        while let Some(tile) = next.filter(|tile| all.insert(*tile)) {
            next = if tile.is_full() { above(size, tile) } else { None };
        }
    }
    all
}

fn above(size: u64, tile: Tile) -> Option<Tile> {
    Tile::in_tree(size, tile.level() + 1, tile.index() / u64::from(tile::FULL))
}

/// Whether these tiles are tiles of this tree. All of their ancestors and the right edge must be among them.
fn prove(head: Head, tiles: &Proven) -> Result<(), Finding> {
    let edge = Plan::root(head.size).map(|plan| plan.resolve(tiles.clone())).transpose()?;
    if edge.and_then(|hashes| hashes.first().copied()) != Some(head.root) {
        return Err(refuse("tiles at the end of the tree that do not give its root", &head.root));
    }
    // From the top down, so that a tile is compared with one that is proven.
    for (tile, bytes) in tiles.iter().rev().filter(|(tile, _)| tile.is_full()) {
        let root = tile.hashes(bytes)?.into_iter().collect::<Frontier>().root();
        let above = above(head.size, *tile).and_then(|above| Some((above, tiles.get(&above)?)));
        let expected = above.map(|(above, bytes)| above.hashes(bytes)).transpose()?;
        let place = usize::try_from(tile.index() % u64::from(tile::FULL)).unwrap_or_default();
        let expected = expected.and_then(|hashes| hashes.get(place).copied());
        if expected != Some(root) {
            return Err(refuse(&format!("a tile {tile} that is not part of the tree"), &head.root));
        }
    }
    Ok(())
}

fn refuse(found: &str, root: &Digest) -> Finding {
    let next = "fetch it from another mirror; if it stays, the registry cannot show the tree that it signed";
    Finding::new(TILE_INVALID, Place::default(), found, format!("the tiles of the tree {}", root.hex()), next)
}
