//! Checkpoints: three lines, one origin, trusted keys.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::log::{empty_root, leaf_hash};
use crate::problem::NOTE_INVALID;
use crate::sign::SecretKey;

const ORIGIN: &str = "log.example/a";

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

fn keys(ns: &[u8], threshold: u32) -> KeySet {
    KeySet::new("platform-log", ns.iter().map(|n| key(*n).public().clone()), threshold)
}

fn checkpoint() -> Checkpoint {
    Checkpoint::new(ORIGIN, Head { size: 1, root: leaf_hash(b"one") }).unwrap()
}

fn read(text: &str) -> SignedCheckpoint {
    SignedCheckpoint::parse(text.as_bytes()).unwrap()
}

#[test]
fn signed_read_and_verified() {
    let text = checkpoint().sign(&key(1)).unwrap().to_string();
    let verified = read(&text).verify(ORIGIN, &keys(&[2, 1], 1)).unwrap();
    assert_eq!((verified.origin(), verified.size(), verified.root()), (ORIGIN, 1, leaf_hash(b"one")));
    assert_eq!(verified.note().to_string(), text);
    assert_eq!(verified.signers().collect::<Vec<_>>(), [key(1).public().id()]);
    verified.verify_inclusion(0, &leaf_hash(b"one"), &[]).unwrap();
}

#[test]
fn the_reason_of_a_refusal_is_named() {
    let signed = read(&checkpoint().sign(&key(1)).unwrap().to_string());
    let code = |origin: &str, keys: &KeySet| signed.verify(origin, keys).unwrap_err().code;
    assert_eq!(code("log.example/b", &keys(&[1], 1)), LOG_ORIGIN_MISMATCH);
    assert_eq!(code(ORIGIN, &keys(&[2], 1)), CHECKPOINT_UNSIGNED);
    assert_eq!(code(ORIGIN, &keys(&[1, 2], 2)), THRESHOLD);
    assert_eq!(code(ORIGIN, &keys(&[2], 1).with_revoked([key(1).public().clone()])), KEY_REVOKED);
    let others = [("platform-status".to_owned(), key(1).public().clone())];
    assert_eq!(code(ORIGIN, &keys(&[2], 1).with_others(others)), WRONG_ROLE);
    let text = signed.note().to_string().replace("\n1\n", "\n2\n");
    assert_eq!(read(&text).verify(ORIGIN, &keys(&[1], 1)).unwrap_err().code, SIGNATURE_INVALID);
}

#[test]
fn a_key_of_the_log_under_another_name_does_not_count() {
    let note = Note::sign(&checkpoint().to_string(), "log.example/b", &key(1)).unwrap();
    let signed = SignedCheckpoint::from_note(note).unwrap();
    assert_eq!(signed.verify(ORIGIN, &keys(&[1], 1)).unwrap_err().code, CHECKPOINT_UNSIGNED);
}

#[test]
fn two_of_two_keys_sign() {
    let mut note = checkpoint().sign(&key(1)).unwrap();
    note.put(checkpoint().sign(&key(2)).unwrap().lines()[0].clone());
    SignedCheckpoint::from_note(note).unwrap().verify(ORIGIN, &keys(&[1, 2], 2)).unwrap();
}

#[test]
fn other_texts_are_refused() {
    let text = checkpoint().to_string();
    let root = STANDARD.encode(leaf_hash(b"one").as_bytes());
    assert_eq!(Checkpoint::parse_text(&text).unwrap(), checkpoint());
    for bad in [
        format!("{text}extension\n"),
        format!("{text}\n"),
        text[..text.len() - 1].to_owned(),
        format!("\n1\n{root}\n"),
        format!("log example\n1\n{root}\n"),
        format!("log+example\n1\n{root}\n"),
        format!("{ORIGIN}\n01\n{root}\n"),
        format!("{ORIGIN}\n-1\n{root}\n"),
        format!("{ORIGIN}\n9223372036854775808\n{root}\n"),
        format!("{ORIGIN}\n1\n{}\n", &root[1..]),
        format!("{ORIGIN}\n1\n{}\n", root.trim_end_matches('=')),
        format!("{ORIGIN}\n1\n{}\n", STANDARD.encode(empty_root().as_bytes())),
        format!("{ORIGIN}\n0\n{root}\n"),
        String::new(),
    ] {
        assert_eq!(Checkpoint::parse_text(&bad).unwrap_err().code, CHECKPOINT_INVALID, "{bad:?}");
    }
    let empty = Checkpoint::new(ORIGIN, Head::empty()).unwrap();
    assert_eq!(Checkpoint::parse_text(&empty.to_string()).unwrap(), empty);
}

#[test]
fn any_changed_byte_of_a_checkpoint_is_noticed() {
    let bytes = checkpoint().sign(&key(1)).unwrap().to_string().into_bytes();
    for at in 0..bytes.len() {
        for bit in [1, 0x20] {
            let mut changed = bytes.clone();
            changed[at] ^= bit;
            let verified = SignedCheckpoint::parse(&changed).and_then(|signed| signed.verify(ORIGIN, &keys(&[1], 1)));
            assert!(verified.is_err(), "byte {at} by {bit}");
        }
    }
    let long = vec![b'a'; MAX_BYTES + 1];
    assert_eq!(SignedCheckpoint::parse(&long).unwrap_err().code, NOTE_INVALID);
}
