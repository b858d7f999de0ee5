//! Proof files: one spelling, and every changed byte is noticed.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::log::generate::Plan;
use crate::log::{Checkpoint, Frontier, Tile, leaf_hash};
use crate::problem::{INCLUSION_FAILED, LOG_ORIGIN_MISMATCH};
use crate::sign::{SecretKey, Signer as _};

const ORIGIN: &str = "log.example/a";

fn key() -> SecretKey {
    SecretKey::from_seed(&[1; 32]).unwrap()
}

fn keys() -> KeySet {
    KeySet::new("platform-log", [key().public().clone()], 1)
}

fn leaf(i: u64) -> Digest {
    leaf_hash(&i.to_be_bytes())
}

fn file(index: u64, size: u64) -> ProofFile {
    let frontier: Frontier = (0..size).map(leaf).collect();
    let checkpoint = Checkpoint::new(ORIGIN, frontier.head()).unwrap();
    let signed = SignedCheckpoint::from_note(checkpoint.sign(&key()).unwrap()).unwrap();
    let bytes = (0..size).flat_map(|i| *leaf(i).as_bytes()).collect();
    let mut tiles = std::collections::BTreeMap::from([(Tile::in_tree(size, 0, 0).unwrap(), bytes)]);
    ProofFile::new(index, Plan::inclusion(index, size).unwrap().resolve(&mut tiles).unwrap(), signed)
}

#[test]
fn written_read_and_verified() {
    for size in [1, 2, 5, 8, 100] {
        for index in [0, size / 2, size - 1] {
            for extra in [&b""[..], b"context"] {
                let file = file(index, size).with_extra(extra.to_vec());
                let again = ProofFile::parse(file.to_string().as_bytes()).unwrap();
                assert_eq!(again, file);
                let checkpoint = again.verify(&leaf(index), ORIGIN, &keys()).unwrap();
                again.verify_in(&leaf(index), &checkpoint).unwrap();
                let wrong = again.verify(&leaf(index + 1), ORIGIN, &keys()).unwrap_err();
                assert_eq!(wrong.code, INCLUSION_FAILED);
            }
        }
    }
    let other = file(0, 5).verify(&leaf(0), "log.example/b", &keys()).unwrap_err();
    assert_eq!(other.code, LOG_ORIGIN_MISMATCH);
}

#[test]
fn a_proof_of_another_checkpoint_is_refused() {
    let checkpoint = file(0, 5).verify(&leaf(0), ORIGIN, &keys()).unwrap();
    assert_eq!(file(0, 6).verify_in(&leaf(0), &checkpoint).unwrap_err().code, PROOF_INVALID);
}

#[test]
fn other_spellings_are_refused() {
    let good = file(2, 5).with_extra(b"context".to_vec()).to_string();
    let hash = good.lines().nth(3).unwrap().to_owned();
    let bad = [
        String::new(),
        good.replace("@v1", "@v2"),
        good.replace("c2sp.org/tlog-proof@v1\n", ""),
        good.replace("extra ", "extra  "),
        good.replace(&good.lines().nth(1).unwrap().to_owned(), "extra "),
        good.replace("extra ", "more "),
        good.replace("index 2", "index 02"),
        good.replace("index 2", "index -2"),
        good.replace("index 2\n", ""),
        good.replace(&hash, &hash[1..]),
        good.replace(&format!("{hash}\n"), &format!("{hash}\n").repeat(64)),
        good.replace('\n', "\r\n"),
        format!("\n{good}"),
        "x".repeat(MAX_BYTES + 1),
    ];
    for text in bad {
        assert_eq!(ProofFile::parse(text.as_bytes()).unwrap_err().code, PROOF_INVALID, "{text:?}");
    }
    assert!(ProofFile::parse(format!("{good}\n").as_bytes()).is_err());
    assert!(ProofFile::parse(good.trim_end().as_bytes()).is_err());
}

#[test]
fn any_changed_byte_is_noticed() {
    let bytes = file(2, 5).to_string().into_bytes();
    for at in 0..bytes.len() {
        for bit in [1, 0x20] {
            let mut changed = bytes.clone();
            changed[at] ^= bit;
            let verified = ProofFile::parse(&changed).and_then(|file| file.verify(&leaf(2), ORIGIN, &keys()));
            assert!(verified.is_err(), "byte {at} by {bit}");
        }
    }
}
