//! Heads that are believed, heads that are not, and that a refusal leaves what is remembered as it was.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use retoque_core::sign::Time;

use super::{Asking, Current};
use crate::client::scripted::{Reply, Scripted};
use crate::client::{Connection, Sources};
use crate::config::{Environment, Home, Registries};
use crate::error::Failure;
use crate::log::scripted::{Said, root, tiles};
use crate::runtime::block_on;
use crate::trust_store::TrustStore;

const ORIGIN: &str = "https://registry.example";

fn now() -> Time {
    "2026-12-01T12:00:00Z".parse().unwrap()
}

/// The body of the head, and tiles by path.
type Answers = (Vec<u8>, BTreeMap<String, Vec<u8>>);

/// A registry whose answers a test sets, and a home that has pinned its root.
struct Scene {
    dir: tempfile::TempDir,
    connection: Connection,
    said: Arc<Mutex<Answers>>,
}

impl Scene {
    fn new() -> Self {
        let said: Arc<Mutex<Answers>> = Arc::default();
        let answers = Arc::clone(&said);
        let server = Scripted::start(move |_, head| {
            let path = head.split(' ').nth(1).unwrap();
            let answers = answers.lock().unwrap();
            let found = match path.strip_prefix("/log/tile/") {
                Some(tile) => answers.1.get(tile).cloned(),
                None => (path == "/api/v1/head").then(|| answers.0.clone()),
            };
            found.map_or_else(|| Reply::Whole("404 Not Found", String::new(), Vec::new()), Reply::ok)
        });
        let dir = tempfile::tempdir().unwrap();
        let home = Home::of(&Environment { home: Some(dir.path().into()), ..Default::default() }).unwrap();
        TrustStore::of(&home, &server.url).pin(&root(), false).unwrap();
        let mut registries = Registries::default();
        registries.entry(&server.url, ORIGIN);
        let (client, url) = (server.client(), server.url.clone());
        Self { dir, connection: Connection { client, home, url, registries }, said }
    }

    /// Shows this head and the tiles of these leaves.
    fn show(&self, said: &Said, leaves: &[u64]) {
        *self.said.lock().unwrap() = (said.body(), tiles_of(leaves).1);
    }

    fn ask(&self, allow_stale: bool) -> Result<Current, Failure> {
        self.ask_at(now(), allow_stale)
    }

    fn ask_at(&self, now: Time, allow_stale: bool) -> Result<Current, Failure> {
        let sources = Sources::only(self.connection.client.clone());
        block_on(Asking::new(&self.connection, &sources, now, allow_stale).ask())
    }

