//! Policies: what is read, what is refused, and what they say about a checkpoint.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::log::{Checkpoint, Head, Note, SignedCheckpoint, VerifiedCheckpoint, cosignature, leaf_hash};
use crate::problem::{CHECKPOINT_UNSIGNED, COSIGNATURE_INVALID, LOG_ORIGIN_MISMATCH, QUORUM_MISSING};
use crate::sign::{SecretKey, Signer as _, Time};

const ORIGIN: &str = "log.example/a";

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

fn log_key(n: u8) -> String {
    VerifierKey::log(ORIGIN, key(n).public().clone()).unwrap().to_string()
}

fn witness_key(n: u8) -> String {
    VerifierKey::cosigner(&format!("w{n}.example"), key(n).public().clone()).unwrap().to_string()
}

fn checkpoint() -> Checkpoint {
    Checkpoint::new(ORIGIN, Head { size: 1, root: leaf_hash(b"one") }).unwrap()
}

/// A checkpoint of the log (key 1) that these witnesses cosigned so many seconds after ten o'clock.
fn cosigned(witnesses: &[(u8, i64)]) -> VerifiedCheckpoint {
    let mut note = checkpoint().sign(&key(1)).unwrap();
    for (n, seconds) in witnesses {
        let line = cosignature::sign(&checkpoint(), &format!("w{n}.example"), &key(*n), at(*seconds)).unwrap();
        note.put(line);
    }
    verified(note)
}

fn verified(note: Note) -> VerifiedCheckpoint {
    let keys = KeySet::new("platform-log", [key(1).public().clone()], 1);
    SignedCheckpoint::from_note(note).unwrap().verify(ORIGIN, &keys).unwrap()
}

fn at(seconds: i64) -> Time {
    "2026-12-01T10:00:00Z".parse::<Time>().unwrap().plus_seconds(seconds)
}

fn two_levels() -> String {
    let witness = |name: &str, n| format!("witness {name} {}\n", witness_key(n));
    let xs = [witness("X1", 11), witness("X2", 12), witness("X3", 13)].concat();
    let ys = [witness("Y1", 21), witness("Y2", 22), witness("Y3", 23)].concat();
    format!(
        "log {}\n\n{xs}group X-witnesses 2 X1 X2 X3\n\n# others\n{ys}group Y-witnesses any Y1 Y2 Y3\n\n\
         group X-and-Y all X-witnesses Y-witnesses\nquorum X-and-Y\n",
        log_key(1)
    )
}

#[test]
fn the_example_of_two_levels() {
    let policy = Policy::parse(two_levels().as_bytes()).unwrap();
    assert_eq!((policy.fewest(), policy.chosen_from(), policy.protects_split_view()), (3, 6, false));
    let fresh = |witnesses: &[(u8, i64)]| policy.check(&cosigned(witnesses)).map(|e| e.fresh_at).map_err(|f| f.code);
    assert_eq!(fresh(&[(11, 5), (12, 7), (21, 9)]), Ok(Some(at(5))));
    assert_eq!(fresh(&[(11, 5), (12, 7), (13, 6), (21, 1), (23, 9)]), Ok(Some(at(6))));
    assert_eq!(fresh(&[(11, 5), (21, 7), (22, 9), (23, 9)]), Err(QUORUM_MISSING));
    assert_eq!(fresh(&[(11, 5), (12, 7), (13, 9)]), Err(QUORUM_MISSING));
    assert_eq!(fresh(&[]), Err(QUORUM_MISSING));
    // Printed and read again it says the same.
    assert_eq!(Policy::parse(policy.to_string().as_bytes()).unwrap(), policy);
}

#[test]
fn a_threshold_over_two_thirds_protects() {
    let policy = |n: u8, k| {
        let witnesses = (10..10 + n).map(|n| (format!("w{n}.example"), key(n).public().clone(), None));
        Policy::of_witnesses(witnesses, k).unwrap()
    };
    for (n, least) in [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (6, 5), (7, 5)] {
        assert!(policy(n, least).protects_split_view(), "{least} of {n}");
        assert!(!policy(n, least - 1).protects_split_view(), "{} of {n}", least - 1);
    }
    assert!(!policy(0, 0).protects_split_view());
    assert_eq!(policy(3, 2).check(&cosigned(&[(10, 1), (12, 4)])).unwrap().fresh_at, Some(at(1)));
    assert_eq!(policy(3, 2).check(&cosigned(&[(10, 1), (20, 4)])).unwrap_err().code, QUORUM_MISSING);
    assert_eq!(Policy::of_witnesses([], 1).unwrap_err().code, POLICY_INVALID);
}

#[test]
fn the_log_is_never_its_own_witness() {
    let mut note = checkpoint().sign(&key(1)).unwrap();
    note.put(cosignature::sign(&checkpoint(), ORIGIN, &key(1), at(3)).unwrap());
    note.put(cosignature::sign(&checkpoint(), "w1.example", &key(1), at(4)).unwrap());
    for name in [ORIGIN, "w1.example"] {
        let policy = Policy::of_witnesses([(name.to_owned(), key(1).public().clone(), None)], 1).unwrap();
        assert_eq!(policy.check(&verified(note.clone())).unwrap_err().code, QUORUM_MISSING);
    }
    // Without any demand its own cosignature says how fresh it is.
    let free = Policy::without_witnesses();
    assert_eq!(free.check(&verified(note)).unwrap().fresh_at, Some(at(3)));
    assert_eq!(free.check(&cosigned(&[])).unwrap().fresh_at, None);
    let itself = format!("log {}\nwitness a {}\nquorum a\n", log_key(1), witness_key(1));
    assert_eq!(Policy::parse(itself.as_bytes()).unwrap_err().code, POLICY_INVALID);
}

