//! Other implementations of the same formats judge ours: the crates `signed_note` and `tlog_tiles`.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use signed_note::{Signer as _, StandardSigner, StandardVerifier, VerifierList};
use tlog_tiles::{
    Error as PeerError, Hash as PeerHash, HashReader, Tile as PeerTile, TileHashReader, TileReader as PeerReader,
    check_record, check_tree, prove_record, prove_tree, record_hash, tree_hash,
};

use super::generate::Plan;
use super::note::Line;
use super::tile::Node;
use super::*;
use crate::sign::{KeySet, SecretKey, Signer as _};

const ORIGIN: &str = "log.example/a";

fn key() -> SecretKey {
    SecretKey::from_seed(&[1; 32]).unwrap()
}

fn vkey() -> VerifierKey {
    VerifierKey::log(ORIGIN, key().public().clone()).unwrap()
}

fn record(i: u64) -> Vec<u8> {
    format!("record {i}").into_bytes()
}

fn theirs(hash: Digest) -> PeerHash {
    PeerHash(*hash.as_bytes())
}

fn ours(hashes: &[PeerHash]) -> Vec<Digest> {
    hashes.iter().map(|hash| Digest::from_bytes(hash.0)).collect()
}

/// A log of ours, whose tiles the other implementation reads.
struct Served {
    frontier: Frontier,
    tiles: BTreeMap<Tile, Vec<u8>>,
}

impl Served {
    fn of(size: u64) -> Self {
        let (mut frontier, mut nodes) = (Frontier::new(), BTreeMap::new());
        for index in 0..size {
            let leaf = leaf_hash(&record(index));
            nodes.insert(Node { height: 0, index }, leaf);
            nodes.extend(frontier.append(leaf));
        }
        let bytes = |tile: Tile| tile.nodes().flat_map(|node| *nodes[&node].as_bytes()).collect();
        let tiles = Tile::all(size).map(|tile| (tile, bytes(tile))).collect();
        Self { frontier, tiles }
    }

    /// Reads our tiles, and authenticates them against the root as it does so.
    fn reader(&self) -> TileHashReader<'_> {
        TileHashReader::new(self.frontier.size(), theirs(self.frontier.root()), self)
    }
}

/// The path of theirs names the height of the tile as well.
fn our_tile(tile: &PeerTile) -> Option<Tile> {
    match tile.path().strip_prefix("tile/8/")?.parse() {
        Ok(Resource::Tile(tile)) => Some(tile),
        _ => None,
    }
}

impl PeerReader for Served {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[PeerTile]) -> Result<Vec<Vec<u8>>, PeerError> {
        let read = |tile| our_tile(tile).and_then(|tile| self.tiles.get(&tile).cloned());
        let missing = || PeerError::InvalidInput("a tile that we do not have".into());
        tiles.iter().map(|tile| read(tile).ok_or_else(missing)).collect()
    }

    fn save_tiles(&self, _: &[PeerTile], _: &[Vec<u8>]) {}
}

#[test]
fn trees_and_proofs_agree() {
    for size in [1, 2, 3, 7, 8, 200, 256, 257, 511, 513, 1000, 65_537] {
        let log = Served::of(size);
        let (root, reader) = (theirs(log.frontier.root()), log.reader());
        assert_eq!(tree_hash(size, &reader).unwrap(), root);
        for index in [0, size / 3, size / 2, size - 1] {
            let proof = prove_record(size, index, &reader).unwrap();
            let mut tiles = log.tiles.clone();
            assert_eq!(Plan::inclusion(index, size).unwrap().resolve(&mut tiles).unwrap(), ours(&proof));
            let leaf = leaf_hash(&record(index));
            assert_eq!(record_hash(&record(index)), theirs(leaf));
            log.frontier.head().verify_inclusion(index, &leaf, &ours(&proof)).unwrap();
            check_record(&proof, size, root, index, theirs(leaf)).unwrap();
            let old: Frontier = (0..=index).map(|i| leaf_hash(&record(i))).collect();
            let proof = prove_tree(size, old.size(), &reader).unwrap();
            assert_eq!(Plan::consistency(old.size(), size).unwrap().resolve(&mut tiles).unwrap(), ours(&proof));
            log.frontier.head().verify_consistency(&old.head(), &ours(&proof)).unwrap();
            check_tree(&proof, size, root, old.size(), theirs(old.root())).unwrap();
        }
    }
}