    /// Everything that is remembered, but for proofs of forks, the cache and the empty lock file.
    fn remembered(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(folder: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let name = entry.file_name().into_string().unwrap();
                if path.is_dir() && name != "tiles" {
                    walk(&path, into);
                } else if path.is_file() && !name.starts_with("fork-") && name != "lock" {
                    into.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        let mut all = BTreeMap::new();
        walk(self.dir.path(), &mut all);
        all
    }

    /// Shows this head, which has to be refused with this code and status, and nothing remembered of it.
    #[track_caller]
    fn refuses(&self, said: &Said, leaves: &[u64], code: &str, status: u8) -> Failure {
        let before = self.remembered();
        self.show(said, leaves);
        let failure = self.ask(false).unwrap_err();
        assert_eq!((failure.code(), failure.exit_status()), (code, status), "{failure:?}");
        assert!(self.remembered() == before, "what is remembered has changed");
        failure
    }
}

fn tiles_of(leaves: &[u64]) -> (retoque_core::log::Head, BTreeMap<String, Vec<u8>>) {
    tiles(leaves.iter().map(|n| n.to_be_bytes().to_vec()))
}

fn honest(leaves: &[u64]) -> Said {
    Said::honest(ORIGIN, tiles_of(leaves).0, now())
}

fn numbers(size: u64) -> Vec<u64> {
    (0..size).collect()
}

#[test]
fn an_honest_log_is_followed_and_remembered() {
    let scene = Scene::new();
    for size in [3, 3, 300, 1000] {
        scene.show(&honest(&numbers(size)), &numbers(size));
        let current = scene.ask(false).unwrap();
        assert_eq!(current.head.checkpoint.size(), size);
        let text = current.protections(now()).lines().join("\n");
        assert!(text.contains("no split-view protection") && text.contains("newest cosignature"), "{text}");
        let store = scene.connection.trust_store();
        let log = store.state("registry.example").log().unwrap().unwrap();
        assert_eq!(log.tree(), current.head.tree());
    }
}

#[test]
fn what_was_seen_before_is_not_taken_back() {
    let scene = Scene::new();
    let leaves = numbers(300);
    scene.show(&honest(&leaves), &leaves);
    scene.ask(false).unwrap();
    let failure = scene.refuses(&honest(&numbers(299)), &numbers(299), "log_rollback", 3);
    assert!(failure.message().contains("299") && failure.message().contains("300"), "{failure:?}");
    let mut forked = leaves.clone();
    forked[7] = 9999;
    let failure = scene.refuses(&honest(&forked), &forked, "log_fork", 3);
    assert!(failure.next().contains("fork-300-300"), "{failure:?}");
    forked.extend(300..400);
    scene.refuses(&honest(&forked), &forked, "log_fork", 3);
    // A size without a tree behind it.
    let mut endless = honest(&numbers(400));
    endless.tree.size = 1 << 50;
    endless.status_tree = endless.tree;
    scene.refuses(&endless, &numbers(400), "tile_invalid", 3);
    let mut wrong = honest(&numbers(400));
    wrong.tree.root = retoque_core::digest::Digest::of(b"no such tree");
    wrong.status_tree = wrong.tree;
    scene.refuses(&wrong, &numbers(400), "tile_invalid", 3);
    let old = Said { issued: now().plus_seconds(-60), ..honest(&leaves) };
    scene.refuses(&old, &leaves, "status_rollback", 3);
}

#[test]
fn every_part_must_be_of_one_moment_and_of_the_right_signer() {
    let scene = Scene::new();
    let leaves = numbers(300);
    let good = honest(&leaves);
    let check = |said: Said, code: &str, status: u8| scene.refuses(&said, &leaves, code, status);
    check(Said { status_tree: tiles_of(&numbers(299)).0, ..good.clone() }, "status_mismatch", 3);
    check(Said { origin: "other.example".into(), ..good.clone() }, "log_origin_mismatch", 3);
    check(Said { registry: "https://other.example".into(), ..good.clone() }, "registry_mismatch", 3);
    check(Said { log_key: 9, ..good.clone() }, "checkpoint_unsigned", 3);
    check(Said { log_key: 4, ..good.clone() }, "wrong_role", 3);
    check(Said { status_key: 3, ..good.clone() }, "wrong_role", 3);
    check(Said { status_key: 9, ..good.clone() }, "signer_unknown", 3);
    scene.show(&good, &leaves);
    scene.ask(false).unwrap();
}

#[test]
fn what_is_old_or_from_the_future_is_refused_by_its_times() {
    let scene = Scene::new();
    let leaves = numbers(300);
    let good = honest(&leaves);
    let later = |hours: i64| now().plus_seconds(hours * 3600);
    for (said, code) in [
        (Said { cosigned: None, ..good.clone() }, "checkpoint_stale"),
        (Said { cosigned: Some(later(-25)), ..good.clone() }, "checkpoint_stale"),
        (Said { issued: later(-2), lifetime: 3600, ..good.clone() }, "status_expired"),
        (Said { issued: later(1), ..good.clone() }, "clock_behind"),
        (Said { cosigned: Some(later(1)), ..good.clone() }, "clock_behind"),
    ] {
        let failure = scene.refuses(&said, &leaves, code, 8);
        assert!(
            failure.message().matches("2026-12-01T1").count() + failure.message().matches("2026-11-30T").count() >= 1
        );
    }
    // The same head, a day and an hour later: frozen.
    scene.show(&good, &leaves);
    scene.ask(false).unwrap();
    let frozen = scene.ask_at(later(25), false).unwrap_err();
    assert_eq!(frozen.exit_status(), 8, "{frozen:?}");
    assert_eq!(frozen.list().len(), 2, "cosignature and status: {frozen:?}");
    let let_through = scene.ask_at(later(25), true).unwrap();
    assert_eq!(let_through.stale.len(), 2);
    assert!(let_through.protections(later(25)).lines().iter().any(|line| line.starts_with("STALE")));
    // An expired root is old in the same way.
    let expired: Time = "2030-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(scene.ask_at(expired, false).unwrap_err().code(), "root_expired");
}

#[test]
fn a_mirror_that_is_behind_or_lies_is_passed_over() {
    let scene = Scene::new();
    let leaves = numbers(300);
    scene.show(&honest(&leaves), &leaves);
    scene.ask(false).unwrap();
    let old = honest(&numbers(200)).body();
    let mirror = Scripted::start(move |_, head| {
        if head.contains("/api/v1/head") {
            return Reply::ok(old.clone());
        }
        Reply::Whole("404 Not Found", String::new(), Vec::new())
    });
    let sources = Sources::with_mirrors(scene.connection.client.clone(), std::slice::from_ref(&mirror.url)).unwrap();
    let current = block_on(Asking::new(&scene.connection, &sources, now(), false).ask()).unwrap();
    assert_eq!(current.head.checkpoint.size(), 300);
    let faults = sources.faults();
    assert!(faults.len() == 1 && faults[0].lied && faults[0].code == "log_rollback", "{faults:?}");
}

#[test]
fn two_commands_at_once_remember_the_newest() {
    let scene = Scene::new();
    let leaves = numbers(300);
    scene.show(&honest(&leaves), &leaves);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| scene.ask(false).unwrap().head.checkpoint.size())).collect();
        assert!(all.into_iter().all(|thread| thread.join().unwrap() == 300));
    });
}