#[test]
fn a_line_that_a_known_witness_did_not_make_refuses_the_checkpoint() {
    let text = format!("witness a {}\nwitness b {}\nquorum b\n", witness_key(11), witness_key(12));
    let policy = Policy::parse(text.as_bytes()).unwrap();
    let note = cosigned(&[(11, 1), (12, 2)]).note().to_string();
    policy.check(&verified(Note::parse(note.as_bytes()).unwrap())).unwrap();
    let other = Checkpoint::new(ORIGIN, Head { size: 1, root: leaf_hash(b"two") }).unwrap();
    let mut spoilt = cosigned(&[(12, 2)]).note().clone();
    spoilt.put(cosignature::sign(&other, "w11.example", &key(11), at(1)).unwrap());
    assert_eq!(policy.check(&verified(spoilt)).unwrap_err().code, COSIGNATURE_INVALID);
}

#[test]
fn a_policy_that_lists_logs_takes_no_other() {
    let other = VerifierKey::log("log.example/b", key(1).public().clone()).unwrap();
    let code = |text: String| Policy::parse(text.as_bytes()).unwrap().check(&cosigned(&[])).err().map(|f| f.code);
    assert_eq!(code(format!("log {} https://log.example/a\nquorum none\n", log_key(1))), None);
    assert_eq!(code(format!("log {other}\nquorum none\n")), Some(LOG_ORIGIN_MISMATCH));
    assert_eq!(code(format!("log {}\nquorum none\n", log_key(2))), Some(CHECKPOINT_UNSIGNED));
    assert_eq!(code("quorum none\n".to_owned()), None);
    let policy = Policy::parse(format!("log {}\nquorum none\n", log_key(1)).as_bytes()).unwrap();
    assert!(policy.log_keys(ORIGIN).is_some() && policy.log_keys("log.example/b").is_none());
}

#[test]
fn what_is_not_a_policy_is_refused_with_its_line() {
    let (a, b, log) = (witness_key(11), witness_key(12), log_key(1));
    let cases = [
        ("", None),
        ("# nothing\n", None),
        ("quorum none", None),
        ("quorum none\nquorum none\n", Some(2)),
        ("quorum a\n", Some(1)),
        ("quorum none\r\n", Some(1)),
        ("quorum none # why\n", Some(1)),
        ("Quorum none\n", Some(1)),
        ("quorum\n", Some(1)),
        (&format!("witness a {log}\nquorum a\n"), Some(1)),
        (&format!("log {a}\nquorum none\n"), Some(1)),
        (&format!("log {log}\nlog {log}\nquorum none\n"), Some(2)),
        (&format!("log {log} u u\nquorum none\n"), Some(1)),
        (&format!("witness a {a}\nwitness b {a}\nquorum a\n"), Some(2)),
        (&format!("witness a {a}\nwitness a {b}\nquorum a\n"), Some(2)),
        (&format!("witness none {a}\nquorum none\n"), Some(1)),
        (&format!("witness a {}\nquorum a\n", a.replace("w11", "w12")), Some(1)),
        (&format!("quorum a\nwitness a {a}\n"), Some(1)),
        (&format!("witness a {a}\ngroup g 0 a\nquorum g\n"), Some(2)),
        (&format!("witness a {a}\ngroup g 2 a\nquorum g\n"), Some(2)),
        (&format!("witness a {a}\ngroup g 01 a\nquorum g\n"), Some(2)),
        (&format!("witness a {a}\ngroup g any\nquorum g\n"), Some(2)),
        (&format!("witness a {a}\ngroup g all none\nquorum g\n"), Some(2)),
        (&format!("witness a {a}\ngroup g all a a\nquorum g\n"), Some(2)),
        (&format!("witness a {a}\ngroup g all a\ngroup h all a\nquorum h\n"), Some(3)),
        (&format!("witness a {a}\ngroup g all g\nquorum g\n"), Some(2)),
        (&format!("witness a {a}\ngroup a all a\nquorum a\n"), Some(2)),
        (&"#\n".repeat(MAX_BYTES), None),
    ];
    for (text, line) in cases {
        let finding = Policy::parse(text.as_bytes()).unwrap_err();
        assert_eq!((finding.code, finding.place.line), (POLICY_INVALID, line), "{text:?}");
    }
    // A comment may hold any octets, names and keys only text.
    Policy::parse(b"  # \xff\xfe\n\t quorum \t none  \n").unwrap();
    assert_eq!(Policy::parse(b"quorum \xff\n").unwrap_err().code, POLICY_INVALID);
    let many: Vec<String> = (50..115).map(|n| format!("witness w{n} {}\n", witness_key(n))).collect();
    let many = many.concat();
    assert_eq!(Policy::parse(format!("{many}quorum none\n").as_bytes()).unwrap_err().place.line, Some(65));
}