#[test]
fn the_other_side_notices_a_wrong_tile() {
    let mut log = Served::of(600);
    let top = Tile::in_tree(600, 1, 0).unwrap();
    log.tiles.get_mut(&top).unwrap()[0] ^= 1;
    assert!(log.reader().read_hashes(&[0]).is_err());
}

#[test]
fn tile_paths_agree() {
    for path in
        ["0/000", "1/x001/x234/067.p/7", "63/999", "0/000.p/255", "0/000.p/256", "0/x000/001", "0/1", "0/001/x1"]
    {
        let agreed = PeerTile::from_path(&format!("tile/8/{path}")).is_ok();
        assert_eq!(path.parse::<Resource>().is_ok(), agreed, "{path}");
    }
    for size in [1, 255, 256, 70_000] {
        let theirs: Vec<Tile> = PeerTile::new_tiles(8, 0, size).iter().map(|tile| our_tile(tile).unwrap()).collect();
        assert_eq!(Tile::all(size).collect::<Vec<_>>(), theirs);
    }
}

#[test]
fn notes_and_checkpoints_agree() {
    let checkpoint = Checkpoint::new(ORIGIN, Served::of(5).frontier.head()).unwrap();
    let note = checkpoint.sign(&key()).unwrap().to_string();
    let known = VerifierList::new(vec![Box::new(StandardVerifier::new(&vkey().to_string()).unwrap())]);
    let read = signed_note::Note::from_bytes(note.as_bytes()).unwrap();
    let (verified, unverified) = read.verify(&known).unwrap();
    assert_eq!((verified.len(), unverified.len()), (1, 0));
    assert_eq!(read.to_bytes(), note.as_bytes());
    let peer = tlog_tiles::Checkpoint::from_bytes(read.text()).unwrap();
    assert_eq!((peer.origin(), peer.size()), (ORIGIN, 5));
    assert_eq!(*peer.hash(), theirs(checkpoint.root()));
}

#[test]
fn a_note_of_theirs_is_verified() {
    // The signing key of the Go documentation of signed notes.
    let skey = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    let signer = StandardSigner::new(skey).unwrap();
    let text = format!("PeterNeumann\n5\n{}\n", PeerHash([7; 32]));
    let mut note = signed_note::Note::new(text.as_bytes(), &[]).unwrap();
    note.add_sigs(&[&signer]).unwrap();
    let vkey: VerifierKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW".parse().unwrap();
    assert_eq!(vkey.id(), signer.key_id());
    let checkpoint = SignedCheckpoint::parse(&note.to_bytes()).unwrap();
    let keys = KeySet::new("log", [vkey.key().clone()], 1);
    assert_eq!(checkpoint.verify("PeterNeumann", &keys).unwrap().size(), 5);
}

#[test]
fn what_one_side_refuses_the_other_refuses() {
    let checkpoint = Checkpoint::new(ORIGIN, Served::of(5).frontier.head()).unwrap();
    let note = checkpoint.sign(&key()).unwrap();
    let good = note.to_string();
    let line = Line::new(&vkey(), vec![1; 64]).to_string();
    for bad in [
        good.replace("\n\n", "\n"),
        good.replace('\u{2014}', "--"),
        good.replace("5\n", "5\t\n"),
        good.trim_end().to_owned(),
        format!("{good}{line}"),
        format!("{good}\u{2014} a+b {}\n", line.rsplit_once(' ').unwrap().1),
    ] {
        assert!(signed_note::Note::from_bytes(bad.as_bytes()).is_err(), "{bad:?}");
        assert!(Note::parse(bad.as_bytes()).is_err(), "{bad:?}");
    }
}
