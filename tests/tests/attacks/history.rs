//! A log that takes back what it showed: rewound, or rewritten.

use std::fs;

use retoque_tests::proxy::Lie;

use super::scene::Scene;

/// The whole database with its keys valid, put back to an earlier day: nothing in it is forged.
#[test]
fn a_rewound_database_is_a_rollback() {
    let scene = Scene::new();
    let files = ["registry.db", "registry.db-wal", "registry.db-shm"].map(|name| {
        let copy = scene.town.path(&format!("earlier-{name}"));
        (scene.town.dir().join(name), copy)
    });
    scene.town.kill();
    for (file, copy) in files.iter().filter(|(file, _)| file.exists()) {
        fs::copy(file, copy).unwrap();
    }
    scene.town.start();
    scene.publish("2.0.0");
    scene.pulled("2.0.0");
    scene.town.kill();
    for (file, copy) in &files {
        let _ = fs::remove_file(file);
        if copy.exists() {
            fs::copy(copy, file).unwrap();
        }
    }
    scene.town.start();
    scene.accomplices_forget();
    let run = scene.refused_pull("1.0.0", "log_rollback", 3);
    assert!(run.says("were seen before"), "{run:?}");
    scene.refused(&["log", "watch", "--once"], "log_rollback", 3);
    // It grows again, differently: as long as before, but another history.
    scene.publish("3.0.0");
    scene.refused_pull("3.0.0", "log_fork", 3);
    let proofs = scene.proofs();
    assert!(proofs.iter().any(|text| text.matches(&scene.origin()).count() >= 2), "both notes: {proofs:?}");
    // What is here still verifies offline, with what is remembered.
    scene.run(&["verify", scene.town.path("pulled-0").to_str().unwrap()]).expect(0);
}

/// Checkpoint and status are each genuine, but not of one moment.
#[test]
fn parts_of_two_moments_are_not_mixed() {
    let scene = Scene::new();
    let old = scene.head_json();
    scene.publish("2.0.0");
    let mut mixed = scene.head_json();
    mixed["status"] = old["status"].clone();
    scene.answer("/api/v1/head", mixed.to_string().into_bytes());
    scene.refused_pull("2.0.0", "status_mismatch", 3);
    let mut other = old;
    other["status"] = scene.head_json()["status"].clone();
    scene.answer("/api/v1/head", other.to_string().into_bytes());
    scene.refused_pull("2.0.0", "status_mismatch", 3);
    // A listing of an earlier moment hides a version.
    scene.be_honest();
    let listing = scene.get("/api/v1/patches/acme/ticket-router/listing");
    scene.publish("3.0.0");
    scene.lie(move |path, _| if path.ends_with("/listing") { Lie::Body(listing.clone()) } else { Lie::Pass });
    let target = scene.target().display().to_string();
    let run = scene.run(&["--json", "pull", "acme/ticket-router", "--dir", &target]);
    assert_eq!((run.status, run.json()["code"].as_str()), (3, Some("status_mismatch")), "{run:?}");
    scene.be_honest();
    let run = scene.run(&["--json", "pull", "acme/ticket-router", "--dir", &target]).expect(0);
    assert_eq!(run.json()["version"], "3.0.0");
}
