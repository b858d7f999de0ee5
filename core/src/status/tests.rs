#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::decision::{Commitment, Decision, FORMAT, Record, RecordKind, VersionRecord};
use crate::digest::Digest;
use crate::id::Version;
use crate::licence::LicenceState;
use crate::lifecycle::{Reason, State};
use crate::log::Head;
use crate::log::freshness::SKEW_SECONDS;
use crate::problem::{self, Kind};
use crate::sign::{Envelope, KeySet, SecretKey, Signer as _, Time};

fn time(seconds: i64) -> Time {
    Time::from_micros(1_800_000_000_000_000 + seconds * 1_000_000).unwrap()
}

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

fn keys(n: u8) -> impl Fn(u64) -> KeySet {
    move |_| KeySet::new("platform-status", [key(n).public().clone()], 1)
}

fn as_of(size: u64, issued: i64) -> AsOf {
    AsOf {
        registry: "https://r.example".into(),
        origin: "r.example".into(),
        size,
        root: Digest::of(&size.to_be_bytes()),
        issued: time(issued),
        expires: time(issued + LIFETIME),
    }
}

/// An entry of the log, with all that the registry knows of it.
#[derive(Clone)]
struct Entry {
    leaf: Vec<u8>,
    opening: Option<([u8; 32], Vec<u8>)>,
    envelope: Envelope,
}

#[derive(Default)]
struct World(Vec<(String, VersionRecord, Entry)>);

impl World {
    /// Lets `kind` happen to version `version` of `patch`, which is private when its slug begins with `p-`.
    fn act(&mut self, patch: &str, version: &str, kind: RecordKind, state: State) {
        let manifest = Digest::of(format!("{patch} {version}").as_bytes());
        let name = format!("acme/{patch} {version}");
        let before = self.0.iter().rev().find(|(n, ..)| *n == name).map(|(_, r, _)| r);
        let actor = if kind == RecordKind::Approved { "rev" } else { "ana" };
        let about = (format!("acme/{patch}").parse().unwrap(), version.parse().unwrap());
        let action = kind.action().unwrap_or(crate::lifecycle::Action::Submit);
        let at = time(i64::try_from(self.0.len()).unwrap());
        let mut decision =
            Decision::new("https://r.example", action, actor.parse().unwrap(), about, Digest::of(b"before"), at);
        if state != State::Published || kind == RecordKind::Restored {
            decision.reason = Some(Reason { code: "other".into(), text: format!("Why {name} is {state}.") });
        }
        if kind == RecordKind::Withdrawn {
            decision.replacement = Some("9.0.0".parse().unwrap());
        }
        let envelope = decision.sign(manifest, &key(5)).unwrap();
        let record = VersionRecord {
            format: FORMAT.into(),
            kind,
            patch: format!("acme/{patch}").parse().unwrap(),
            version: version.parse().unwrap(),
            manifest,
            actor: actor.parse().unwrap(),
            envelope: envelope.digest(),
            previous: before.map(|r| Digest::of(&r.to_bytes().unwrap())),
            time: at,
            state,
        };
        let bytes = Record::Version(record.clone()).to_bytes().unwrap();
        let salt = [u8::try_from(self.0.len()).unwrap(); 32];
        let (leaf, opening) = if patch.starts_with("p-") {
            (Commitment::to(&salt, &bytes).to_bytes().unwrap(), Some((salt, bytes)))
        } else {
            (bytes, None)
        };
        self.0.push((name, record, Entry { leaf, opening, envelope }));
    }

    fn publish(&mut self, patch: &str, version: &str) {
        self.act(patch, version, RecordKind::Attested, State::Candidate);
        self.act(patch, version, RecordKind::Submitted, State::Submitted);
        self.act(patch, version, RecordKind::Approved, State::Approved);
        self.act(patch, version, RecordKind::Published, State::Published);
        self.act(patch, version, RecordKind::LicenceGranted, State::Published);
    }

