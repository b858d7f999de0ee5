#![allow(clippy::unwrap_used, reason = "tests")]

use std::io;

use super::*;
use crate::digest::Digest;
use crate::lifecycle::State;
use crate::log::{Head, Note};
use crate::problem::{
    BUNDLE_ENTRY, BUNDLE_TRUNCATED, CLOCK_BEHIND, CONSISTENCY_FAILED, COSIGNATURE_INVALID, Code, DECISION_MISMATCH,
    DIGEST_MISMATCH, FILE_MISSING, Findings, LOG_FORK, LOG_ORIGIN_MISMATCH, NAME_MISMATCH, REGISTRY_MISMATCH,
    ROOT_INVALID, ROOT_UNPINNED, STATUS_MISMATCH,
};
use crate::release::sample::{Folder, Plan, key, root};
use crate::release::{Asked, Trust, VALIDATION_CASES, VerifiedRelease};
use crate::sign::root::{Chain, RootBuilder};
use crate::sign::{Envelope, Role, Root, Signer as _, Time};
use crate::status::{AsOf, Lists, Status, VersionState};

/// What a bundle is made from; a test spoils one thing.
struct Parts {
    folder: Folder,
    folder_name: String,
    roots: Vec<u8>,
    note: Note,
    proof: Vec<Digest>,
    status: Vec<u8>,
}

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

fn now() -> Time {
    time("2026-12-02T10:00:00Z")
}

fn status(head: Head, issued: Time, lists: Lists, change: impl FnOnce(&mut AsOf)) -> Envelope {
    let mut as_of = AsOf {
        registry: "https://r.example".into(),
        origin: "r.example".into(),
        size: head.size,
        root: head.root,
        issued,
        expires: issued.plus_seconds(86_400),
    };
    change(&mut as_of);
    Status::new(as_of, lists).unwrap().sign(&key(12)).unwrap()
}

impl Parts {
    fn good() -> Self {
        Self::of(&Plan::new(), &[b"more".to_vec(), b"and more".to_vec()])
    }

    fn of(plan: &Plan, more: &[Vec<u8>]) -> Self {
        let (log, folder) = (plan.log.clone(), Plan::new().build());
        let (note, head, proof) = log.continued(&folder.release, more);
        let status = status(head, time("2026-12-02T09:00:00Z"), Lists::default(), |_| ()).to_bytes();
        let roots = crate::canonical::to_vec(&vec![root().envelope().clone()]).unwrap();
        Self { folder, folder_name: "tiny-desk-1.2.0".into(), roots, note, proof, status }
    }

    fn head(&self) -> Head {
        crate::log::SignedCheckpoint::from_note(self.note.clone()).unwrap().claimed().head()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), self.folder_name.clone());
        let (note, proof) = (self.note.to_string(), write_consistency(&self.proof));
        for member in Member::all() {
            let bytes = match member.name() {
                ROOTS => &self.roots,
                CHECKPOINT => note.as_bytes(),
                CONSISTENCY => proof.as_bytes(),
                STATUS => &self.status,
                VALIDATION_CASES if !self.folder.files.contains_key(VALIDATION_CASES) => continue,
                name => self.folder.files.get(name).unwrap(),
            };
            writer.add(member.name(), bytes.len() as u64, &mut &*bytes).unwrap();
        }
        writer.finish().unwrap()
    }

    fn verify(&self) -> Result<VerifiedBundle, Findings> {
        check(&self.bytes(), None, None)
    }

    #[track_caller]
    fn refused(&self, code: Code) {
        let findings = self.verify().unwrap_err();
        assert!(findings.has(code), "{code} in {findings:?}");
    }
}

fn check(bytes: &[u8], seen: Option<Head>, status: Option<&Status>) -> Result<VerifiedBundle, Findings> {
    let chain = Chain::pinned(root());
    let known = seen.map(|head| ("r.example", head));
    let trust = Trust { registry: Some("https://r.example"), known, status, ..Trust::new(&chain, now()) };
    verify(bytes, &trust, Asked::default(), &mut Nothing, &mut |_| ())
}

