//! Work that needs no database.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use retoque_core::digest::Digest;
use retoque_core::log::generate::{Plan, TileReader};
use retoque_core::log::tile::Node;
use retoque_core::log::{Bundle, Frontier, Resource, Tile, bundle, leaf_hash};
use retoque_core::problem::Finding;
use tlog_tiles::{Hash, Tile as PeerTile, TileHashReader, TileReader as PeerReader, check_record, prove_record};

use crate::{median, rate, record};

/// How many proofs are made at each size.
pub(crate) const PROOFS: usize = 201;

/// A tree as its tiles.
struct Tree {
    frontier: Frontier,
    tiles: BTreeMap<Tile, Vec<u8>>,
}

impl Tree {
    fn of(size: u64) -> Self {
        let (mut frontier, mut nodes) = (Frontier::new(), BTreeMap::new());
        for index in 0..size {
            let leaf = leaf_hash(&index.to_be_bytes());
            nodes.insert(Node { height: 0, index }, leaf);
            nodes.extend(frontier.append(leaf));
        }
        let bytes = |tile: Tile| tile.nodes().flat_map(|node| *nodes[&node].as_bytes()).collect();
        let tiles = Tile::all(size).map(|tile| (tile, bytes(tile))).collect();
        Self { frontier, tiles }
    }
}

impl TileReader for &Tree {
    fn read(&mut self, tile: Tile) -> Result<Vec<u8>, Finding> {
        Ok(self.tiles[&tile].clone())
    }
}

impl PeerReader for Tree {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[PeerTile]) -> Result<Vec<Vec<u8>>, tlog_tiles::Error> {
        let ours = |tile: &PeerTile| match tile.path().strip_prefix("tile/8/").map(str::parse) {
            Some(Ok(Resource::Tile(tile))) => self.tiles[&tile].clone(),
            _ => Vec::new(),
        };
        Ok(tiles.iter().map(ours).collect())
    }

    fn save_tiles(&self, _: &[PeerTile], _: &[Vec<u8>]) {}
}

/// Inclusion proofs at each size, ours and the peer's; both verify both.
pub(crate) fn proofs(sizes: &[u64]) {
    println!(
        "{:>9}  {:>6}  {:>12}  {:>12}  {:>12}  {:>12}",
        "leaves", "hashes", "prove", "verify", "prove theirs", "verify theirs"
    );
    let mut longest = Vec::new();
    for &size in sizes {
        let tree = Tree::of(size);
        let (head, root) = (tree.frontier.head(), Hash(*tree.frontier.root().as_bytes()));
        let reader = TileHashReader::new(size, root, &tree);
        let (mut made, mut verified, mut theirs, mut verified_theirs) = (vec![], vec![], vec![], vec![]);
        let mut hashes = 0;
        for n in 0..PROOFS as u64 {
            let index = n * (size - 1) / (PROOFS as u64 - 1);
            let leaf = leaf_hash(&index.to_be_bytes());
            let began = Instant::now();
            let proof = Plan::inclusion(index, size).expect("a leaf").resolve(&tree).expect("tiles");
            made.push(began.elapsed());
            let began = Instant::now();
            head.verify_inclusion(index, &leaf, &proof).expect("a good proof");
            verified.push(began.elapsed());
            let began = Instant::now();
            let other = prove_record(size, index, &reader).expect("tiles");
            theirs.push(began.elapsed());
            let began = Instant::now();
            check_record(&other, size, root, index, Hash(*leaf.as_bytes())).expect("a good proof");
            verified_theirs.push(began.elapsed());
            assert!(proof.iter().map(Digest::as_bytes).eq(other.iter().map(|hash| &hash.0)), "the proofs differ");
            hashes = hashes.max(proof.len());
        }
        let columns = [made, verified, theirs, verified_theirs].map(|times| format!("{:.1?}", median(times)));
        let [made, verified, theirs, verified_theirs] = columns;
        println!("{size:>9}  {hashes:>6}  {made:>12}  {verified:>12}  {theirs:>12}  {verified_theirs:>12}");
        longest.push((size, hashes));
    }
    for (size, hashes) in longest {
        assert!(hashes as u32 <= u64::BITS - (size - 1).leading_zeros(), "{hashes} hashes for {size} leaves");
    }
}

/// Everything that a reader does with the entries of a whole log: cut, hash, build the root.
pub(crate) fn replay(size: u64) {
    let bundles: Vec<(Bundle, Vec<u8>)> = Bundle::all(size)
        .map(|wanted| {
            let records: Vec<_> = (0..u64::from(wanted.width())).map(|i| record(wanted.first() + i)).collect();
            (wanted, bundle::write(records.iter().map(Vec::as_slice)).expect("short records"))
        })
        .collect();
    let bytes: usize = bundles.iter().map(|(_, bytes)| bytes.len()).sum();
    let began = Instant::now();
    let mut frontier = Frontier::new();
    for (wanted, bytes) in &bundles {
        for entry in wanted.entries(bytes).expect("a whole bundle") {
            frontier.append(leaf_hash(entry));
        }
    }
    let took = began.elapsed();
    // The peer hashes the same records; its tree keeps every node, ours only the edge.
    let began = Instant::now();
    let mut stored: Vec<Hash> = Vec::new();
    for index in 0..size {
        let leaf = tlog_tiles::record_hash(&record(index));
        let more = tlog_tiles::stored_hashes_for_record_hash(index, leaf, &Stored(&stored)).expect("nodes");
        stored.extend(more);
    }
    let theirs = began.elapsed();
    let root = tlog_tiles::tree_hash(size, &Stored(&stored)).expect("nodes");
    assert_eq!(*frontier.root().as_bytes(), root.0, "the roots differ");
    println!(
        "\nReplay of {size} leaves ({} MB): {took:.2?}, {} leaves/s; theirs {theirs:.2?}; root {}",
        bytes / 1_000_000,
        rate(size, took),
        black_box(frontier.root()),
    );
}

struct Stored<'a>(&'a [Hash]);

impl tlog_tiles::HashReader for Stored<'_> {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog_tiles::Error> {
        Ok(indexes.iter().map(|index| self.0[usize::try_from(*index).expect("an index")]).collect())
    }
}
