//! Cosignatures: who, over what, and when.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::log::note::Note;
use crate::log::tree::Head;
use crate::log::{SignedCheckpoint, VerifiedCheckpoint, leaf_hash};
use crate::sign::{KeySet, SecretKey};

const ORIGIN: &str = "log.example/a";
const WITNESS: &str = "witness.example/w";

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

fn witness() -> VerifierKey {
    VerifierKey::cosigner(WITNESS, key(9).public().clone()).unwrap()
}

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

fn checkpoint(n: u8) -> Checkpoint {
    Checkpoint::new(ORIGIN, Head { size: 1, root: leaf_hash(&[n]) }).unwrap()
}

fn verified(note: Note) -> VerifiedCheckpoint {
    let keys = KeySet::new("platform-log", [key(1).public().clone()], 1);
    SignedCheckpoint::from_note(note).unwrap().verify(ORIGIN, &keys).unwrap()
}

#[test]
fn the_newest_line_counts() {
    let mut note = checkpoint(1).sign(&key(1)).unwrap();
    assert_eq!(verified(note.clone()).cosigned_by(&witness()).unwrap(), None);
    let line = |at| sign(&checkpoint(1), WITNESS, &key(9), time(at)).unwrap();
    let newer = line("2026-12-01T10:00:00.5Z");
    note.put(newer.clone());
    let older = line("2026-11-01T10:00:00Z");
    let both = format!("{note}{older}\n");
    let verified = verified(Note::parse(both.as_bytes()).unwrap());
    assert_eq!(verified.cosigned_by(&witness()).unwrap(), Some(time("2026-12-01T10:00:00Z")));
    assert_eq!(verified.cosigned_by_itself().unwrap(), None);
}

#[test]
fn a_line_over_another_checkpoint_spoils_the_note() {
    let mut note = checkpoint(1).sign(&key(1)).unwrap();
    note.put(sign(&checkpoint(2), WITNESS, &key(9), time("2026-12-01T10:00:00Z")).unwrap());
    assert_eq!(verified(note).cosigned_by(&witness()).unwrap_err().code, COSIGNATURE_INVALID);
}

#[test]
fn timestamp_and_signature_are_bound() {
    let line = sign(&checkpoint(1), WITNESS, &key(9), time("2026-12-01T10:00:00Z")).unwrap();
    let text = checkpoint(1).to_string();
    verify(&text, &witness(), &line).unwrap();
    for at in 0..line.signature().len() {
        let mut bytes = line.signature().to_vec();
        bytes[at] ^= 1;
        let changed = Line::new(&witness(), bytes);
        assert_eq!(verify(&text, &witness(), &changed).unwrap_err().code, COSIGNATURE_INVALID, "byte {at}");
    }
    for length in [0, 7, 8, 71] {
        assert!(verify(&text, &witness(), &Line::new(&witness(), line.signature()[..length].to_vec())).is_err());
    }
    let namesake = VerifierKey::cosigner(WITNESS, key(8).public().clone()).unwrap();
    assert!(verify(&text, &namesake, &line).is_err());
}

#[test]
fn the_log_cosigns_itself_under_its_origin() {
    let mut note = checkpoint(1).sign(&key(1)).unwrap();
    let at = time("2026-12-01T10:00:00Z");
    note.put(sign(&checkpoint(1), ORIGIN, &key(1), at).unwrap());
    assert_eq!(verified(note).cosigned_by_itself().unwrap(), Some(at));
}

#[test]
fn times_outside_of_the_calendar_are_refused() {
    let text = checkpoint(1).to_string();
    for seconds in [u64::MAX, i64::MAX as u64, 253_402_300_800] {
        let mut bytes = seconds.to_be_bytes().to_vec();
        bytes.extend_from_slice(&key(9).sign(&message(seconds, &text)).unwrap());
        assert_eq!(verify(&text, &witness(), &Line::new(&witness(), bytes)).unwrap_err().code, COSIGNATURE_INVALID);
    }
    assert!(sign(&checkpoint(1), WITNESS, &key(9), time("1969-12-31T23:59:59Z")).is_err());
}
