//! Verifiers that are not ours judge what we sign: `openssl`, and from PyPI `securesystemslib`,
//! `in-toto-attestation`, `rfc8785` and `tuf`.
//!
//! `./test.sh peers` installs the Python ones. A missing peer fails the test; nothing is skipped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use retoque_core::decision::{Decision, Declarations, Offer, Record, RecordKind, VersionRecord};
use retoque_core::digest::Digest;
use retoque_core::licence::{Licence, LicenceState};
use retoque_core::lifecycle::{Action, State};
use retoque_core::manifest::Manifest;
use retoque_core::permission::OrgRole;
use retoque_core::sign::dsse::pre_authentication_encoding;
use retoque_core::sign::provenance::Build;
use retoque_core::sign::registration::{KeyRegistration, Purpose};
use retoque_core::sign::root::{Root, RootBuilder};
use retoque_core::sign::statement::Statement;
use retoque_core::sign::{Envelope, Role, SecretKey, Signer, Time};
use retoque_tests::peers::{openssl, openssl_verifies, script as peer};
use serde_json::json;

const REGISTRY: &str = "https://registry.example";

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn manifest() -> Manifest {
    let d = |text: &str| digest(text).to_string();
    let count = json!({"cases": 40, "base": 20, "control": 20, "patched": 30, "disabled": 20});
    let part = json!({"rows": 20, "families": 2});
    serde_json::from_value(json!({
        "format": "retoque-manifest/1", "patch": "acme/tiny-desk", "version": "1.2.0",
        "base": {"repo": "acme/tiny-base", "commit": "7".repeat(40), "licence": "apache-2.0", "tokenizer": d("t"),
            "files": [{"path": "config.json", "size": 2, "sha256": d("c"), "git_sha1": "0".repeat(40)},
                      {"path": "model.safetensors", "size": 9, "sha256": d("b"), "git_sha1": "1".repeat(40)}]},
        "adapter": {"method": "lora", "rank": 16, "alpha": "32", "dropout": "0.05",
            "scale": {"rule": "alpha/r", "value": "2"}, "modules": ["q_proj"], "layers": [0],
            "coverage": {"q_proj": [0]}, "dtype": "F32", "tensors": 2, "parameters": 64,
            "sha256": d("w"), "semantic": d("s")},
        "files": [],
        "dataset": {"sha256": d("data"), "rows": 60, "families": 6, "source": "own-written", "licence": "CC-BY-4.0",
            "split": {"seed": "7", "held_out": part, "validation": part, "train": part}},
        "training": {"record": d("training"), "seed": "7", "settings": {"learning_rate": "0.0002", "note": "é, “quoted”"}},
        "evidence": {"state": "IMPROVED_ON_SCOPE", "held_out": count, "validation": count, "regression": count,
            "introduced": 0, "repaired": 0, "disabled_equals_base": true, "allowance_points": 5,
            "grader": "retoque-grader/1", "record": d("record"), "validation_cases": d("cases"),
            "regression_suite": d("suite")},
    }))
    .unwrap()
}

fn build(signers: &[&dyn Signer]) -> Envelope {
    let manifest = manifest();
    let build = Build {
        registry: REGISTRY,
        manifest: &manifest,
        manifest_digest: digest("manifest"),
        package: digest("package"),
        pusher: &"worker".parse().unwrap(),
        time: time("2026-12-01T10:00:00.123456Z"),
    };
    build.statement().sign(signers).unwrap()
}

fn submission(signer: &dyn Signer) -> Envelope {
    let about = ("acme/tiny-desk".parse().unwrap(), "1.2.0".parse().unwrap());
    let now = time("2026-12-01T10:00:00Z");
    let mut decision = Decision::new(REGISTRY, Action::Submit, "ana".parse().unwrap(), about, digest("before"), now);
    decision.declarations = Some(Declarations {
        dataset_rights: true,
        base_licence_compliance: true,
        publish_validation_cases: false,
        third_party_attribution: "Anna Müller — CC-BY-4.0\nand “others” \u{1F600}".into(),
        offer: Offer::Free { licence: "Apache-2.0".into() },
    });
    decision.sign(digest("manifest"), signer).unwrap()
}

fn licence(signer: &dyn Signer) -> Envelope {
    let licence = Licence {
        registry: REGISTRY.into(),
        patch: "acme/tiny-desk".parse().unwrap(),
        version: "1.2.0".parse().unwrap(),
        state: LicenceState::GrantedFree,
        terms: "Apache-2.0".into(),
        text: digest("text"),
        price_usd: None,
        base_licence: "apache-2.0".into(),
        from: time("2026-12-01T10:00:00Z"),
    };
    licence.statement(digest("manifest")).sign(&[signer]).unwrap()
}

