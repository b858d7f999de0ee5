#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::sign::{PublicKey, SecretKey};

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

fn set(keys: &[&SecretKey], threshold: u32) -> KeySet {
    KeySet::new("platform-build", keys.iter().map(|k| k.public().clone()), threshold)
}

fn signed(keys: &[&SecretKey]) -> Envelope {
    let signers: Vec<&dyn Signer> = keys.iter().map(|k| *k as &dyn Signer).collect();
    Envelope::sign(IN_TOTO, b"{\"a\":1}".to_vec(), &signers).unwrap()
}

#[test]
fn a_round_trip_verifies_and_is_canonical() {
    let a = key(1);
    let envelope = signed(&[&a]);
    let bytes = envelope.to_bytes();
    canonical::check(&bytes, Limits::DOCUMENT).unwrap();
    let verified = verify(&bytes, IN_TOTO, &set(&[&a], 1)).unwrap();
    assert_eq!(*verified, b"{\"a\":1}");
    assert_eq!(verified.signers(), [a.public().id()]);
    assert_eq!(verified.envelope_digest(), Digest::of(&bytes));
}

#[test]
fn the_encoding_that_is_signed_has_both_lengths() {
    assert_eq!(pre_authentication_encoding("a/b", b"xyz"), b"DSSEv1 3 a/b 3 xyz");
    assert_eq!(pre_authentication_encoding("é", b""), "DSSEv1 2 é 0 ".as_bytes());
}

#[test]
fn each_failure_has_its_name() {
    let (a, b, c) = (key(1), key(2), key(3));
    let two = set(&[&a, &b], 2);
    let code = |e: &Envelope, k: &KeySet| e.verify(IN_TOTO, k).unwrap_err().code;
    assert_eq!(code(&signed(&[]), &two), UNSIGNED);
    assert_eq!(code(&signed(&[&a]), &two), THRESHOLD);
    assert_eq!(code(&signed(&[&a, &a]), &two), THRESHOLD, "one key twice counts once");
    assert_eq!(code(&signed(&[&c]), &two), SIGNER_UNKNOWN);
    let named = set(&[&a], 1).with_others([("platform-log".to_owned(), c.public().clone())]);
    assert_eq!(code(&signed(&[&c]), &named), WRONG_ROLE);
    let mut forged = signed(&[&c]);
    forged.signatures[0].0 = a.public().id().to_string();
    assert_eq!(code(&forged, &set(&[&a], 1)), SIGNATURE_INVALID, "a key id is no reason to trust");
    assert_eq!(signed(&[&a]).verify(TUF, &two).unwrap_err().code, PAYLOAD_TYPE);
    assert_eq!(signed(&[&c, &b, &a]).verify(IN_TOTO, &two).unwrap().signers().len(), 2);
}

#[test]
fn a_wrong_or_absent_keyid_does_not_matter() {
    let (a, b) = (key(1), key(2));
    let mut envelope = signed(&[&a]);
    envelope.signatures[0].0 = b.public().id().to_string();
    assert!(envelope.verify(IN_TOTO, &set(&[&a, &b], 1)).is_ok());
    let text = String::from_utf8(envelope.to_bytes()).unwrap();
    let without = text.replace(&format!("\"keyid\":\"{}\",", b.public().id()), "");
    assert!(verify(without.as_bytes(), IN_TOTO, &set(&[&a], 1)).is_ok());
}

#[test]
fn every_changed_byte_is_noticed() {
    let a = key(1);
    let (bytes, keys) = (signed(&[&a]).to_bytes(), set(&[&a], 1));
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        if let Ok(verified) = verify(&bad, IN_TOTO, &keys) {
            // Only the hint may change without breaking the signature, and never what was signed.
            assert_eq!(*verified, b"{\"a\":1}");
            assert_ne!(Envelope::parse(&bad).unwrap().keyids(), [a.public().id()]);
        }
    }
}

#[test]
fn exactly_verified_envelopes_have_no_free_byte() {
    let (a, b) = (key(1), key(2));
    let (bytes, keys) = (signed(&[&a]).to_bytes(), set(&[&a, &b], 1));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << bit;
            let accepted = Envelope::parse(&bad).is_ok_and(|e| e.verify_exact(IN_TOTO, &keys).is_ok());
            assert!(!accepted, "byte {at}, bit {bit}");
        }
    }
    assert!(signed(&[&b, &a]).verify_exact(IN_TOTO, &keys).is_ok());
    for extra in [signed(&[&a, &key(3)]), signed(&[&a, &a])] {
        assert_eq!(extra.verify_exact(IN_TOTO, &keys).unwrap_err().code, SIGNATURE_INVALID);
    }
}

#[test]
fn a_threshold_of_zero_is_one_and_no_keys_never_verify() {
    let a = key(1);
    assert!(signed(&[]).verify(IN_TOTO, &KeySet::new("x", [], 0)).is_err());
    assert!(signed(&[&a]).verify(IN_TOTO, &KeySet::new("x", Vec::<PublicKey>::new(), 0)).is_err());
}

#[test]
fn malformed_envelopes_are_refused() {
    let good = String::from_utf8(signed(&[&key(1)]).to_bytes()).unwrap();
    let sig = "{\"keyid\":\"\",\"sig\":\"AA==\"}";
    let bad = [
        String::new(),
        "[]".into(),
        good.replacen('{', "{\"x\":1,", 1),
        good.replacen('{', "{\"payload\":\"\",", 1),
        good.replace("eyJhIjoxfQ==", "eyJhIjoxfQ"),
        good.replace("eyJhIjoxfQ==", "eyJhIjoxfR=="),
        good.replace("eyJhIjoxfQ==", "eyJh\\nIjoxfQ=="),
        format!("{{\"payload\":\"\",\"payloadType\":\"x\",\"signatures\":[{}]}}", [sig; 17].join(",")),
        format!("{good}{good}"),
        " ".repeat(MAX_BYTES) + &good,
    ];
    for text in bad {
        assert_eq!(Envelope::parse(text.as_bytes()).unwrap_err().code, ENVELOPE_INVALID, "{}", excerpt(&text));
    }
}
