#![allow(clippy::unwrap_used, reason = "tests")]

use super::tests::{builder, first, key, publics, sign, time};
use super::*;
use crate::problem::{
    Code, KEY_REVOKED, ROOT_KEY_LEFT, ROOT_LOG, ROOT_REVOCATION, ROOT_UNLINKED, ROOT_VERSION, SIGNATURE_INVALID,
    THRESHOLD, WRONG_ROLE,
};
use crate::sign::Signer as _;

fn after(root: &Root) -> RootBuilder {
    RootBuilder::after(root, time("2030-01-01T00:00:00Z"))
}

fn revoked(n: u8, from_index: u64) -> Revoked {
    Revoked { keyid: key(n).public().id(), from_index }
}

/// One key of the role goes, from an index on, and another one comes.
fn swap(builder: RootBuilder, role: Role, old: u8, new: u8, from: u64) -> RootBuilder {
    builder.remove(role, key(old).public().id()).add(role, key(new).public().clone()).revoke(revoked(old, from))
}

fn by(keys: &[u8]) -> Envelope {
    let keys: Vec<_> = keys.iter().map(|n| key(*n)).collect();
    Envelope::sign("t", b"x".to_vec(), &keys.iter().map(|k| k as &dyn crate::sign::Signer).collect::<Vec<_>>()).unwrap()
}

fn refusal(chain: &Chain, role: Role, index: u64, keys: &[u8]) -> Option<Code> {
    by(keys).verify_exact("t", &chain.keys_at(role, index)).err().map(|finding| finding.code)
}

#[test]
fn every_role_rotates_and_what_was_signed_before_stays_good() {
    let mut chain = Chain::pinned(first());
    let roles = [(Role::PlatformBuild, 10), (Role::PlatformLog, 11), (Role::PlatformStatus, 12), (Role::Review, 13)];
    for (n, (role, old)) in roles.into_iter().enumerate() {
        let from = 100 * (n as u64 + 1);
        chain.extend(&sign(swap(after(chain.newest()), role, old, old + 40, from), &[1, 2])).unwrap();
    }
    chain.extend(&sign(after(chain.newest()).role(Role::Root, publics(&[4, 5, 6]), 2), &[1, 2, 4, 5])).unwrap();
    assert_eq!((chain.first().version(), chain.newest().version(), chain.get(3).unwrap().version()), (1, 6, 3));
    for (n, (role, old)) in roles.into_iter().enumerate() {
        let from = 100 * (n as u64 + 1);
        assert_eq!(refusal(&chain, role, from - 1, &[old]), None, "{role}: signed before");
        assert_eq!(refusal(&chain, role, from, &[old]), Some(KEY_REVOKED), "{role}: a retired key");
        assert_eq!(refusal(&chain, role, 1_000_000, &[old]), Some(KEY_REVOKED), "{role}");
        assert_eq!(refusal(&chain, role, from, &[old + 40]), None, "{role}: the new key");
        assert_eq!(refusal(&chain, role, 1_000_000, &[10]), Some(KEY_REVOKED), "{role}");
        assert_eq!(chain.roles_of(key(old).public().id()), [role]);
    }
    assert_eq!(refusal(&chain, Role::PlatformLog, 5, &[10]), Some(WRONG_ROLE));
}

#[test]
fn a_compromised_key_is_revoked_further_back_and_never_less() {
    let mut chain = Chain::pinned(first());
    chain.extend(&sign(swap(after(chain.newest()), Role::PlatformBuild, 10, 50, 70), &[1, 2])).unwrap();
    let code = |builder| chain.newest().update(&sign(builder, &[1, 2])).unwrap_err().code;
    assert_eq!(code(after(chain.newest()).revoke(revoked(10, 71))), ROOT_REVOCATION, "later");
    let fresh = after(chain.newest()).add(Role::PlatformBuild, key(10).public().clone());
    assert_eq!(code(fresh), ROOT_REVOCATION, "a revoked key comes back");
    let fresh = after(chain.newest()).add(Role::Operate, key(10).public().clone());
    assert_eq!(code(fresh), ROOT_REVOCATION, "into another role");
    chain.extend(&sign(after(chain.newest()).revoke(revoked(10, 7)), &[1, 2])).unwrap();
    assert_eq!(refusal(&chain, Role::PlatformBuild, 6, &[10]), None);
    assert_eq!(refusal(&chain, Role::PlatformBuild, 7, &[10]), Some(KEY_REVOKED));
    assert!(chain.is_revoked(key(10).public().id(), 7) && !chain.is_revoked(key(10).public().id(), 6));
}

