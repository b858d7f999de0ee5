//! Attacks on the proofs of a release, each made as somebody would who holds some of the keys.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::sample::{Folder, Plan, REGISTRY, key, root};
use super::sample_log::{Log, cosign, with_note};
use super::*;
use crate::decision::{Record, RecordKind, VersionRecord};
use crate::digest::Digest;
use crate::lifecycle::State;
use crate::log::policy::Policy;
use crate::log::{Head, cosignature};
use crate::problem::{self, Code, Findings};
use crate::sign::root::{Chain, Revoked, RootBuilder};
use crate::sign::{Envelope, Role, Signer as _, Time};
use crate::status::{AsOf, Lists, PrivateState, Status, VersionState};

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

fn now() -> Time {
    time("2026-12-01T12:00:00Z")
}

fn check(folder: &Folder, trust: &Trust<'_>) -> Result<VerifiedRelease, Findings> {
    open(folder, trust, Asked::default())
}

fn chain() -> Chain {
    Chain::pinned(root())
}

#[track_caller]
fn refused(folder: &Folder, code: Code, field: &str) {
    let findings = check(folder, &Trust::new(&chain(), now())).map(|v| v.report).unwrap_err();
    let hit = findings.list().iter().any(|f| f.code == code && f.place.field.as_deref() == Some(field));
    assert!(hit, "{code} at {field} not among {findings:#?}");
}

/// The release after its records were changed before they came into the log: what an operator can do.
fn logged(change: impl FnOnce(&mut Vec<Record>)) -> Folder {
    logged_by(Plan::new(), |_| {}, change)
}

fn logged_by(plan: Plan, log: impl FnOnce(&mut Log), change: impl FnOnce(&mut Vec<Record>)) -> Folder {
    let mut with = plan.log.clone();
    log(&mut with);
    plan.build().with(|release| {
        let mut records = with.records(release);
        change(&mut records);
        release.log_proofs = with.proofs(records);
    })
}

