//! Every text of the log has one spelling: what is read from changed or random bytes is what would be written again.

#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::tree::Head;
use super::witness::AddCheckpoint;
use super::*;
use crate::sign::{SecretKey, Signer as _, Time};

/// Mostly bytes that the texts are made of.
const LIKELY: &[u8] = b"\n +/=.x019Aa\xe2\x80\x94";

fn key() -> SecretKey {
    SecretKey::from_seed(&[1; 32]).unwrap()
}

fn signed() -> SignedCheckpoint {
    let checkpoint = Checkpoint::new("log.example/a", Head { size: 7, root: leaf_hash(b"seven") }).unwrap();
    let mut note = checkpoint.sign(&key()).unwrap();
    let time: Time = "2026-12-01T10:00:00Z".parse().unwrap();
    note.put(cosignature::sign(&checkpoint, "w.example", &SecretKey::from_seed(&[2; 32]).unwrap(), time).unwrap());
    SignedCheckpoint::from_note(note).unwrap()
}

/// One good text of each kind.
fn texts() -> Vec<String> {
    let hashes = vec![leaf_hash(b"a"), leaf_hash(b"b"), leaf_hash(b"c")];
    let file = ProofFile::new(4, hashes.clone(), signed()).with_extra(b"context".to_vec());
    let request = AddCheckpoint { old: 5, proof: hashes, checkpoint: signed() };
    let witness = VerifierKey::cosigner("w.example", key().public().clone()).unwrap();
    vec![
        signed().note().to_string(),
        file.to_string(),
        request.to_string(),
        witness.to_string(),
        "0/x001/x234/067.p/12".to_owned(),
        "entries/x001/000".to_owned(),
    ]
}

/// What each reader makes of the bytes, written again. Policies have several spellings, but must be read without fault.
fn written_again(bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let _ = Policy::parse(bytes);
    let _ = Frontier::from_bytes(bytes);
    let _ = Bundle::in_tree(3, 0).unwrap().entries(bytes);
    [
        Note::parse(bytes).ok().map(|note| note.to_string()),
        SignedCheckpoint::parse(bytes).ok().map(|signed| signed.note().to_string()),
        SignedCheckpoint::parse(bytes).ok().map(|signed| {
            let (_, lines) = text.split_once("\n\n").unwrap();
            format!("{}\n{lines}", signed.claimed())
        }),
        ProofFile::parse(bytes).ok().map(|file| file.to_string()),
        AddCheckpoint::parse(bytes).ok().map(|request| request.to_string()),
        text.parse::<VerifierKey>().ok().map(|key| key.to_string()),
        text.parse::<Resource>().ok().map(|resource| resource.to_string()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn good_texts_are_read() {
    for text in texts() {
        let again = written_again(text.as_bytes());
        assert!(!again.is_empty() && again.iter().all(|other| *other == text), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn changed_texts_are_refused_or_written_as_they_were(
        kind in 0_usize..6,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..3, any::<u8>()), 1..4),
    ) {
        let mut bytes = texts().swap_remove(kind).into_bytes();
        for (at, way, byte) in changes {
            let at = at.index(bytes.len());
            let byte = if byte < 160 { LIKELY[usize::from(byte) % LIKELY.len()] } else { byte };
            match way {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
            if bytes.is_empty() {
                break;
            }
        }
        for again in written_again(&bytes) {
            prop_assert_eq!(again.as_bytes(), &bytes);
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for again in written_again(&bytes) {
            prop_assert_eq!(again.as_bytes(), &bytes);
        }
    }
}