fn registration(signer: &dyn Signer) -> Envelope {
    let registration = KeyRegistration {
        registry: REGISTRY.into(),
        account: "ana".parse().unwrap(),
        key: key(21).public().clone(),
        purpose: Purpose::Member,
        memberships: BTreeMap::from([("acme".parse().unwrap(), OrgRole::Admin)]),
        time: time("2026-12-01T10:00:00Z"),
    };
    registration.statement().sign(&[signer]).unwrap()
}

/// A folder of its own for each test, with files to hand over.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn public(&self, n: u8) -> PathBuf {
        self.put(&format!("{n}.pub.pem"), key(n).public().to_pem().unwrap())
    }
}

fn p(text: &str) -> &Path {
    Path::new(text)
}

#[test]
fn openssl_verifies_the_raw_encoding_and_shares_key_files() {
    let desk = Desk::new();
    let envelope = build(&[&key(10)]);
    let message = pre_authentication_encoding(envelope.payload_type(), envelope.payload_unverified());
    let signature = desk.put("sig", &envelope.signatures()[0].1);
    let public = desk.public(10);
    let verify = |message: &Path, public: &Path| openssl_verifies(message, &signature, public);
    assert!(verify(&desk.put("pae", &message), &public));
    assert!(!verify(&desk.put("pae", &message), &desk.public(11)), "another key");
    let mut changed = message;
    changed[40] ^= 1;
    assert!(!verify(&desk.put("changed", &changed), &public), "another message");

    let private = desk.put("private.pem", key(10).to_pem().unwrap().as_bytes());
    let derived = openssl(&[p("pkey"), p("-in"), &private, p("-pubout")]);
    assert_eq!(String::from_utf8(derived.stdout).unwrap(), key(10).public().to_pem().unwrap());
    let made = openssl(&[p("genpkey"), p("-algorithm"), p("ed25519")]);
    let ours = SecretKey::from_pem(&String::from_utf8(made.stdout.clone()).unwrap()).unwrap();
    assert_eq!(ours.to_pem().unwrap().as_bytes(), made.stdout, "the same file byte for byte");
}

#[test]
fn securesystemslib_and_in_toto_accept_every_statement() {
    let desk = Desk::new();
    let statements = [
        ("build", build(&[&key(10)]), 10, "https://slsa.dev/provenance/v1"),
        ("decision", submission(&key(21)), 21, "https://retoque.dev/predicate/decision/v1"),
        ("licence", licence(&key(12)), 12, "https://retoque.dev/predicate/licence/v1"),
        ("registration", registration(&key(11)), 11, "https://retoque.dev/predicate/key-registration/v1"),
    ];
    for (name, envelope, signer, predicate) in statements {
        let file = desk.put(name, envelope.to_bytes());
        let (accepted, said) = peer("dsse_verify.py", &[&file, &desk.public(signer)]);
        assert!(accepted, "{name}: {said}");
        assert_eq!(said["keyids"], json!([key(signer).public().id().to_string()]), "one key id in both worlds");
        assert_eq!((&said["canonical"], &said["predicateType"]), (&json!(true), &json!(predicate)), "{name}");
        assert!(!peer("dsse_verify.py", &[&file, &desk.public(99)]).0, "{name} under another key");
        let (canonical, said) = peer("canonical.py", &[&file]);
        assert!(canonical, "{name}: {said}");
    }
    let file = desk.put("build", build(&[&key(10)]).to_bytes());
    let subjects = &peer("dsse_verify.py", &[&file, &desk.public(10)]).1["subjects"];
    let expected = json!({
        "adapter_model.safetensors": {"sha256": digest("w").hex()},
        "manifest.json": {"sha256": digest("manifest").hex()},
        "package.tar.zst": {"sha256": digest("package").hex()},
    });
    assert_eq!(*subjects, expected);
}

#[test]
fn thresholds_and_changed_payloads_are_judged_alike() {
    let desk = Desk::new();
    let (one, two) = (desk.public(1), desk.public(2));
    let threshold = |envelope: &Envelope| {
        let file = desk.put("envelope", envelope.to_bytes());
        peer("dsse_verify.py", &[p("--threshold"), p("2"), &file, &one, &two]).0
    };
    assert!(threshold(&build(&[&key(1), &key(2)])));
    assert!(!threshold(&build(&[&key(1)])));
    assert!(!threshold(&build(&[&key(1), &key(1)])), "one key twice");
    let good = String::from_utf8(build(&[&key(1), &key(2)]).to_bytes()).unwrap();
    let changed = good.replacen("\"payload\":\"eyJ", "\"payload\":\"eyK", 1);
    assert_ne!(good, changed);
    let file = desk.put("changed", changed);
    assert!(!peer("dsse_verify.py", &[&file, &one]).0);
}