fn version(record: &mut Record) -> &mut VersionRecord {
    match record {
        Record::Version(record) => record,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_report_says_where_the_log_has_it() {
    let good = check(&Plan::new().build(), &Trust::new(&chain(), now())).unwrap();
    assert_eq!((good.index, good.checkpoint.size(), good.commitment), (7, 10, None));
    assert_eq!(good.report.log.cosigned_seconds_ago, Some(7200));
    let text = good.report.lines().join("\n");
    assert!(text.contains("log r.example: entry 7 of 10; no witness is known; newest cosignature 2 h ago"), "{text}");
    assert!(text.contains("no signed status"), "{text}");
}

#[test]
fn every_document_needs_its_own_entry() {
    let folder = Plan::new().build();
    let proofs = |change: fn(&mut Release)| folder.clone().with(change);
    refused(&proofs(|r| r.log_proofs.clear()), problem::NOT_IN_LOG, "log_proofs");
    refused(&proofs(|r| drop(r.log_proofs.pop())), problem::NOT_IN_LOG, "log_proofs");
    refused(&proofs(|r| r.log_proofs[3] = r.log_proofs[2].clone()), problem::NOT_IN_LOG, "log_proofs[3]");
    refused(&proofs(|r| r.log_proofs[6] = r.log_proofs[0].clone()), problem::NOT_IN_LOG, "log_proofs[6]");
    refused(&proofs(|r| r.log_proofs[6] = r.log_proofs[5].clone()), problem::LEAF_MISMATCH, "log_proofs[6]");
    // A publication that was signed, but never logged: the proof is of another leaf.
    let plan = Plan::new();
    let other = logged(|records| version(&mut records[3]).envelope = Digest::of(b"another document"));
    refused(&other, problem::LEAF_MISMATCH, "log_proofs[3]");
    let unlogged = plan.build().with(|r| r.log_proofs[3].record = other.release.log_proofs[3].record.clone());
    refused(&unlogged, problem::INCLUSION_FAILED, "log_proofs[3]");
}

#[test]
fn records_are_of_this_version_and_follow_one_another() {
    let changed = |n: usize, field: &str, change: fn(&mut VersionRecord)| {
        refused(&logged(|records| change(version(&mut records[n]))), problem::LEAF_MISMATCH, field);
    };
    changed(0, "log_proofs[0]", |r| r.version = "1.2.1".parse().unwrap());
    changed(1, "log_proofs[1]", |r| r.manifest = Digest::of(b"other"));
    changed(2, "log_proofs[2]", |r| r.state = State::Submitted);
    changed(4, "log_proofs[4]", |r| r.patch = "acme/other".parse().unwrap());
    changed(1, "log_proofs[1]", |r| r.envelope = Digest::of(b"other"));
    changed(0, "attestation", |r| r.actor = "eve".parse().unwrap());
    changed(2, "approval", |r| r.actor = "eve".parse().unwrap());
    refused(&logged(|r| version(&mut r[2]).previous = None), problem::LEAF_MISMATCH, "log_proofs[2].record.previous");
    refused(
        &logged(|r| version(&mut r[0]).previous = Some(Digest::of(b""))),
        problem::LEAF_MISMATCH,
        "log_proofs[0].record.previous",
    );
    refused(&logged(|r| version(&mut r[3]).kind = RecordKind::Deprecated), problem::NOT_IN_LOG, "log_proofs[3]");
    refused(&logged(|r| r.swap(3, 4)), problem::NOT_IN_LOG, "log_proofs[3]");
    // Another round between submission and approval: the approval then follows something else.
    let skipped = logged(|r| version(&mut r[2]).previous = Some(Digest::of(b"a return and a new submission")));
    refused(&skipped, problem::LEAF_MISMATCH, "log_proofs[2].record.previous");
}

#[test]
fn one_checkpoint_of_this_log_signed_by_its_key() {
    let plan = |change: fn(&mut Log)| {
        let mut plan = Plan::new();
        change(&mut plan.log);
        plan.build()
    };
    refused(&plan(|l| l.key = 66), problem::CHECKPOINT_UNSIGNED, "log_proofs");
    refused(&plan(|l| l.key = 10), problem::WRONG_ROLE, "log_proofs");
    refused(&plan(|l| l.origin = "other.example".into()), problem::LOG_ORIGIN_MISMATCH, "log_proofs");
    let longer = plan(|l| l.after.push(b"one more".to_vec())).release;
    let folder = Plan::new().build();
    let two = folder.clone().with(|r| r.log_proofs[2] = longer.log_proofs[2].clone());
    refused(&two, problem::PROOF_INVALID, "log_proofs[2]");
    // A fork: the same size, another history. Each is sound by itself; one was seen before.
    let fork = plan(|l| l.after[0] = b"another history".to_vec());
    let (chain, seen) = (chain(), check(&folder, &Trust::new(&chain(), now())).unwrap());
    let known = Head { size: seen.checkpoint.size(), root: seen.checkpoint.root() };
    let trust = Trust { known: Some(("r.example", known)), ..Trust::new(&chain, now()) };
    assert!(check(&folder, &trust).is_ok());
    assert_eq!(check(&fork, &trust).unwrap_err().first_error().unwrap().code, problem::LOG_FORK);
    let elsewhere = Trust { known: Some(("former.example", known)), ..trust };
    assert!(check(&fork, &elsewhere).is_ok(), "that head was of another log");
    for (from, to) in [("index 7", "index 8"), ("index 7", "index 07"), ("proof@v1\n", "proof@v1\nextra eA==\n")] {
        let bad = folder.clone().with(|r| r.log_proofs[3].proof = r.log_proofs[3].proof.replace(from, to));
        refused(&bad, problem::PROOF_INVALID, "log_proofs[3]");
    }
    refused(&folder.with(|r| r.log_proofs[3].index = 8), problem::PROOF_INVALID, "log_proofs[3]");
}

#[test]
fn a_checkpoint_carries_known_lines_alone() {
    let folder = Plan::new().build();
    let at = now();
    let unknown = folder.clone().with(|r| cosign(r, "witness.example", &key(70), at));
    refused(&unknown, problem::COSIGNATURE_INVALID, "log_proofs");
    let reordered = folder.clone().with(|r| {
        for proof in &mut r.log_proofs {
            let at = proof.proof.find('\u{2014}').unwrap();
            let (head, lines) = proof.proof.split_at(at);
            let lines: Vec<_> = lines.lines().rev().collect();
            proof.proof = format!("{head}{}\n", lines.join("\n"));
        }
    });
    refused(&reordered, problem::COSIGNATURE_INVALID, "log_proofs");
    let exact = folder.clone().with(|r| {
        let chain = chain();
        with_note(r, |note| *note = exact_note(note, "r.example", 10, &chain).unwrap());
    });
    assert_eq!(exact.release, folder.release);
    let note = folder.release.log_proofs[0].file().unwrap().checkpoint().note().clone();
    let mut more = note.clone();
    let said = folder.release.log_proofs[0].file().unwrap().checkpoint().claimed().clone();
    more.put(cosignature::sign(&said, "witness.example", &key(70), at).unwrap());
    assert_eq!(exact_note(&more, "r.example", 10, &chain()).unwrap(), note, "a line too many is left out");
}

/// A root with three witnesses, of which `quorum` must cosign.
fn witnessed_root(quorum: u32) -> Envelope {
    let witness = |b: RootBuilder, n: u8| b.witness(key(70 + n).public().clone(), format!("w{n}.example"), None);
    let builder = (0..3).fold(RootBuilder::after(&root(), time("2028-11-30T00:00:00Z")), witness);
    builder.threshold(Role::Witness, quorum).sign(&[&key(1)]).unwrap()
}

#[test]
fn witnesses_are_counted_and_never_invented() {
    let with = |quorum: u32, cosigners: &[u8]| {
        let folder = Plan::new().build().with(|r| {
            r.root_chain.push(witnessed_root(quorum));
            for n in cosigners {
                cosign(r, &format!("w{n}.example"), &key(70 + n), time("2026-12-01T11:00:00Z"));
            }
        });
        check(&folder, &Trust::new(&chain(), now()))
    };
    let all = with(3, &[0, 1, 2]).unwrap().report;
    assert!(all.log.split_view_protection && all.log.quorum && all.log.cosigned_seconds_ago == Some(3600), "{all:?}");
    assert!(!all.not_active.iter().any(|t| t.contains("split-view")));
    let two = with(3, &[0, 2]).unwrap().report;
    assert!(!two.log.quorum && two.log.cosigned == ["w0.example", "w2.example"]);
    assert!(two.lines().join("\n").contains("only 2 of 3 witnesses have cosigned"), "{two:?}");
    let weak = with(1, &[1]).unwrap().report;
    assert!(weak.log.quorum && !weak.log.split_view_protection, "one of three excludes nothing");
    let foreign = Plan::new().build().with(|r| {
        r.root_chain.push(witnessed_root(1));
        cosign(r, "w0.example", &key(99), now());
    });
    refused(&foreign, problem::COSIGNATURE_INVALID, "log_proofs");

    let own = Policy::of_witnesses([("w9.example".to_owned(), key(79).public().clone(), None)], 1).unwrap();
    let mine = Plan::new().build().with(|r| cosign(r, "w9.example", &key(79), now()));
    let (chain, folder) = (chain(), Plan::new().build());
    let trust = Trust { policy: Some(&own), ..Trust::new(&chain, now()) };
    assert!(check(&mine, &trust).unwrap().report.log.split_view_protection);
    assert!(!check(&folder, &trust).unwrap().report.log.quorum);
}

#[test]
fn keys_count_by_the_index_of_what_they_signed() {
    let revoking = |seed: u8, role: Role, from_index: u64| {
        let gone = Revoked { keyid: key(seed).public().id(), from_index };
        let builder = RootBuilder::after(&root(), time("2028-11-30T00:00:00Z"));
        let builder = if seed > 20 { builder } else { builder.role(role, [key(90).public().clone()], 1) };
        builder.revoke(gone).sign(&[&key(1)]).unwrap()
    };
    // Entries: registrations 2 and 3, attested 4, submitted 5, approved 6, published 7, licence 8, size 10.
    let cases = [
        (10, Role::PlatformBuild, 4, "attestation"),
        (21, Role::Witness, 5, "submission"),
        (13, Role::Review, 6, "approval"),
        (22, Role::Witness, 7, "publication"),
        (12, Role::PlatformStatus, 8, "licence"),
        (11, Role::PlatformLog, 3, "key_registrations[1]"),
        (11, Role::PlatformLog, 10, "log_proofs"),
    ];
    let folder = Plan::new().build();
    for (seed, role, index, field) in cases {
        let after = |from| folder.clone().with(|r| r.root_chain.push(revoking(seed, role, from)));
        refused(&after(index), problem::KEY_REVOKED, field);
        assert!(check(&after(11), &Trust::new(&chain(), now())).is_ok(), "{field}: later than all");
        if seed != 11 {
            assert!(check(&after(index + 1), &Trust::new(&chain(), now())).is_ok(), "{field}: logged before");
        }
    }
}

#[test]
fn registrations_come_before_what_they_vouch_for() {
    let late = Plan::new().build().with(|r| {
        let keys = r.log_proofs.split_off(5);
        let mut log = Plan::new().log;
        // The same records, but the registration of the submitter after the submission.
        log.before = vec![b"the first root".to_vec()];
        let later = keys.iter().map(|p| p.record.to_bytes().unwrap()).collect::<Vec<_>>();
        log.after = later;
        let mut proofs = log.proofs(log.records(r));
        let after = log.before.len() as u64 + 7;
        for (n, proof) in proofs.iter_mut().skip(5).enumerate() {
            proof.index = after + n as u64;
        }
        r.log_proofs = proofs;
    });
    refused(&late, problem::KEY_UNREGISTERED, "log_proofs[5].index");
}

fn status(lists: Lists, folder: &Folder, size: u64) -> Status {
    let file = folder.release.log_proofs[0].file().unwrap();
    let as_of = AsOf {
        registry: REGISTRY.into(),
        origin: "r.example".into(),
        size,
        root: file.checkpoint().claimed().root(),
        issued: time("2026-12-01T11:00:00Z"),
        expires: time("2026-12-01T23:00:00Z"),
    };
    Status::new(as_of, lists).unwrap()
}

#[test]
fn a_private_version_is_opened_by_its_salts_and_named_by_its_commitment() {
    let private = || {
        let mut plan = Plan::new();
        plan.log.private = true;
        plan.build()
    };
    let folder = private();
    let (chain, size) = (chain(), 10);
    let good = check(&folder, &Trust::new(&chain, now())).unwrap();
    let commitment = good.commitment.unwrap();
    let salt = |change: fn(&mut Option<String>)| folder.clone().with(|r| change(&mut r.log_proofs[3].salt));
    refused(&salt(|s| *s = Some("00".repeat(32))), problem::INCLUSION_FAILED, "log_proofs[3]");
    refused(&salt(|s| *s = None), problem::LEAF_MISMATCH, "log_proofs[3].salt");
    refused(&salt(|s| *s = Some(s.as_ref().unwrap().to_uppercase() + "A")), problem::LEAF_MISMATCH, "log_proofs[3]");
    let withdrawn = Lists { private: vec![PrivateState { commitment, state: State::Withdrawn }], ..Lists::default() };
    let said = status(withdrawn, &folder, size);
    let report = check(&folder, &Trust { status: Some(&said), ..Trust::new(&chain, now()) }).unwrap().report;
    assert_eq!(report.status.unwrap().state, State::Withdrawn);
}

#[test]
fn a_status_is_reported_with_its_time() {
    let folder = Plan::new().build();
    let withdrawn = VersionState {
        manifest: folder.release.manifest_digest,
        state: State::Withdrawn,
        code: "security".into(),
        text: "Leaks a training row.".into(),
        replacement: Some("1.2.1".parse().unwrap()),
        since: time("2026-12-01T10:30:00Z"),
    };
    let lists = Lists { versions: vec![withdrawn], ..Lists::default() };
    let (chain, at) = (chain(), now());
    let report = |status: &Status, now: Time| {
        check(&folder, &Trust { status: Some(status), ..Trust::new(&chain, now) }).unwrap().report
    };
    let text = report(&status(lists.clone(), &folder, 12), at).lines().join("\n");
    assert!(text.contains("status as of 2026-12-01T11:00:00Z: withdrawn"), "{text}");
    assert!(
        text.contains("withdrawn since 2026-12-01T10:30:00Z (security): Leaks a training row.; use 1.2.1"),
        "{text}"
    );
    let fine = report(&status(Lists::default(), &folder, 8), at);
    assert_eq!((fine.status.unwrap().state, fine.not_active.len()), (State::Published, 1));
    assert!(report(&status(Lists::default(), &folder, 7), at).status.is_none(), "older than the publication");
    let late = report(&status(lists, &folder, 12), time("2026-12-02T00:00:00Z"));
    assert!(late.not_active.join("\n").contains("no current status"), "{late:?}");
}
