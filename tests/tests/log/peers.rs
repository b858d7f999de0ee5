//! Readers of logs that are not ours: Go's `sumdb/note` and `sumdb/tlog`, and from PyPI `aics-tlog` and `aics-witness`.
//!
//! They follow a served log over HTTP, accept what it really was at every size that somebody saw, and refuse a history
//! that only the log's key vouches for. `./test.sh tools peers` installs them; a missing one fails the test.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retoque_core::digest::Digest;
use retoque_core::log::generate::Plan;
use retoque_core::log::tile::Node;
use retoque_core::log::{Checkpoint, Head, SignedCheckpoint, Tile, VerifierKey, freshness};
use retoque_core::sign::{KeySet, SecretKey, Signer as _, Time};
use retoque_tests::peers::{go_tlog, script};
use retoque_tests::registry::Registry;
use serde_json::json;

use super::naive;

/// Beyond a full tile.
const LEAVES: u64 = 300;
/// A reader looks after each so many appends.
const LOOK: u64 = 23;

/// A whole tree of another history, larger than the log, with its own good proof from a tree of the log's size.
fn larger_fork(log: &Followed) -> serde_json::Value {
    let hashes = naive::hashes(LEAVES + 10);
    let size = hashes.len() as u64;
    let mut tiles: BTreeMap<Tile, Vec<u8>> = Tile::all(size)
        .map(|tile| {
            let hash = |node: Node| {
                let first = usize::try_from(node.index << node.height).unwrap();
                *naive::root(&hashes[first..first + (1 << node.height)]).as_bytes()
            };
            (tile, tile.nodes().flat_map(hash).collect())
        })
        .collect();
    let proof = Plan::consistency(LEAVES, size).unwrap().resolve(&mut tiles).unwrap();
    let proof: Vec<_> = proof.iter().map(|hash| STANDARD.encode(hash.as_bytes())).collect();
    let head = Head { size, root: naive::root(&hashes) };
    let note = Checkpoint::new(&log.origin, head).unwrap().sign(&log.key).unwrap().to_string();
    json!({ "note": note, "old": LEAVES, "proof": proof })
}

/// A registry with a log of some length, and what was seen of it meanwhile.
struct Followed {
    registry: Registry,
    folder: tempfile::TempDir,
    origin: String,
    key: SecretKey,
    /// Notes as they were served, oldest first.
    seen: Vec<String>,
}

impl Followed {
    async fn start() -> Self {
        let registry = Registry::start().await;
        let ada = registry.person("ada", &[]).await;
        registry.org("acme", &[(&ada, "member")]).await;
        let pem = fs::read_to_string(registry.dir.join("keys/platform-log.pem")).unwrap();
        let origin = registry.url.strip_prefix("http://").unwrap().to_owned();
        let folder = tempfile::tempdir().unwrap();
        let mut followed = Self { registry, folder, origin, key: SecretKey::from_pem(&pem).unwrap(), seen: Vec::new() };
        let first = followed.size().await;
        for n in first..LEAVES {
            // Every change of the role signs ada's key anew.
            let (role, path) = (["publisher", "admin"][usize::from(n % 2 == 0)], "/api/v1/orgs/acme/members/ada");
            let body = json!({ "role": role });
            let registry = &followed.registry;
            registry.send(reqwest::Method::PUT, path, &registry.operator.token, &body).await.expect(200);
            if n % LOOK == 0 || n == LEAVES - 2 {
                let note = followed.note().await;
                followed.seen.push(note);
            }
        }
        assert_eq!(followed.size().await, LEAVES);
        followed
    }

    async fn note(&self) -> String {
        let answer = self.registry.get("/log/checkpoint", "").await.expect(200);
        String::from_utf8(answer.body).unwrap()
    }

    async fn size(&self) -> u64 {
        SignedCheckpoint::parse(self.note().await.as_bytes()).unwrap().claimed().size()
    }

    fn vkey(&self) -> VerifierKey {
        VerifierKey::log(&self.origin, self.key.public().clone()).unwrap()
    }

