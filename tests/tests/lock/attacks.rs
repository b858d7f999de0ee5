//! Locks that were edited, folders that were swapped.

use std::fs;

use retoque_tests::town::PATCH;

use crate::world::{Project, publish, refused, town};

#[test]
fn an_edited_lock_brings_nothing_here() {
    let town = town();
    publish(&town, "1.1.0");
    let project = Project::new(&town, "project", &format!("\"{PATCH}\" = \"1.0.0\""));
    project.run(&["lock"]).expect(0);
    let good = project.lock();
    let other = Project::new(&town, "other", &format!("\"{PATCH}\" = \"1.1.0\""));
    other.run(&["lock"]).expect(0);
    let (mine, theirs) = (project.member("manifest"), other.member("manifest"));
    let zero = format!("sha256:{}", "0".repeat(64));
    let root = project.lock().split("root = \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let (base, elsewhere) = (project.member("base"), format!("acme-models/tiny-desk@{}", "f".repeat(40)));
    let cases = [
        // Bytes of another version, also one that the registry really published.
        (mine.as_str(), theirs.as_str(), 3, "name_mismatch"),
        (&mine, &zero, 6, "not_found"),
        ("evidence = \"IMPROVED_ON_SCOPE\"", "evidence = \"EXPERIMENTAL\"", 3, "lock_facts"),
        (&base, &elsewhere, 3, "lock_facts"),
        // A log that this registry never had: shorter now, or of another history.
        (&root, &zero, 3, "lock_position"),
        ("size = ", "size = 9", 3, "lock_position"),
        ("registry = \"http", "registry = \"https", 3, "lock_registry"),
        ("version = \"1.0.0\"", "version = \"1.1.0\"", 1, "lock_outdated"),
        ("state = \"published\"", "state = \"withdrawn\"", 1, "lock_invalid"),
        ("format = \"retoque-lock/1\"", "format = \"retoque-lock/2\"", 1, "lock_invalid"),
        ("[[patch]]", "extra = 1\n[[patch]]", 1, "lock_invalid"),
        ("name = \"acme/ticket-router\"", "name = \"acme/other-router\"", 1, "lock_outdated"),
    ];
    for (from, to, status, code) in cases {
        project.edit(from, to);
        let run = project.run(&["--json", "sync", "--locked"]);
        assert_eq!(refused(&run, status), code, "{from} -> {to}: {}", run.stdout);
        assert_eq!(project.names(), ["patches.lock", "patches.toml"], "{from} -> {to}: something was installed");
        fs::write(project.folder.join("patches.lock"), &good).unwrap();
    }
    project.run(&["sync", "--locked"]).expect(0);

    // A lock of a conflict that was never resolved.
    fs::write(project.folder.join("patches.lock"), format!("<<<<<<< ours\n{good}>>>>>>> theirs\n")).unwrap();
    assert_eq!(refused(&project.run(&["--json", "audit"]), 1), "lock_invalid");
}

#[test]
fn a_digest_in_the_entry_binds() {
    let town = town();
    publish(&town, "1.1.0");
    let project = Project::new(&town, "project", &format!("\"{PATCH}\" = \"1.0.0\""));
    project.run(&["lock"]).expect(0);
    let digest = project.member("manifest");
    project.wants(&format!("\"{PATCH}\" = {{ version = \"1.1.0\", digest = \"{digest}\" }}"));
    let run = project.run(&["--json", "lock"]);
    assert_eq!(refused(&run, 3), "lock_digest", "the digest of another version");
    assert!(run.says(&digest), "both digests are named: {}", run.stdout);
    project.wants(&format!("\"{PATCH}\" = {{ version = \"^2\", digest = \"{digest}\" }}"));
    assert_eq!(refused(&project.run(&["--json", "lock"]), 1), "wants_invalid");
    project.wants(&format!("\"{PATCH}\" = {{ digest = \"{digest}\" }}"));
    project.run(&["lock"]).expect(0);
    assert_eq!(project.member("version"), "1.0.0");
}

#[test]
fn a_swapped_folder_is_found() {
    let town = town();
    publish(&town, "1.1.0");
    let project = Project::new(&town, "project", &format!("\"{PATCH}\" = \"1.0.0\""));
    project.run(&["sync"]).expect(0);
    let (one, two) = (project.folder.join("ticket-router-1.0.0"), town.path("ticket-router-1.1.0"));
    town.ok("consumer", &["pull", &format!("{PATCH}@1.1.0"), "--dir", two.to_str().unwrap()]);
    fs::remove_dir_all(&one).unwrap();
    fs::rename(&two, &one).unwrap();
    assert_eq!(refused(&project.run(&["--json", "audit"]), 3), "name_mismatch");
    let run = project.run(&["--json", "sync", "--locked"]).expect(0).json();
    assert_eq!(run["patches"][0]["done"], "replaced", "what is locked comes back");
    project.run(&["audit"]).expect(0);
    // A link in its place is left alone.
    let elsewhere = town.path("elsewhere");
    fs::rename(&one, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &one).unwrap();
    assert_eq!(refused(&project.run(&["--json", "sync", "--locked"]), 1), "folder_occupied");
    assert!(fs::symlink_metadata(&one).unwrap().is_symlink());
}