    /// `desk`: 1 deprecated then withdrawn, 2 published, 3 restored, 4 taken down before publication; `p-desk`: 1
    /// withdrawn, 2 published, 3 taken down before publication.
    fn full() -> Self {
        let mut world = Self::default();
        for version in ["1.0.0", "2.0.0", "3.0.0"] {
            world.publish("desk", version);
        }
        world.act("desk", "1.0.0", RecordKind::Deprecated, State::Deprecated);
        world.act("desk", "3.0.0", RecordKind::Deprecated, State::Deprecated);
        world.act("desk", "4.0.0", RecordKind::Attested, State::Candidate);
        world.act("desk", "4.0.0", RecordKind::TakenDown, State::TakenDown);
        world.act("desk", "3.0.0", RecordKind::Restored, State::Published);
        world.act("desk", "1.0.0", RecordKind::Withdrawn, State::Withdrawn);
        world.act("desk", "1.0.0", RecordKind::LicenceEnded, State::Withdrawn);
        world.publish("p-desk", "1.0.0");
        world.publish("p-desk", "2.0.0");
        world.act("p-desk", "1.0.0", RecordKind::Withdrawn, State::Withdrawn);
        world.act("p-desk", "1.0.0", RecordKind::LicenceEnded, State::Withdrawn);
        world.act("p-desk", "3.0.0", RecordKind::Attested, State::Candidate);
        world.act("p-desk", "3.0.0", RecordKind::TakenDown, State::TakenDown);
        world
    }

    fn entries(&self) -> Vec<Entry> {
        self.0.iter().map(|(.., entry)| entry.clone()).collect()
    }

    fn as_of(&self, issued: i64) -> AsOf {
        let head = replay(&self.entries(), false).unwrap().head();
        AsOf { root: head.root, ..as_of(head.size, issued) }
    }
}

/// With the openings of private leaves as the registry and the org have them, or without as anybody.
fn replay(entries: &[Entry], open: bool) -> Result<Replay, crate::problem::Finding> {
    let mut replay = Replay::default();
    for entry in entries {
        let opening = entry.opening.as_ref().map(|(salt, record)| (salt, record.as_slice()));
        replay.apply(&entry.leaf, Known { opening: opening.filter(|_| open), envelope: Some(&entry.envelope) })?;
    }
    Ok(replay)
}

fn manifest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

#[test]
fn a_status_is_what_the_log_says() {
    let world = World::full();
    let mine = replay(&world.entries(), true).unwrap();
    assert!(mine.is_complete());
    let status = Status::new(world.as_of(100), mine.lists()).unwrap();
    let found: Vec<_> = status.versions().iter().map(|v| v.state).collect();
    assert_eq!(found.len(), 2, "{status:?}");
    let withdrawn = status.version(manifest("desk 1.0.0")).unwrap();
    assert_eq!((withdrawn.state, withdrawn.code.as_str()), (State::Withdrawn, "other"));
    assert_eq!(withdrawn.text, "Why acme/desk 1.0.0 is withdrawn.");
    assert_eq!(withdrawn.replacement, Some("9.0.0".parse().unwrap()));
    assert_eq!(status.version(manifest("desk 4.0.0")).unwrap().state, State::TakenDown);
    assert!(status.version(manifest("desk 2.0.0")).is_none() && status.version(manifest("desk 3.0.0")).is_none());
    let published = world.0.iter().find(|(n, r, _)| n == "acme/p-desk 1.0.0" && r.kind == RecordKind::Published);
    let commitment = Commitment::parse(&published.unwrap().2.leaf).unwrap().digest();
    assert_eq!(status.private(), [PrivateState { commitment, state: State::Withdrawn }]);
    assert_eq!(status.private_version(commitment), Some(State::Withdrawn));

    let envelope = status.clone().sign(&key(12)).unwrap();
    let read = Status::verify(&envelope, keys(12)).unwrap();
    assert_eq!(*read, status);
    assert!(mine.check_status(&read).is_ok());
    let anybody = replay(&world.entries(), false).unwrap();
    assert!(anybody.check_status(&read).is_ok() && !anybody.is_complete());
    assert_eq!(Status::verify(&envelope, keys(13)).unwrap_err().code, problem::SIGNER_UNKNOWN);
}

type Change = fn(&mut Lists);

