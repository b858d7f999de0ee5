//! The example of `docs/format/log.md` is what the code writes.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use super::generate::Plan;
use super::*;
use crate::sign::{SecretKey, Signer as _, Time};

const ORIGIN: &str = "log.example/a";
const WITNESS: &str = "witness.example/w";

fn example() -> String {
    let (log, witness) = (SecretKey::from_seed(&[1; 32]).unwrap(), SecretKey::from_seed(&[9; 32]).unwrap());
    let leaves = [&b"one"[..], b"two", b"three", b"four", b"five"].map(leaf_hash);
    let frontier: Frontier = leaves.into_iter().collect();
    let checkpoint = Checkpoint::new(ORIGIN, frontier.head()).unwrap();
    let time: Time = "2026-12-01T10:00:00Z".parse().unwrap();
    let mut note = checkpoint.sign(&log).unwrap();
    note.put(cosignature::sign(&checkpoint, ORIGIN, &log, time).unwrap());
    note.put(cosignature::sign(&checkpoint, WITNESS, &witness, time.plus_seconds(7)).unwrap());
    let bytes = leaves.iter().flat_map(|leaf| *leaf.as_bytes()).collect();
    let mut tiles = BTreeMap::from([(Tile::in_tree(5, 0, 0).unwrap(), bytes)]);
    let hashes = Plan::inclusion(2, 5).unwrap().resolve(&mut tiles).unwrap();
    let log_key = VerifierKey::log(ORIGIN, log.public().clone()).unwrap();
    let own_key = VerifierKey::cosigner(ORIGIN, log.public().clone()).unwrap();
    let witness_key = VerifierKey::cosigner(WITNESS, witness.public().clone()).unwrap();
    let file = ProofFile::new(2, hashes, SignedCheckpoint::from_note(note).unwrap());
    format!("{log_key}\n{own_key}\n{witness_key}\n\n{file}")
}

#[test]
fn the_committed_example_is_what_the_code_writes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/format/log.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.contains(&format!("```text\n{}```\n", example())), "{path} lacks this example:\n{}", example());
}
