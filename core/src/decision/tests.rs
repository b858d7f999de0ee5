#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::digest::Digest;
use crate::lifecycle::{Action, Reason, State};
use crate::problem::{DECISION_INVALID, DECISION_OTHER_VERSION, DECISION_OUTDATED, DECISION_TIME, HISTORY_BROKEN};
use crate::sign::statement::Statement;
use crate::sign::{KeySet, SecretKey, Signer as _, Time};

fn time(seconds: i64) -> Time {
    Time::from_micros(1_800_000_000_000_000 + seconds * 1_000_000).unwrap()
}

fn decision(action: Action) -> Decision {
    let name = ("acme/tiny-desk".parse().unwrap(), "1.2.0".parse().unwrap());
    Decision::new("https://r.example", action, "ana".parse().unwrap(), name, Digest::of(b"before"), time(0))
}

fn expected_check(statement: &Statement<Decision>, previous: Digest) -> crate::problem::Findings {
    Expected {
        registry: "https://r.example",
        patch: &"acme/tiny-desk".parse().unwrap(),
        version: &"1.2.0".parse().unwrap(),
        manifest: Digest::of(b"m"),
        actor: &"ana".parse().unwrap(),
        previous,
        now: time(60),
    }
    .check(statement)
}

#[test]
fn a_signed_decision_comes_back_as_it_was() {
    let key = SecretKey::from_seed(&[3; 32]).unwrap();
    let mut d = decision(Action::Withdraw);
    d.reason = Some(Reason { code: "security".into(), text: "Leaks a training row.".into() });
    let envelope = d.clone().sign(Digest::of(b"m"), &key).unwrap();
    let keys = KeySet::new("operate", [key.public().clone()], 1);
    let verified = Statement::<Decision>::verify(&envelope, &keys).unwrap();
    assert_eq!(*verified.predicate(), d);
    assert!(expected_check(&verified, Digest::of(b"before")).is_empty());
}

#[test]
fn a_decision_for_something_else_is_refused() {
    let about = |d: Decision| Statement::about_manifest(Digest::of(b"m"), d);
    let good = about(decision(Action::Publish));
    assert!(expected_check(&good, Digest::of(b"before")).is_empty());
    assert!(expected_check(&good, Digest::of(b"other")).has(DECISION_OUTDATED), "replayed");
    assert!(
        expected_check(&Statement::about_manifest(Digest::of(b"x"), decision(Action::Publish)), Digest::of(b"before"))
            .has(DECISION_OTHER_VERSION)
    );
    let mut other = decision(Action::Publish);
    other.registry = "https://evil.example".into();
    other.version = "1.2.1".parse().unwrap();
    other.time = time(-3600);
    let findings = expected_check(&about(other), Digest::of(b"before"));
    assert_eq!(findings.errors(), 3, "all at once: {findings:?}");
    assert!(findings.has(DECISION_TIME));
    let mut extra = decision(Action::Publish);
    extra.notes = Some(String::new());
    extra.checklist = Some(crate::review::Checklist::COMPLETE);
    let findings = expected_check(&about(extra), Digest::of(b"before"));
    assert_eq!((findings.errors(), findings.has(DECISION_INVALID)), (2, true));
}

struct Chain(Vec<VersionRecord>);

impl Chain {
    fn new() -> Self {
        let mut chain = Self(Vec::new());
        chain.add(RecordKind::Attested, "builder", State::Candidate);
        chain
    }

    fn add(&mut self, kind: RecordKind, actor: &str, state: State) -> &mut Self {
        let previous = self.0.last().map(|r| Digest::of(&r.to_bytes().unwrap()));
        self.0.push(VersionRecord {
            format: "retoque-record/1".into(),
            kind,
            patch: "acme/tiny-desk".parse().unwrap(),
            version: "1.2.0".parse().unwrap(),
            manifest: Digest::of(b"m"),
            actor: actor.parse().unwrap(),
            envelope: Digest::of(kind.name().as_bytes()),
            previous,
            time: time(i64::try_from(self.0.len()).unwrap()),
            state,
        });
        self
    }

    fn published() -> Self {
        let mut chain = Self::new();
        chain
            .add(RecordKind::Submitted, "ana", State::Submitted)
            .add(RecordKind::Approved, "rev", State::Approved)
            .add(RecordKind::Published, "ana", State::Published)
            .add(RecordKind::LicenceGranted, "ana", State::Published);
        chain
    }

    fn refused(&self) -> bool {
        History::of(&self.0).is_err_and(|f| f.code == HISTORY_BROKEN)
    }
}

#[test]
fn a_whole_life_folds_to_its_state() {
    let mut chain = Chain::published();
    chain
        .add(RecordKind::Deprecated, "op", State::Deprecated)
        .add(RecordKind::Restored, "op", State::Published)
        .add(RecordKind::Withdrawn, "op", State::Withdrawn)
        .add(RecordKind::LicenceEnded, "op", State::Withdrawn)
        .add(RecordKind::TakenDown, "op", State::TakenDown);
    let history = History::of(&chain.0).unwrap();
    assert_eq!((history.state(), history.is_licensed(), history.was_published()), (State::TakenDown, false, true));
    assert_eq!(history.approver().unwrap().as_str(), "rev");
}

#[test]
fn records_that_do_not_follow_are_refused() {
    assert!(History::of(&[]).is_err());
    assert!(Chain::new().add(RecordKind::Published, "ana", State::Published).refused(), "never approved");
    assert!(Chain::new().add(RecordKind::Submitted, "ana", State::Approved).refused(), "wrong state");
    assert!(Chain::new().add(RecordKind::LicenceGranted, "ana", State::Candidate).refused(), "not published");
    assert!(Chain::published().add(RecordKind::LicenceGranted, "ana", State::Published).refused(), "twice");
    assert!(Chain::published().add(RecordKind::LicenceEnded, "ana", State::Published).refused(), "still served");
    for reviewer in ["ana", "builder"] {
        let mut chain = Chain::new();
        chain.add(RecordKind::Submitted, "ana", State::Submitted);
        assert!(chain.add(RecordKind::Approved, reviewer, State::Approved).refused(), "approved by {reviewer}");
    }
    for damage in 0..5 {
        let mut chain = Chain::published();
        let record = &mut chain.0[2];
        match damage {
            0 => record.previous = None,
            1 => record.time = time(-1),
            2 => record.manifest = Digest::of(b"x"),
            3 => record.version = "2.0.0".parse().unwrap(),
            _ => drop(chain.0.remove(2)),
        }
        assert!(chain.refused(), "damage {damage}");
    }
    let mut swapped = Chain::published();
    swapped.0.swap(1, 2);
    assert!(swapped.refused());
}

#[test]
fn a_record_has_one_form() {
    let chain = Chain::published();
    for record in &chain.0 {
        let bytes = record.to_bytes().unwrap();
        assert_eq!(Record::parse(&bytes).unwrap(), Record::Version(record.clone()));
        let text = String::from_utf8(bytes).unwrap();
        for bad in [
            text.replace("record/1", "record/2"),
            text.replacen('{', "{\"a\":1,", 1),
            text.replacen(':', ": ", 1),
            text.replace("\"kind\":\"", "\"kind\":\"un"),
        ] {
            assert!(Record::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