#[test]
fn every_lie_is_named() {
    let world = World::full();
    let (mine, anybody) = (replay(&world.entries(), true).unwrap(), replay(&world.entries(), false).unwrap());
    let public: [(&str, Change); 7] = [
        ("acme/desk 1.0.0", |l| {
            drop(l.versions.iter().position(|v| v.state == State::Withdrawn).map(|n| l.versions.remove(n)));
        }),
        ("acme/desk 1.0.0", |l| l.versions.iter_mut().for_each(|v| v.text = v.text.replace("withdrawn", "fine"))),
        ("acme/desk 1.0.0", |l| l.versions.iter_mut().for_each(|v| v.replacement = None)),
        ("acme/desk 1.0.0", |l| l.versions.iter_mut().for_each(|v| v.state = State::Deprecated)),
        ("acme/desk 4.0.0", |l| l.versions.iter_mut().for_each(|v| v.code = "legal-order".into())),
        ("acme/desk 4.0.0", |l| l.versions.iter_mut().for_each(|v| v.since = time(0))),
        ("acme/desk 2.0.0", |l| {
            let more = VersionState { manifest: manifest("desk 2.0.0"), ..l.versions[0].clone() };
            l.versions.push(more);
            l.versions.sort_by_key(|v| v.manifest);
        }),
    ];
    for (name, change) in public {
        let mut lists = mine.lists();
        change(&mut lists);
        let status = Status::new(world.as_of(100), lists).unwrap();
        for replay in [&mine, &anybody] {
            let findings = replay.check_status(&status).unwrap_err();
            let named = findings.list().iter().find(|f| f.place.field.as_deref() == Some(name));
            assert_eq!(named.map(|f| f.code), Some(problem::STATUS_LIE), "{name}: {findings:?}");
        }
    }
    let status = |change: Change| {
        let mut lists = mine.lists();
        change(&mut lists);
        Status::new(world.as_of(100), lists).unwrap()
    };
    let invented =
        status(|l| l.private.push(PrivateState { commitment: Digest::from_bytes([255; 32]), state: State::Withdrawn }));
    assert!(anybody.check_status(&invented).unwrap_err().has(problem::STATUS_LIE), "no such commitment");
    let hidden = status(|l| l.private.clear());
    assert!(anybody.check_status(&hidden).is_ok(), "only whoever holds the opening can tell");
    assert!(mine.check_status(&hidden).unwrap_err().has(problem::STATUS_LIE));
    let softened = status(|l| l.private[0].state = State::Deprecated);
    assert!(mine.check_status(&softened).unwrap_err().has(problem::STATUS_LIE));
    let other = Status::new(as_of(3, 100), mine.lists()).unwrap();
    assert!(mine.check_status(&other).unwrap_err().has(problem::STATUS_MISMATCH), "another log");
}

#[test]
fn replaced_documents_and_broken_histories_are_caught() {
    let world = World::full();
    let code = |change: &dyn Fn(&mut Vec<Entry>)| {
        let mut entries = world.entries();
        change(&mut entries);
        replay(&entries, true).unwrap_err().code
    };
    let withdrawal =
        world.0.iter().position(|(n, r, _)| n == "acme/desk 1.0.0" && r.kind == RecordKind::Withdrawn).unwrap();
    let mut decision: Decision =
        crate::sign::statement::Statement::parse_unverified(world.0[withdrawal].2.envelope.payload_unverified())
            .unwrap()
            .into_predicate();
    decision.reason.as_mut().unwrap().text = "A friendlier text.".into();
    let replaced = decision.sign(manifest("desk 1.0.0"), &key(5)).unwrap();
    assert_eq!(code(&|e| e[withdrawal].envelope = replaced.clone()), problem::DECISION_REPLACED);
    assert_eq!(code(&|e| e[withdrawal].envelope = e[withdrawal - 1].envelope.clone()), problem::DECISION_REPLACED);
    assert_eq!(code(&|e| drop(e.remove(withdrawal))), problem::HISTORY_BROKEN, "left out");
    assert_eq!(code(&|e| e.insert(withdrawal, e[withdrawal].clone())), problem::HISTORY_BROKEN, "twice");
    assert_eq!(code(&|e| e.swap(0, 1)), problem::HISTORY_BROKEN, "out of order");
    assert_eq!(code(&|e| e[0].leaf.push(b' ')), problem::HISTORY_BROKEN, "not canonical");
    let opened = world.0.iter().position(|(n, ..)| n.starts_with("acme/p-desk")).unwrap();
    assert_eq!(code(&|e| e[opened].opening.as_mut().unwrap().0 = [9; 32]), problem::LEAF_MISMATCH);

    let mut twice = World::default();
    twice.act("desk", "1.0.0", RecordKind::Attested, State::Candidate);
    let mut other = twice.0[0].1.clone();
    other.manifest = Digest::of(b"other bytes");
    let mut entries = twice.entries();
    entries.push(Entry { leaf: other.to_bytes().unwrap(), ..entries[0].clone() });
    assert_eq!(replay(&entries, true).unwrap_err().code, problem::HISTORY_BROKEN, "a name for other bytes");

    let mut closing = World::default();
    closing.act("desk", "1.0.0", RecordKind::Attested, State::Candidate);
    closing.act("desk", "1.0.0", RecordKind::Submitted, State::Submitted);
    let mut entries = closing.entries();
    let (salt, record) = ([1; 32], entries[1].leaf.clone());
    entries[1].leaf = Commitment::to(&salt, &record).to_bytes().unwrap();
    entries[1].opening = Some((salt, record));
    assert_eq!(replay(&entries, true).unwrap_err().code, problem::HISTORY_BROKEN, "public, then private");
}