#[test]
fn what_is_kept_is_the_folder() {
    struct Kept(Vec<(String, Vec<u8>)>, bool);
    impl Keeper for Kept {
        fn begin(&mut self, _: &VerifiedRelease) -> io::Result<()> {
            self.1 = true;
            Ok(())
        }
        fn file(&mut self, name: &str) -> io::Result<()> {
            assert!(self.1, "a file before anything was verified");
            self.0.push((name.to_owned(), Vec::new()));
            Ok(())
        }
        fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.0.last_mut().unwrap().1.extend_from_slice(bytes);
            Ok(())
        }
    }
    let parts = Parts::good();
    let (chain, mut kept) = (Chain::pinned(root()), Kept(Vec::new(), false));
    let trust = Trust::new(&chain, now());
    let bundle = verify(&*parts.bytes(), &trust, Asked::default(), &mut kept, &mut |_| ()).unwrap();
    assert_eq!(bundle.release.report.version.to_string(), "1.2.0");
    assert_eq!((bundle.checkpoint.head(), bundle.status.as_of().size), (parts.head(), parts.head().size));
    let found: std::collections::BTreeMap<_, _> = kept.0.into_iter().collect();
    assert_eq!(found, parts.folder.files);
}

#[test]
fn each_part_is_held_against_the_others() {
    let spoilt = |change: &dyn Fn(&mut Parts)| {
        let mut parts = Parts::good();
        change(&mut parts);
        parts
    };
    Parts::good().verify().unwrap();
    spoilt(&|p| p.folder_name = "tiny-desk-1.2.1".into()).refused(BUNDLE_ENTRY);
    spoilt(&|p| p.proof.truncate(1)).refused(CONSISTENCY_FAILED);
    spoilt(&|p| p.proof[0] = Digest::of(b"x")).refused(CONSISTENCY_FAILED);
    spoilt(&|p| p.roots.push(b' ')).refused(ROOT_INVALID);
    spoilt(&|p| p.roots = b"[]".to_vec()).refused(crate::problem::ROOT_VERSION);
    spoilt(&|p| p.status.push(b'\n')).refused(BUNDLE_ENTRY);
    let other = |change: &dyn Fn(&mut AsOf)| {
        spoilt(&|p| p.status = status(p.head(), time("2026-12-02T09:00:00Z"), Lists::default(), change).to_bytes())
    };
    other(&|a| a.size -= 1).refused(STATUS_MISMATCH);
    other(&|a| a.registry = "https://other.example".into()).refused(REGISTRY_MISMATCH);
    other(&|a| a.origin = "other.example".into()).refused(STATUS_MISMATCH);
    let ahead = |a: &mut AsOf| (a.issued, a.expires) = (time("2026-12-03T10:00:00Z"), time("2026-12-03T11:00:00Z"));
    other(&ahead).refused(CLOCK_BEHIND);
    spoilt(&|p| drop(p.folder.files.insert("LICENSE.txt".into(), b"other".to_vec()))).refused(DIGEST_MISMATCH);
    spoilt(&|p| drop(p.folder.files.insert("README.md".into(), b"# tiny-desc\n".to_vec()))).refused(DIGEST_MISMATCH);
    spoilt(&|p| drop(p.folder.files.remove(VALIDATION_CASES))).refused(FILE_MISSING);
    spoilt(&|p| p.folder = p.folder.clone().with(|release| release.files.validation_cases = None))
        .refused(DECISION_MISMATCH);
    spoilt(&|p| p.note.put(p.note.lines()[0].clone())).verify().unwrap();
}

#[test]
fn another_log_is_not_this_one() {
    let mut plan = Plan::new();
    plan.log.after = vec![b"another".to_vec()];
    let mut forked = Parts::of(&plan, &[b"more".to_vec(), b"and more".to_vec()]);
    forked.refused(CONSISTENCY_FAILED);
    plan = Plan::new();
    plan.log.origin = "other.example".into();
    forked = Parts::of(&plan, &[]);
    forked.refused(LOG_ORIGIN_MISMATCH);
    // A shorter log than the one in which the release is proven.
    plan = Plan::new();
    plan.log.after = Vec::new();
    Parts::of(&plan, &[]).refused(crate::problem::LOG_ROLLBACK);
    // A line of somebody whom no root names.
    let mut parts = Parts::good();
    let checkpoint = crate::log::SignedCheckpoint::from_note(parts.note.clone()).unwrap().claimed().clone();
    parts.note.put(crate::log::cosignature::sign(&checkpoint, "w.example", &key(40), now()).unwrap());
    parts.refused(COSIGNATURE_INVALID);
    // Another root for a size that was seen.
    let parts = Parts::good();
    let seen = Head { root: Digest::of(b"x"), ..parts.head() };
    let findings = check(&parts.bytes(), Some(seen), None).unwrap_err();
    assert!(findings.has(LOG_FORK), "{findings:?}");
}

