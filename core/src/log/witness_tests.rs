//! What a witness is asked and what it answers.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::log::{Frontier, leaf_hash};
use crate::problem::{CHECKPOINT_UNSIGNED, CONSISTENCY_FAILED, SIGNATURE_INVALID};
use crate::sign::{SecretKey, Signer as _};

const ORIGIN: &str = "log.example/a";

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

fn keys() -> KeySet {
    KeySet::new("log", [key(1).public().clone()], 1)
}

fn head(size: u64) -> Head {
    (0..size).map(|i| leaf_hash(&i.to_be_bytes())).collect::<Frontier>().head()
}

fn signed(head: Head, by: u8) -> SignedCheckpoint {
    let checkpoint = Checkpoint::new(ORIGIN, head).unwrap();
    SignedCheckpoint::from_note(checkpoint.sign(&key(by)).unwrap()).unwrap()
}

/// Asks about the tree of `new` leaves. From 1 to 2, 2 to 3 and 4 to 5 leaves one hash is the whole proof.
fn request(old: u64, new: u64, proof: &[Digest]) -> AddCheckpoint {
    AddCheckpoint { old, proof: proof.to_vec(), checkpoint: signed(head(new), 1) }
}

fn leaf(i: u64) -> Digest {
    leaf_hash(&i.to_be_bytes())
}

#[test]
fn read_and_printed() {
    for request in [request(0, 5, &[]), request(1, 2, &[leaf(1)])] {
        assert_eq!(AddCheckpoint::parse(request.to_string().as_bytes()).unwrap(), request);
    }
    let good = request(1, 2, &[leaf(1)]).to_string();
    let hash = good.lines().nth(1).unwrap().to_owned();
    for bad in [
        String::new(),
        good.replace("old 1", "old 01"),
        good.replace("old 1", "Old 1"),
        good.replace("old 1", "old 1 "),
        good.replace("old 1", "old -1"),
        good.replace("old 1\n", ""),
        good.replace("\n\n", "\n"),
        good.replace(&hash, &hash[1..]),
        good.replace(&format!("{hash}\n"), &format!("{hash}\n").repeat(64)),
        "x".repeat(MAX_BYTES + 1),
    ] {
        assert_eq!(AddCheckpoint::parse(bad.as_bytes()).unwrap_err().code, BAD_REQUEST, "{bad:?}");
    }
    assert!(AddCheckpoint::parse(format!("{good}\n").as_bytes()).is_err());
}

#[test]
fn what_continues_the_known_tree_is_taken() {
    let size = |request: &AddCheckpoint, known| judge(request, &keys(), known).unwrap().size();
    assert_eq!(size(&request(0, 5, &[]), None), 5);
    assert_eq!(size(&request(0, 0, &[]), None), 0);
    assert_eq!(size(&request(1, 2, &[leaf(1)]), Some(head(1))), 2);
    assert_eq!(size(&request(4, 5, &[leaf(4)]), Some(head(4))), 5);
    assert_eq!(size(&request(5, 5, &[]), Some(head(5))), 5);
}

#[test]
fn everything_else_is_refused_by_its_status() {
    let refusal = |request: &AddCheckpoint, known| judge(request, &keys(), known).unwrap_err();
    let code = |refusal| match refusal {
        Refusal::Unsigned(f) | Refusal::OldIsLarger(f) | Refusal::Forked(_, f) | Refusal::Unproven(f) => f.code,
        Refusal::Elsewhere(_) => BAD_REQUEST,
    };
    let foreign = AddCheckpoint { checkpoint: signed(head(5), 2), ..request(0, 5, &[]) };
    let refused = refusal(&foreign, None);
    assert!(matches!(&refused, Refusal::Unsigned(_)));
    assert_eq!(code(refused), CHECKPOINT_UNSIGNED);
    let text = request(0, 5, &[]).to_string().replace("\n5\n", "\n6\n");
    let changed = AddCheckpoint::parse(text.as_bytes()).unwrap();
    assert_eq!(code(refusal(&changed, None)), SIGNATURE_INVALID);

    assert!(matches!(refusal(&request(6, 5, &[]), Some(head(6))), Refusal::OldIsLarger(_)));
    // Another old size than the known one, however good the proof: the answer says the size alone.
    assert_eq!(refusal(&request(1, 2, &[leaf(1)]), None), Refusal::Elsewhere(0));
    assert_eq!(refusal(&request(1, 2, &[leaf(1)]), Some(head(2))), Refusal::Elsewhere(2));
    assert_eq!(refusal(&request(0, 5, &[]), Some(head(3))), Refusal::Elsewhere(3));

    let forked = Head { size: 5, root: leaf(9) };
    assert!(matches!(refusal(&request(5, 5, &[]), Some(forked)), Refusal::Forked(5, _)));
    let unproven = [
        (request(5, 5, &[leaf(1)]), Some(head(5))),
        (request(0, 5, &[leaf(1)]), None),
        (request(4, 5, &[]), Some(head(4))),
        (request(4, 5, &[leaf(3)]), Some(head(4))),
        (request(4, 5, &[leaf(4), leaf(4)]), Some(head(4))),
        (request(4, 5, &[leaf(4)]), Some(Head { size: 4, root: leaf(9) })),
    ];
    for (request, known) in unproven {
        let refused = refusal(&request, known);
        assert!(matches!(&refused, Refusal::Unproven(_)));
        assert_eq!(code(refused), CONSISTENCY_FAILED);
    }
}

#[test]
fn answers_are_read() {
    let checkpoint = Checkpoint::new(ORIGIN, head(5)).unwrap();
    let time: Time = "2026-12-01T10:00:00Z".parse().unwrap();
    let line = |n: u8| cosignature::sign(&checkpoint, "w.example", &key(n), time).unwrap();
    let vkey = VerifierKey::cosigner("w.example", key(9).public().clone()).unwrap();
    let both = format!("{}\n{}\n", line(8), line(9));
    assert_eq!(read_lines(both.as_bytes(), &checkpoint, &vkey).unwrap(), (line(9), time));
    for bad in [String::new(), format!("{}\n", line(8)), line(9).to_string(), format!("{}\n\n", line(8))] {
        assert!(read_lines(bad.as_bytes(), &checkpoint, &vkey).is_err(), "{bad:?}");
    }
    let other = Checkpoint::new(ORIGIN, head(6)).unwrap();
    assert!(read_lines(both.as_bytes(), &other, &vkey).is_err());
    assert_eq!(read_size(b"20852163\n").unwrap(), 20_852_163);
    for bad in ["", "1", "01\n", "-1\n", "1\n\n", "x\n"] {
        assert_eq!(read_size(bad.as_bytes()).unwrap_err().code, WITNESS_ANSWER);
    }
}