#[test]
fn a_revocation_is_not_taken_back() {
    let second = first().update(&sign(after(&first()).revoke(revoked(10, 7)), &[1, 2])).unwrap();
    let third = RootBuilder::after(&second, time("2030-01-01T00:00:00Z"));
    let payload = String::from_utf8(sign(third, &[1, 2]).payload_unverified().to_vec()).unwrap();
    let entry = format!("{{\"from_index\":7,\"keyid\":\"{}\"}}", key(10).public().id());
    let without = payload.replace(&entry, "");
    assert_ne!(without, payload);
    let envelope = Envelope::sign(TUF, without.into_bytes(), &[&key(1), &key(2)]).unwrap();
    assert_eq!(second.update(&envelope).unwrap_err().code, ROOT_REVOCATION);
}

#[test]
fn a_key_leaves_every_role_and_is_revoked() {
    let shared = builder().add(Role::Operate, key(13).public().clone());
    let root = Root::trust(&sign(shared, &[1, 2]).to_bytes(), None).unwrap();
    let id = key(13).public().id();
    let code = |builder| root.update(&sign(builder, &[1, 2])).unwrap_err().code;
    assert_eq!(code(after(&root).remove(Role::Review, id)), ROOT_KEY_LEFT, "not revoked and still there");
    assert_eq!(code(after(&root).remove(Role::Review, id).revoke(revoked(13, 5))), ROOT_KEY_LEFT, "still in operate");
    let both = || after(&root).remove(Role::Review, id).remove(Role::Operate, id);
    assert_eq!(code(both()), ROOT_KEY_LEFT, "not revoked");
    assert!(root.update(&sign(both().revoke(revoked(13, 5)), &[1, 2])).is_ok());
    let still_root = after(&root).revoke(revoked(1, 5));
    assert_eq!(still_root.sign(&[&key(1)]).unwrap_err().code, ROOT_INVALID, "a root key leaves by leaving");
}

#[test]
fn a_raised_threshold_binds_who_is_still_there() {
    let mut chain = Chain::pinned(first());
    let raised = after(chain.newest()).remove(Role::Review, key(13).public().id()).revoke(revoked(13, 50)).role(
        Role::Review,
        publics(&[14, 15]),
        2,
    );
    chain.extend(&sign(raised, &[1, 2])).unwrap();
    assert_eq!(refusal(&chain, Role::Review, 49, &[13]), None, "one was enough then");
    assert_eq!(refusal(&chain, Role::Review, 50, &[13]), Some(KEY_REVOKED));
    assert_eq!(refusal(&chain, Role::Review, 49, &[14]), Some(THRESHOLD));
    assert_eq!(refusal(&chain, Role::Review, 60, &[14, 15]), None);
    assert_eq!(refusal(&chain, Role::Review, 60, &[14, 13]), Some(THRESHOLD), "a retired key makes no second one");
    assert_eq!(refusal(&chain, Role::Review, 60, &[14, 14]), Some(THRESHOLD));
    let lowered = after(chain.newest()).threshold(Role::Review, 1);
    chain.extend(&sign(lowered, &[1, 2])).unwrap();
    assert_eq!(refusal(&chain, Role::Review, 60, &[15]), None);
    let up = after(chain.newest()).threshold(Role::Review, 2);
    chain.extend(&sign(up, &[1, 2])).unwrap();
    assert_eq!(refusal(&chain, Role::Review, 10, &[15]), Some(THRESHOLD), "without a rotation it binds all");
}