#[test]
fn roots_come_along_and_belong_to_the_trusted_ones() {
    let later = RootBuilder::after(&root(), time("2028-11-30T00:00:00Z"))
        .add(Role::Review, key(30).public().clone())
        .sign(&[&key(1)])
        .unwrap();
    let mut parts = Parts::good();
    parts.roots = crate::canonical::to_vec(&vec![root().envelope().clone(), later]).unwrap();
    assert_eq!(parts.verify().unwrap().chain.newest().version(), 2);
    let other = RootBuilder::first(time("2027-11-30T00:00:00Z"))
        .role(Role::Root, [key(2).public().clone()], 1)
        .role(Role::PlatformBuild, [key(10).public().clone()], 1)
        .role(Role::PlatformLog, [key(11).public().clone()], 1)
        .role(Role::PlatformStatus, [key(12).public().clone()], 1)
        .sign(&[&key(2)])
        .unwrap();
    parts.roots = crate::canonical::to_vec(&vec![other.clone()]).unwrap();
    parts.refused(ROOT_UNPINNED);
    let chain = Chain::pinned(Root::trust(&other.to_bytes(), None).unwrap());
    let trust = Trust::new(&chain, now());
    let refused = verify(&*Parts::good().bytes(), &trust, Asked::default(), &mut Nothing, &mut |_| ());
    assert!(refused.unwrap_err().has(ROOT_UNPINNED), "a bundle of another registry");
}

#[test]
fn the_newer_status_speaks() {
    let parts = Parts::good();
    let manifest = parts.verify().unwrap().release.report.manifest;
    let withdrawn = |issued: &str| {
        let said = VersionState {
            manifest,
            state: State::Withdrawn,
            code: "security".into(),
            text: "Leaks a row.".into(),
            replacement: None,
            since: time("2026-12-01T12:00:00Z"),
        };
        let lists = Lists { versions: vec![said], private: Vec::new() };
        status(parts.head(), time(issued), lists, |_| ())
    };
    let read = |envelope: &Envelope| {
        let chain = Chain::pinned(root());
        Status::verify(envelope, |size| chain.keys_at(Role::PlatformStatus, size)).unwrap().into_inner()
    };
    let state = |known: &Status| {
        let bundle = check(&parts.bytes(), None, Some(known)).unwrap();
        bundle.release.report.status.unwrap().state
    };
    assert_eq!(state(&read(&withdrawn("2026-12-02T09:30:00Z"))), State::Withdrawn, "what is remembered is newer");
    assert_eq!(state(&read(&withdrawn("2026-12-02T08:30:00Z"))), State::Published, "what is remembered is older");
}

#[test]
fn names_are_held_against_what_was_asked_and_ends_are_noticed() {
    let bytes = Parts::good().bytes();
    let chain = Chain::pinned(root());
    let trust = Trust::new(&chain, now());
    let version = "1.2.1".parse().unwrap();
    let asked = Asked { version: Some(&version), ..Asked::default() };
    assert!(verify(&*bytes, &trust, asked, &mut Nothing, &mut |_| ()).unwrap_err().has(NAME_MISMATCH));
    for end in (0..bytes.len()).step_by(9973) {
        assert!(check(&bytes[..end], None, None).unwrap_err().has(BUNDLE_TRUNCATED), "cut at {end}");
    }
    // Bytes here and there, changed: nothing is taken.
    for at in (0..bytes.len()).step_by(3301) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(check(&changed, None, None).is_err(), "byte {at}");
    }
}
