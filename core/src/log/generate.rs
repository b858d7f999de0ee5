//! Making proofs and roots from tiles: which nodes and tiles are needed, and the hashes out of them.
//!
//! A [`Plan`] is made without any data, so that its tiles can be fetched together; then it is resolved from them.

use std::collections::{BTreeMap, BTreeSet};

use super::frontier::fold;
use super::tile::{FULL, Node, TILE_HEIGHT, Tile, refuse};
use super::{MAX_SIZE, empty_root, node_hash};
use crate::digest::Digest;
use crate::problem::Finding;

/// Where the bytes of tiles come from.
pub trait TileReader {
    /// The bytes of `tile`: exactly the hashes of its width.
    fn read(&mut self, tile: Tile) -> Result<Vec<u8>, Finding>;
}

impl TileReader for BTreeMap<Tile, Vec<u8>> {
    fn read(&mut self, tile: Tile) -> Result<Vec<u8>, Finding> {
        self.get(&tile).cloned().ok_or_else(|| refuse(format!("no tile {tile}"), "every tile that a proof needs"))
    }
}

impl<R: TileReader + ?Sized> TileReader for &mut R {
    fn read(&mut self, tile: Tile) -> Result<Vec<u8>, Finding> {
        (**self).read(tile)
    }
}

/// What is computed from the tiles of a tree: one hash for each range of leaves.
#[derive(Debug, Clone)]
pub struct Plan {
    size: u64,
    /// Each range as its complete subtrees from left to right.
    ranges: Vec<Vec<Node>>,
}

impl Plan {
    /// The inclusion proof of leaf `index` in the tree of `size` leaves; `None` when there is no such leaf.
    pub fn inclusion(index: u64, size: u64) -> Option<Self> {
        if index >= size || size > MAX_SIZE {
            return None;
        }
        let mut ranges = Vec::new();
        let (mut low, mut high) = (0, size);
        while high - low > 1 {
            let middle = low + split(high - low);
            if index < middle {
                ranges.push(nodes(middle, high));
                high = middle;
            } else {
                ranges.push(nodes(low, middle));
                low = middle;
            }
        }
        ranges.reverse();
        Some(Self { size, ranges })
    }

    /// The consistency proof from `old` to `size` leaves; `None` when `old` is larger.
    pub fn consistency(old: u64, size: u64) -> Option<Self> {
        if old > size || size > MAX_SIZE {
            return None;
        }
        let mut ranges = Vec::new();
        if old == 0 || old == size {
            return Some(Self { size, ranges });
        }
        let (mut low, mut high) = (0, size);
        while high > old {
            let middle = low + split(high - low);
            if old <= middle {
                ranges.push(nodes(middle, high));
                high = middle;
            } else {
                ranges.push(nodes(low, middle));
                low = middle;
            }
        }
        // What is left is a subtree of both trees. When it starts at the left edge it is the old tree, which is known.
        if low > 0 {
            ranges.push(nodes(low, high));
        }
        ranges.reverse();
        Some(Self { size, ranges })
    }

    /// The root of the tree of `size` leaves; `None` for the empty tree, whose root needs no tiles.
    pub fn root(size: u64) -> Option<Self> {
        (size > 0 && size <= MAX_SIZE).then(|| Self { size, ranges: vec![nodes(0, size)] })
    }

    /// The tiles that are needed, each once.
    pub fn tiles(&self) -> BTreeSet<Tile> {
        self.ranges.iter().flatten().filter_map(|node| tile_of(*node, self.size)).collect()
    }

    /// The hashes, from tiles that are each read once.
    pub fn resolve(&self, mut reader: impl TileReader) -> Result<Vec<Digest>, Finding> {
        let mut read = BTreeMap::new();
        for tile in self.tiles() {
            read.insert(tile, tile.hashes(&reader.read(tile)?)?);
        }
        let hash = |node: &Node| {
            let part = tile_of(*node, self.size).and_then(|tile| {
                let row = node.height % TILE_HEIGHT;
                let place = usize::try_from((node.index << row) % u64::from(FULL)).ok()?;
                read.get(&tile)?.get(place..place + (1 << row))
            });
            part.map(subtree).ok_or_else(|| refuse(format!("no hash of {node:?}"), "a node of the tree"))
        };
        let fold_range = |range: &Vec<Node>| {
            let peaks = range.iter().map(hash).collect::<Result<Vec<_>, _>>()?;
            Ok(fold(&peaks).unwrap_or_else(empty_root))
        };
        self.ranges.iter().map(fold_range).collect()
    }
}

/// The largest power of two below `count`, where RFC 6962 divides a tree of at least two leaves.
const fn split(count: u64) -> u64 {
    1 << (u64::BITS - 1 - (count - 1).leading_zeros())
}

/// The complete subtrees of the leaves from `low` to before `high`, from left to right.
fn nodes(low: u64, high: u64) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut from = low;
    for height in (0..63_u8).rev() {
        if (high - low) >> height & 1 == 1 {
            nodes.push(Node { height, index: from >> height });
            from += 1 << height;
        }
    }
    nodes
}

/// The tile that has the hashes under `node`.
fn tile_of(node: Node, size: u64) -> Option<Tile> {
    let row = node.height % TILE_HEIGHT;
    Tile::in_tree(size, node.height / TILE_HEIGHT, (node.index << row) / u64::from(FULL))
}

/// The root over a power of two of hashes.
fn subtree(hashes: &[Digest]) -> Digest {
    match hashes {
        [] => empty_root(),
        [one] => *one,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            node_hash(&subtree(left), &subtree(right))
        }
    }
}