/// Root keys 1–3 (two of three), build 10, log 11, status 12, reviewer 13.
fn first_root() -> Envelope {
    let public = |n: u8| key(n).public().clone();
    RootBuilder::first(time("2036-11-30T00:00:00Z"))
        .role(Role::Root, [1, 2, 3].map(public), 2)
        .role(Role::PlatformBuild, [public(10)], 1)
        .role(Role::PlatformLog, [public(11)], 1)
        .role(Role::PlatformStatus, [public(12)], 1)
        .role(Role::Review, [public(13)], 1)
        .sign(&[&key(1), &key(3)])
        .unwrap()
}

fn rotated(from: &Root, roots: [u8; 3], signers: &[u8]) -> Envelope {
    let keys: Vec<SecretKey> = signers.iter().map(|n| key(*n)).collect();
    let signers: Vec<&dyn Signer> = keys.iter().map(|k| k as &dyn Signer).collect();
    RootBuilder::after(from, time("2037-11-30T00:00:00Z"))
        .role(Role::Root, roots.map(|n| key(n).public().clone()), 2)
        .sign(&signers)
        .unwrap()
}

#[test]
fn python_tuf_follows_our_roots_and_refuses_what_we_refuse() {
    let desk = Desk::new();
    let first = Root::trust(&first_root().to_bytes(), None).unwrap();
    let one = desk.put("1.root.json", first.to_bytes());
    let (accepted, said) = peer("root_chain.py", &[&one]);
    assert!(accepted, "{said}");
    assert_eq!(said["roles"]["targets"], json!([key(10).public().id().to_string()]));
    assert_eq!(said["x-roles"]["review"], json!([key(13).public().id().to_string()]));

    let second = first.update(&rotated(&first, [2, 4, 5], &[1, 2, 4])).unwrap();
    let third = second.update(&rotated(&second, [4, 5, 6], &[4, 5])).unwrap();
    let (two, three) = (desk.put("2.root.json", second.to_bytes()), desk.put("3.root.json", third.to_bytes()));
    let (accepted, said) = peer("root_chain.py", &[&one, &two, &three]);
    assert!(accepted, "{said}");
    assert_eq!(said["version"], 3);

    let unsigned = Envelope::sign("application/vnd.tuf+json", second.envelope().payload_unverified().to_vec(), &[]);
    let attacks = [
        ("only new keys", rotated(&first, [2, 4, 5], &[4, 5])),
        ("one old key", rotated(&first, [2, 4, 5], &[1, 4, 5])),
        ("one new key", rotated(&first, [2, 4, 5], &[1, 3, 4])),
        ("a skipped version", third.envelope().clone()),
        ("the same version again", first_root()),
        ("no signature", unsigned.unwrap()),
    ];
    for (attack, envelope) in attacks {
        assert!(first.update(&envelope).is_err(), "we accept {attack}");
        let file = desk.put("next.root.json", envelope.to_bytes());
        assert!(!peer("root_chain.py", &[&one, &file]).0, "python-tuf accepts {attack}");
    }
}

#[test]
fn records_are_canonical_for_rfc8785() {
    let desk = Desk::new();
    let record = Record::Version(VersionRecord {
        format: retoque_core::decision::FORMAT.into(),
        kind: RecordKind::Attested,
        patch: "acme/tiny-desk".parse().unwrap(),
        version: "1.2.0".parse().unwrap(),
        manifest: digest("manifest"),
        actor: "worker".parse().unwrap(),
        envelope: build(&[&key(10)]).digest(),
        previous: None,
        time: time("2026-12-01T10:00:00.000001Z"),
        state: State::Candidate,
    });
    let file = desk.put("record.json", record.to_bytes().unwrap());
    let (canonical, said) = peer("canonical.py", &[&file]);
    assert!(canonical, "{said}");
    let other = desk.put("other.json", [record.to_bytes().unwrap(), b"\n".to_vec()].concat());
    assert!(!peer("canonical.py", &[&other]).0, "the peer can tell");
}

#[test]
fn our_reader_takes_only_what_it_would_write() {
    let envelope = submission(&key(21));
    let statement = Statement::<Decision>::parse_unverified(envelope.payload_unverified()).unwrap();
    assert_eq!(statement.to_payload().unwrap(), envelope.payload_unverified());
}
