//! Withdrawn and taken down: which bytes are no longer served, which documents stay, and what is erased.

use std::fs;

use reqwest::Method;
use retoque_core::digest::Digest;
use retoque_tests::database::Engine;
use retoque_tests::packages::as_version;
use retoque_tests::registry::sample;
use retoque_tests::town::{PATCH, Town};

retoque_tests::on_both!(bytes_stop_and_the_record_stays);

/// Where bytes of the package are served.
const BYTES: [&str; 6] = [
    "package",
    "files/adapter_model.safetensors",
    "files/adapter_config.json",
    "files/README.md",
    "files/evaluation.json",
    "files/manifest.json",
];
/// What stays readable when a version is withdrawn.
const STAYS: [&str; 9] = [
    "",
    "/manifest",
    "/attestation",
    "/evidence",
    "/decisions",
    "/licence",
    "/release",
    "/licence-text",
    "/validation-cases",
];

fn bytes_stop_and_the_record_stays(engine: Engine) {
    let town = Town::found(engine);
    let first = town.pack(PATCH, "1.0.0", &[]);
    let second = town.path("second.tar.zst");
    fs::write(&second, as_version(&fs::read(&first).unwrap(), "1.0.1")).unwrap();
    let [old, new] = ["1.0.0", "1.0.1"].map(|version| format!("{PATCH}@{version}"));
    town.publish(&first, &old);
    town.publish(&second, &new);
    served(&town, &old);
    town.ok("consumer", &["pull", &old, "--dir", "before"]);

    town.operate("withdraw", &old, "wrong-evidence").expect(0);
    gone(&town, &old, "version_withdrawn");
    for route in STAYS {
        let path = format!("{}{route}", Town::at(&old));
        assert_eq!(town.get(&path, "").status, 200, "{route}");
        assert_eq!(town.send(town.request(Method::HEAD, &path, "")).status, 200, "HEAD {route}");
    }
    let licence = town.get(&format!("{}/licence", Town::at(&old)), "").expect(200).json();
    assert_eq!(licence["state"], "ended", "{licence}");
    assert_eq!(licence["records"].as_array().map(Vec::len), Some(2), "{licence}");
    // Offline it counts as of the status that is remembered; who has heard of the withdrawal is told.
    let before = town.path("before");
    let verify = ["verify", before.to_str().unwrap(), "--offline"];
    town.ok("consumer", &verify);
    let refused = town.run("consumer", &["pull", &old, "--dir", "after"]).expect(4);
    assert!(refused.says("wrong-evidence") && !town.path("after").exists(), "{refused:?}");
    assert!(town.run("consumer", &verify).expect(4).says("wrong-evidence"));
    // The same name never comes back, with the same bytes or others.
    assert_eq!(town.push(&first).status, 0, "the same bytes are there already");
    assert_eq!(town.get(&Town::at(&old), "").json()["state"], "withdrawn");
    assert_eq!(town.operate("restore", &old, "issue-resolved").status, 4);

    // Taken down: erased, but for what the other version still needs.
    let package = fs::read(&first).unwrap();
    let name = Digest::of(&package).hex();
    assert!(town.stored().keys().any(|path| path.ends_with(&name)));
    town.operate("takedown", &old, "legal-order").expect(0);
    gone(&town, &old, "version_taken_down");
    assert!(!town.stored().keys().any(|path| path.ends_with(&name)), "the package is still stored");
    assert!(town.stored().values().all(|bytes| *bytes != package), "its bytes are still stored");
    for route in ["", "/manifest", "/attestation", "/decisions", "/licence", "/licence-text"] {
        assert_eq!(town.get(&format!("{}{route}", Town::at(&old)), "").status, 200, "{route}");
    }
    let tombstone = town.get(&Town::at(&old), "").json();
    assert_eq!(tombstone["state"], "taken-down");
    assert_eq!(tombstone["notice"]["code"], "legal-order");
    assert_eq!(tombstone["evidence"], "IMPROVED_ON_SCOPE", "the summary stays");
    assert!(tombstone["package_sha256"].as_str().is_some_and(|digest| digest.ends_with(&name)), "{tombstone}");
    assert_eq!(town.run("consumer", &["pull", &old, "--dir", "after"]).status, 4);
    assert_eq!(town.operate("withdraw", &old, "security").status, 4, "nothing leads out of it");

    // The other version shares the record and is untouched, also after a start.
    town.kill();
    town.start();
    served(&town, &new);
    gone(&town, &old, "version_taken_down");
    town.ok("rita", &["review", "show", &new]);
    town.ok("consumer", &["pull", PATCH, "--dir", "newest"]);
    assert_eq!(town.get(&format!("{}/validation-cases", Town::at(&new)), "").status, 200);
    // A third version with the same cases can still be brought all the way.
    let third = town.path("third.tar.zst");
    fs::write(&third, as_version(&package, "1.0.2")).unwrap();
    town.push(&third).expect(0);
    let last = format!("{PATCH}@1.0.2");
    town.operate("takedown", &new, "rights-holder").expect(0);
    town.submit(&last).expect(0);
    town.ok("rita", &["review", "approve", &last, "--all"]);
    town.ok("paul", &["publish", &last, "--yes"]);
    town.ok("consumer", &["pull", PATCH, "--dir", "last"]);
    // When the last one goes, the operator's own suite is all that is left.
    town.operate("takedown", &last, "personal-data").expect(0);
    let suite = fs::read(sample().join("regression.jsonl")).unwrap();
    let left: Vec<_> = town.stored().into_values().collect();
    assert!(left == [suite], "{:?}", town.stored().keys());
}

fn served(town: &Town, version: &str) {
    for route in BYTES {
        let path = format!("{}/{route}", Town::at(version));
        let whole = town.get(&path, "").expect(200);
        let head = town.send(town.request(Method::HEAD, &path, "")).expect(200);
        assert_eq!(head.header("content-length"), whole.body.len().to_string(), "{route}");
        let part = town.send(town.request(Method::GET, &path, "").header("range", "bytes=10-19")).expect(206);
        assert_eq!(part.body, whole.body[10..20], "{route}");
    }
}

fn gone(town: &Town, version: &str, code: &str) {
    for route in BYTES {
        let path = format!("{}/{route}", Town::at(version));
        for who in ["", "ada"] {
            assert_eq!(town.get(&path, who).refused(410), code, "{route} for {who}");
            let part = town.request(Method::GET, &path, who).header("range", "bytes=10-19");
            assert_eq!(town.send(part).refused(410), code, "a range of {route} for {who}");
            assert_eq!(town.send(town.request(Method::HEAD, &path, who)).status, 410, "HEAD {route} for {who}");
        }
    }
}
