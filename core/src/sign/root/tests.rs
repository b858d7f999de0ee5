#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::problem::{KEY_REVOKED, ROOT_VERSION, SIGNATURE_INVALID, SIGNER_UNKNOWN, THRESHOLD, WRONG_ROLE};
use crate::sign::{SecretKey, Signer};

pub(super) fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

pub(super) fn time(text: &str) -> Time {
    text.parse().unwrap()
}

pub(super) fn publics(keys: &[u8]) -> Vec<PublicKey> {
    keys.iter().map(|n| key(*n).public().clone()).collect()
}

/// Root keys 1–3 (two of three), build 10, log 11, status 12, review 13.
pub(super) fn builder() -> RootBuilder {
    RootBuilder::first(time("2027-11-30T00:00:00Z"))
        .role(Role::Root, publics(&[1, 2, 3]), 2)
        .role(Role::PlatformBuild, publics(&[10]), 1)
        .role(Role::PlatformLog, publics(&[11]), 1)
        .role(Role::PlatformStatus, publics(&[12]), 1)
        .role(Role::Review, publics(&[13]), 1)
}

pub(super) fn sign(builder: RootBuilder, keys: &[u8]) -> Envelope {
    let keys: Vec<_> = keys.iter().map(|n| key(*n)).collect();
    builder.sign(&keys.iter().map(|k| k as &dyn Signer).collect::<Vec<_>>()).unwrap()
}

pub(super) fn first() -> Root {
    Root::trust(&sign(builder(), &[1, 3]).to_bytes(), None).unwrap()
}

#[test]
fn a_root_is_trusted_by_its_fingerprint_and_its_own_threshold() {
    let bytes = sign(builder(), &[1, 3]).to_bytes();
    let root = first();
    assert_eq!((root.version(), root.roles_of(key(13).public().id())), (1, vec![Role::Review]));
    assert!(Root::trust(&bytes, Some(root.fingerprint())).is_ok());
    let file = [bytes.clone(), b"\n".to_vec()].concat();
    assert!(Root::trust(&file, Some(root.fingerprint())).is_ok(), "an editor may have ended the line");
    assert_eq!(Root::trust(&bytes, Some(Digest::of(b""))).unwrap_err().code, ROOT_UNPINNED);
    assert_eq!(Root::trust(&sign(builder(), &[1]).to_bytes(), None).unwrap_err().code, THRESHOLD);
    assert_eq!(Root::trust(&sign(builder(), &[1, 1]).to_bytes(), None).unwrap_err().code, THRESHOLD);
    assert_eq!(Root::trust(&sign(builder(), &[10, 11]).to_bytes(), None).unwrap_err().code, WRONG_ROLE);
    let mut more = sign(builder(), &[1, 3]);
    more.add_signature(&key(2)).unwrap();
    assert_eq!(Root::trust(&more.to_bytes(), None).unwrap().fingerprint(), root.fingerprint());
}

#[test]
fn a_rotation_needs_old_and_new_thresholds_and_the_next_version() {
    let next = || RootBuilder::after(&first(), time("2028-11-30T00:00:00Z")).role(Role::Root, publics(&[2, 4, 5]), 2);
    let good = first().update(&sign(next(), &[1, 2, 4])).unwrap();
    assert_eq!(good.version(), 2);
    let code = |signers: &[u8]| first().update(&sign(next(), signers)).unwrap_err().code;
    assert_eq!(code(&[4, 5]), SIGNER_UNKNOWN, "only new keys");
    assert_eq!(code(&[1, 4, 5]), THRESHOLD, "one old key");
    assert_eq!(code(&[1, 3]), SIGNER_UNKNOWN, "only old keys");
    assert_eq!(code(&[1, 3, 4]), THRESHOLD, "one new key");
    let third = sign(RootBuilder::after(&good, time("2029-11-30T00:00:00Z")), &[1, 2, 3, 4, 5]);
    assert_eq!(first().update(&third).unwrap_err().code, ROOT_VERSION, "skipped");
    assert_eq!(good.update(&sign(builder(), &[1, 2, 3, 4, 5])).unwrap_err().code, ROOT_VERSION, "rolled back");
    assert_eq!(good.update(&third).unwrap().version(), 3);
}

#[test]
fn a_root_is_taken_in_only_without_a_superfluous_signature_and_in_its_one_form() {
    let next = || RootBuilder::after(&first(), time("2028-11-30T00:00:00Z"));
    let good = sign(next(), &[1, 2]).to_bytes();
    assert_eq!(first().update_from(&good).unwrap().to_bytes(), good);
    let code = |signers: &[u8]| first().update_from(&sign(next(), signers).to_bytes()).unwrap_err().code;
    assert_eq!(code(&[1, 2, 9]), SIGNATURE_INVALID, "an unknown key");
    assert_eq!(code(&[1, 2, 13]), SIGNATURE_INVALID, "a key of another role");
    assert_eq!(code(&[1, 2, 1]), SIGNATURE_INVALID, "a key twice");
    let spaced = [&good[..], b"\n"].concat();
    assert_eq!(first().update_from(&spaced).unwrap_err().code, ENVELOPE_INVALID);
}