    /// A checkpoint of another history, signed by the log's real key.
    fn fork(&self, size: u64) -> String {
        let head = Head { size, root: Digest::of(b"another history") };
        Checkpoint::new(&self.origin, head).unwrap().sign(&self.key).unwrap().to_string()
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn go_follows_the_log_and_refuses_a_fork() {
    let log = Followed::start().await;
    let key = log.file("key", &log.vkey().to_string());
    let notes: Vec<_> = log.seen.iter().enumerate().map(|(n, note)| log.file(&format!("note-{n}"), note)).collect();
    let follow = async |url: String, key: PathBuf, notes: Vec<PathBuf>| {
        tokio::task::spawn_blocking(move || go_tlog(&url, &key, &notes)).await.unwrap()
    };
    let url = log.registry.url.clone();
    let (accepts, said) = follow(url.clone(), key.clone(), notes.clone()).await;
    assert!(accepts, "{said}");
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let expected = json!({ "size": LEAVES, "included": LEAVES, "continued": notes.len(), "other_lines": 1 });
    assert_eq!(said, expected);
    println!("log: Go's sumdb/tlog proved {LEAVES} records and {} earlier trees over served tiles", notes.len());

    let other = VerifierKey::log(&log.origin, SecretKey::from_seed(&[7; 32]).unwrap().public().clone()).unwrap();
    let seen = SignedCheckpoint::parse(log.seen[3].as_bytes()).unwrap().claimed().size();
    let changed = log.seen[3].replace(&format!("\n{seen}\n"), &format!("\n{}\n", seen + 1));
    let cases = [
        ("a fork", key.clone(), log.file("fork", &log.fork(100)), "tree of 100"),
        ("more than there is", key.clone(), log.file("more", &log.fork(LEAVES + 1)), "proving 301"),
        ("a changed note", key, log.file("changed", &changed), "remembered note"),
        ("another key", log.file("other", &other.to_string()), notes[0].clone(), "note has no verifiable signatures"),
    ];
    for (what, key, note, reason) in cases {
        let (accepts, said) = follow(url.clone(), key, vec![note]).await;
        assert!(!accepts && said.contains(reason), "{what}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_witness_cosigns_the_log_and_refuses_a_fork() {
    let log = Followed::start().await;
    let fork = |size, old, proof| json!({ "note": log.fork(size), "old": old, "proof": proof });
    let none: [String; 0] = [];
    let forks = [fork(LEAVES, LEAVES, none.to_vec()), larger_fork(&log), fork(100, 100, none.to_vec())];
    let job = json!({ "url": log.registry.url, "key": log.vkey().to_string(), "seen": log.seen, "forks": forks });
    log.file("job.json", &job.to_string());
    let folder = log.folder.path().to_owned();
    let (accepts, said) = tokio::task::spawn_blocking(move || script("tlog_witness.py", &[&folder])).await.unwrap();
    assert!(accepts, "{said}");
    assert_eq!((&said["size"], &said["tiles"], &said["bundles"]), (&json!(LEAVES), &json!(3), &json!(2)));
    assert_eq!(said["submitted"].as_array().unwrap().len(), log.seen.len() + 1);
    // Another root for the same size, a larger tree of another history, and one that is too old.
    assert_eq!(said["refused"], json!(["WitnessRejected 422", "WitnessRejected 422", "WitnessAhead"]), "{said}");

    // Its line is one of ours.
    let witness: VerifierKey = said["witness"].as_str().unwrap().parse().unwrap();
    let keys = KeySet::new("platform-log".to_owned(), [log.key.public().clone()], 1);
    let note = SignedCheckpoint::parse(said["cosigned"].as_str().unwrap().as_bytes()).unwrap();
    let checkpoint = note.verify(&log.origin, &keys).unwrap();
    let time = checkpoint.cosigned_by(&witness).unwrap();
    let now = Time::from_micros(jiff::Timestamp::now().as_microsecond()).unwrap();
    freshness::check(time, now, freshness::MAX_AGE_SECONDS).unwrap();
    println!("log: aics-witness cosigned {} checkpoints of our log and refused 3 forks", log.seen.len() + 1);
}