/// A stranger's root of the same version as ours, and our next one with the stranger's signature added.
#[test]
fn nobody_puts_other_roots_before_a_pinned_one() {
    let second = sign(after(&first()), &[1, 2]);
    let known = first().update(&second).unwrap();
    let third = known.update(&sign(after(&known), &[1, 2])).unwrap();
    let mut chain = Chain::pinned(third.clone());
    assert_eq!(chain.prepend(first().envelope()).unwrap_err().code, ROOT_VERSION, "not the one before");
    let other = builder().role(Role::Root, publics(&[9]), 1).role(Role::PlatformBuild, publics(&[66]), 1);
    let other = Root::trust(&sign(other, &[9]).to_bytes(), None).unwrap();
    let fake = sign(after(&other), &[9]);
    let mut ours = third.envelope().clone();
    ours.add_signature(&key(9)).unwrap();
    let ours = Root::trust(&ours.to_bytes(), Some(third.fingerprint())).unwrap();
    assert_eq!(Chain::pinned(ours).prepend(&fake).unwrap_err().code, ROOT_UNLINKED);
    let unsigned = Envelope::sign(TUF, second.payload_unverified().to_vec(), &[]).unwrap();
    assert!(chain.prepend(&unsigned).is_err(), "the right root without its signatures");
    chain.prepend(&second).unwrap();
    chain.prepend(first().envelope()).unwrap();
    assert_eq!(chain.roots().map(Root::version).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(chain.prepend(first().envelope()).unwrap_err().code, ROOT_VERSION);
}

#[test]
fn chains_join_when_they_hold_or_meet_each_other() {
    let mut whole = Chain::pinned(first());
    for _ in 0..4 {
        whole.extend(&sign(after(whole.newest()), &[1, 2])).unwrap();
    }
    let all = whole.envelopes();
    let pinned = |version: u64| Chain::pinned(whole.get(version).unwrap().clone());
    let ends = |chain: &Chain| (chain.first().version(), chain.newest().version());
    assert_eq!(ends(&pinned(1).join(&all).unwrap()), (1, 5));
    assert_eq!(ends(&pinned(3).join(&all).unwrap()), (1, 5));
    assert_eq!(pinned(5).join(&all[..2]).unwrap_err().code, ROOT_VERSION, "a gap");
    assert_eq!(ends(&pinned(3).join(&all[..2]).unwrap()), (1, 3), "they meet");
    assert_eq!(ends(&whole.join(&all[..2]).unwrap()), (1, 5), "older than what is known");
    assert_eq!(whole.join(&all[1..]).unwrap_err().code, ROOT_VERSION);
    assert_eq!(whole.join(&[]).unwrap_err().code, ROOT_VERSION);
    let mut extra = all.clone();
    extra[4].add_signature(&key(9)).unwrap();
    assert_eq!(pinned(1).join(&extra).unwrap_err().code, SIGNATURE_INVALID);
    let branch = sign(after(&first()).threshold(Role::Root, 1), &[1, 2]);
    assert_eq!(whole.join(&[all[0].clone(), branch.clone()]).unwrap_err().code, ROOT_UNPINNED, "a second root 2");
    assert_eq!(pinned(3).join(&[all[0].clone(), branch]).unwrap_err().code, ROOT_UNLINKED);
}

#[test]
fn each_root_names_the_one_before_it() {
    let second = sign(after(&first()), &[1, 2]);
    let payload = String::from_utf8(second.payload_unverified().to_vec()).unwrap();
    let code = |payload: String| {
        let envelope = Envelope::sign(TUF, payload.into_bytes(), &[&key(1), &key(2)]).unwrap();
        first().update(&envelope).unwrap_err().code
    };
    let member = format!("\"x-previous\":\"{}\",", first().fingerprint().hex());
    assert!(payload.contains(&member));
    assert_eq!(code(payload.replace(&first().fingerprint().hex(), &Digest::of(b"").hex())), ROOT_UNLINKED);
    assert_eq!(code(payload.replace(&member, "")), ROOT_INVALID);
    assert_eq!(code(payload.replace(&member, "\"x-previous\":null,")), ROOT_INVALID);
    assert_eq!(code(payload.replace(&member, "\"x-previous\":\"\",")), ROOT_INVALID);
}

#[test]
fn the_log_has_a_name_former_names_and_witnesses() {
    let url = "https://registry.example/";
    assert_eq!(first().log_origins(url), ["registry.example"]);
    let named = after(&first())
        .origin("log-2.example", Some("registry.example".to_owned()))
        .witness(key(30).public().clone(), "witness.example", Some("https://witness.example/".into()))
        .witness(key(31).public().clone(), "other.example", None)
        .threshold(Role::Witness, 2);
    let second = first().update(&sign(named, &[1, 2])).unwrap();
    assert_eq!(second.log_origin(url), "log-2.example");
    assert_eq!(second.log_origins(url), ["log-2.example", "registry.example"]);
    let witnesses = second.witnesses();
    assert_eq!((witnesses.len(), second.threshold(Role::Witness)), (2, 2));
    assert_eq!((witnesses[0].name.as_str(), &witnesses[0].key), ("witness.example", key(30).public()));
    let third = second.update(&sign(after(&second).origin("log-3.example", None), &[1, 2])).unwrap();
    assert_eq!(third.log_origins(url), ["log-3.example", "log-2.example", "registry.example"]);

    let forgotten = String::from_utf8(third.envelope().payload_unverified().to_vec()).unwrap();
    let forgotten = forgotten.replace("[\"log-2.example\",\"registry.example\"]", "[\"registry.example\"]");
    let forgotten = Envelope::sign(TUF, forgotten.into_bytes(), &[&key(1), &key(2)]).unwrap();
    assert_eq!(second.update(&forgotten).unwrap_err().code, ROOT_LOG);

    let gone = after(&second).remove(Role::Witness, key(30).public().id()).revoke(revoked(30, 9));
    assert_eq!(second.update(&sign(gone, &[1, 2])).unwrap().witnesses().len(), 1);
    let bad = [
        builder().role(Role::Witness, publics(&[30]), 1),
        builder().origin("https://log.example", None),
        builder().origin("a b", None),
        builder().origin("w", None).witness(key(30).public().clone(), "w", None),
        builder().witness(key(30).public().clone(), "w", Some("ftp://w".into())),
        builder().witness(key(30).public().clone(), "w", None).witness(key(31).public().clone(), "w", None),
    ];
    for builder in bad {
        assert_eq!(builder.clone().sign(&[&key(1)]).unwrap_err().code, ROOT_INVALID, "{builder:?}");
    }
}