#[test]
fn a_removed_key_leaves_the_threshold_as_it_was_where_that_can_be() {
    let both = || builder().role(Role::Review, publics(&[13, 14, 15]), 2);
    let threshold = |removed: &[u8]| {
        let less = removed.iter().fold(both(), |b, n| b.remove(Role::Review, key(*n).public().id()));
        let root = Root::trust(&sign(less, &[1, 2]).to_bytes(), None).unwrap();
        (root.keys(Role::Review).keys().len(), root.keys(Role::Review).threshold())
    };
    assert_eq!(threshold(&[13]), (2, 2));
    assert_eq!(threshold(&[13, 15]), (1, 1));
    assert_eq!(threshold(&[13, 14, 15]), (0, 1));
    assert_eq!(threshold(&[16]), (3, 2));
}

#[test]
fn expiry_is_asked_of_a_given_time() {
    assert!(first().check_expiry(time("2027-11-29T23:59:59Z")).is_ok());
    assert_eq!(first().check_expiry(time("2027-11-30T00:00:00Z")).unwrap_err().code, ROOT_EXPIRED);
}

#[test]
fn revoked_keys_sign_nothing() {
    let revoked = Revoked { keyid: key(10).public().id(), from_index: 7 };
    let builder = RootBuilder::after(&first(), time("2028-11-30T00:00:00Z"))
        .role(Role::PlatformBuild, publics(&[10, 20]), 1)
        .revoke(revoked);
    let root = first().update(&sign(builder, &[1, 2])).unwrap();
    let by = |n| Envelope::sign("t", b"x".to_vec(), &[&key(n)]).unwrap();
    assert!(by(20).verify("t", &root.keys(Role::PlatformBuild)).is_ok());
    assert_eq!(by(10).verify("t", &root.keys(Role::PlatformBuild)).unwrap_err().code, KEY_REVOKED);
    let id = key(10).public().id();
    assert!(root.is_revoked(id, 7) && !root.is_revoked(id, 6) && !root.is_revoked(key(20).public().id(), 7));
}

#[test]
fn rules_of_the_metadata() {
    let sign_err = |b: RootBuilder| b.sign(&[&key(1), &key(2)]).unwrap_err();
    let bad = [
        builder().role(Role::PlatformBuild, publics(&[]), 1),
        builder().role(Role::PlatformBuild, publics(&[10]), 2),
        builder().role(Role::PlatformBuild, publics(&[10]), 0),
        builder().role(Role::PlatformLog, publics(&[10]), 1),
        builder().role(Role::Review, publics(&[12]), 1),
        builder().role(Role::Witness, publics(&[13]), 1),
        builder().role(Role::Root, publics(&[1, 1]), 1),
        builder().role(Role::Review, publics(&[13]), 2),
    ];
    for b in bad {
        assert_eq!(sign_err(b.clone()).code, ROOT_INVALID, "{b:?}");
    }
    assert!(builder().add(Role::Operate, key(13).public().clone()).sign(&[&key(1)]).is_ok(), "one person, two roles");
}

#[test]
fn damaged_payloads_are_refused() {
    let good = String::from_utf8(sign(builder(), &[1, 3]).payload_unverified().to_vec()).unwrap();
    let id = key(10).public().id().to_string();
    let bad = [
        good.replace("\"_type\":\"root\"", "\"_type\":\"targets\""),
        good.replace("\"version\":1", "\"version\":0"),
        good.replace("\"version\":1", "\"version\":2"),
        good.replace("\"version\":1", "\"version\":1.0"),
        good.replace("\"version\":1", "\"version\": 1"),
        good.replace("1.0.34", "2.0.0"),
        good.replace("2027-11-30T00:00:00Z", "2027-11-30T00:00:00.5Z"),
        good.replace("\"x-revoked\":[]", "\"x-revoked\":[],\"y\":1"),
        good.replacen(&id, &"0".repeat(64), 1),
        good.replacen(&key(10).public().hex(), &key(30).public().hex(), 1),
        good.replacen(&key(10).public().hex(), &"0".repeat(64), 1),
        good.replacen("ed25519", "rsa", 1),
    ];
    for payload in bad {
        assert_ne!(payload, good);
        let envelope = Envelope::sign(TUF, payload.clone().into_bytes(), &[&key(1), &key(2)]).unwrap();
        assert_eq!(Root::trust(&envelope.to_bytes(), None).unwrap_err().code, ROOT_INVALID, "{payload}");
    }
    let other = Envelope::sign("text/plain", good.into_bytes(), &[&key(1), &key(2)]).unwrap();
    assert_eq!(Root::trust(&other.to_bytes(), None).unwrap_err().code, ROOT_INVALID);
    assert_eq!(Root::trust(&vec![b' '; MAX_BYTES + 1], None).unwrap_err().code, ROOT_INVALID);
}