#[test]
fn time_and_order_are_checked() {
    let at = as_of(10, 0);
    assert!(at.check_time(time(0)).is_ok() && at.check_time(time(LIFETIME - 1)).is_ok());
    let expired = at.check_time(time(LIFETIME)).unwrap_err();
    assert_eq!((expired.code, expired.code.kind()), (problem::STATUS_EXPIRED, Kind::Stale));
    assert!(expired.found.contains("2027-01-16T08") && expired.expected.contains("2027-01-16T08"), "{expired:?}");
    assert!(at.check_time(time(-SKEW_SECONDS)).is_ok(), "clocks differ a little");
    let future = at.check_time(time(-SKEW_SECONDS - 1)).unwrap_err();
    assert_eq!(future.code, problem::CLOCK_BEHIND);
    assert!(future.found.contains("08:00:00") && future.found.contains("07:54:59"), "{future:?}");

    assert_eq!(as_of(9, 0).check_not_before(&at).unwrap_err().code, problem::STATUS_ROLLBACK);
    assert_eq!(as_of(10, -1).check_not_before(&at).unwrap_err().code, problem::STATUS_ROLLBACK);
    assert_eq!(as_of(11, -1).check_not_before(&at).unwrap_err().code, problem::STATUS_ROLLBACK);
    assert!(as_of(10, 0).check_not_before(&at).is_ok() && as_of(11, 5).check_not_before(&at).is_ok());
    let recovered = AsOf { origin: "r.example/2".into(), ..as_of(3, -9) };
    assert!(recovered.check_not_before(&at).is_ok(), "a new origin begins anew");

    assert!(at.check_log("r.example", Head { size: 10, root: at.root }).is_ok());
    for (origin, size, root) in
        [("e.example", 10, at.root), ("r.example", 11, at.root), ("r.example", 10, Digest::of(b""))]
    {
        assert_eq!(at.check_log(origin, Head { size, root }).unwrap_err().code, problem::STATUS_MISMATCH);
    }
    let world = World::full();
    let lists = replay(&world.entries(), true).unwrap().lists();
    let first = Status::new(as_of(7, 0), lists).unwrap();
    let again = Status::new(as_of(7, 60), Lists::default()).unwrap();
    assert_eq!(again.check_follows(&first).unwrap_err().code, problem::STATUS_LIE, "one log, two statuses");
    assert!(Status::new(as_of(8, 60), Lists::default()).unwrap().check_follows(&first).is_ok());
    let forked = AsOf { root: Digest::of(b"fork"), ..as_of(7, 60) };
    let forked = Status::new(forked, Lists::default()).unwrap();
    assert_eq!(forked.check_follows(&first).unwrap_err().code, problem::STATUS_MISMATCH);
}

#[test]
fn only_well_formed_statuses_are_read() {
    let lists = replay(&World::full().entries(), true).unwrap().lists();
    let refused = |as_of: AsOf, lists: Lists| Status::new(as_of, lists).unwrap_err().code;
    let long = AsOf { expires: time(LIFETIME + 1), ..as_of(1, 0) };
    assert_eq!(refused(long, lists.clone()), problem::STATUS_INVALID);
    assert_eq!(refused(AsOf { expires: time(0), ..as_of(1, 0) }, lists.clone()), problem::STATUS_INVALID);
    let changes: [fn(&mut Lists); 4] = [
        |l| l.versions.reverse(),
        |l| l.versions.push(l.versions[1].clone()),
        |l| l.versions[0].state = State::Published,
        |l| l.private.push(l.private[0].clone()),
    ];
    for change in changes {
        let mut lists = lists.clone();
        change(&mut lists);
        assert_eq!(refused(as_of(1, 0), lists), problem::STATUS_INVALID);
    }
    // A signature does not make the subject right.
    let status = Status::new(as_of(1, 0), lists).unwrap();
    let subject = std::collections::BTreeMap::from([(SUBJECT, Digest::of(b"another root"))]);
    let envelope = crate::sign::statement::Statement::new(subject, status).sign(&[&key(12)]).unwrap();
    assert_eq!(Status::verify(&envelope, keys(12)).unwrap_err().code, problem::SUBJECT_MISMATCH);
}

#[test]
fn a_status_of_many_versions_still_fits() {
    let version = |n: u32, text: &str| VersionState {
        manifest: Digest::of(&n.to_be_bytes()),
        state: State::Withdrawn,
        code: "other".into(),
        text: text.into(),
        replacement: None,
        since: time(0),
    };
    let lists = |count: u32, text: &str| {
        Lists { versions: (0..count).map(|n| version(n, text)).collect(), private: Vec::new() }.fit()
    };
    let text = "é".repeat(2000);
    assert_eq!(lists(100, &text).versions[0].text.chars().count(), 2000);
    assert_eq!(lists(1000, &text).versions[0].text.chars().count(), 200);
    assert_eq!(lists(2500, &text).versions[0].text, "");
    let envelope = Status::new(as_of(1, 0), lists(2500, &text)).unwrap().sign(&key(12)).unwrap();
    assert!(Envelope::parse(&envelope.to_bytes()).is_ok());
    assert_eq!(Status::new(as_of(1, 0), lists(20_000, "")).unwrap_err().code, problem::STATUS_INVALID);
}

#[test]
fn a_listing_is_that_of_the_log_and_of_the_status() {
    let world = World::full();
    let mine = replay(&world.entries(), true).unwrap();
    let status = Status::new(world.as_of(100), mine.lists()).unwrap();
    let listed = |version: &str, state, licence| Listed {
        version: version.parse::<Version>().unwrap(),
        manifest: manifest(&format!("desk {version}")),
        state,
        evidence: "EXPERIMENTAL".into(),
        licence,
        commitment: None,
    };
    let good = vec![
        listed("3.0.0", State::Published, LicenceState::GrantedFree),
        listed("1.0.0", State::Withdrawn, LicenceState::Ended),
        listed("2.0.0", State::Published, LicenceState::GrantedPaid),
    ];
    let listing = |versions: Vec<Listed>| Listing::new(world.as_of(100), "acme/desk".parse().unwrap(), versions);
    let made = listing(good.clone()).unwrap();
    let read = Listing::verify(&made.clone().sign(&key(12)).unwrap(), keys(12)).unwrap();
    assert_eq!(read.versions()[0].version.to_string(), "1.0.0");
    assert!(mine.check_listing(&read).is_ok() && read.check_against(&status).is_ok());
    let changes: [fn(&mut Vec<Listed>); 4] = [
        |l| drop(l.pop()),
        |l| l[1].state = State::Published,
        |l| l[0].manifest = Digest::of(b"other"),
        |l| l[1].licence = LicenceState::GrantedFree,
    ];
    for change in changes {
        let mut versions = good.clone();
        change(&mut versions);
        let findings = mine.check_listing(&listing(versions).unwrap()).unwrap_err();
        assert!(findings.has(problem::STATUS_LIE), "{findings:?}");
    }
    let mut hiding = good.clone();
    hiding[1].state = State::Published;
    assert!(listing(hiding).unwrap().check_against(&status).unwrap_err().has(problem::STATUS_MISMATCH));
    let later = Listing::new(world.as_of(101), "acme/desk".parse().unwrap(), good.clone()).unwrap();
    assert!(later.check_against(&status).unwrap_err().has(problem::STATUS_MISMATCH));
    let mut candidate = good.clone();
    candidate[0].state = State::Candidate;
    assert_eq!(listing(candidate).unwrap_err().code, problem::STATUS_INVALID);
    assert_eq!(listing([good.clone(), good].concat()).unwrap_err().code, problem::STATUS_INVALID);
    let other = status.clone().sign(&key(12)).unwrap();
    assert_eq!(
        Listing::verify(&other, keys(12)).unwrap_err().code,
        problem::STATEMENT_INVALID,
        "a status for a listing"
    );
}
