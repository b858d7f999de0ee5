//! What a registry decides after a lock was made, and what time does to it.

use std::fs;

use retoque_tests::command::{now, retoque_at};
use retoque_tests::town::{PATCH, PRIVATE};

use crate::world::{Project, publish, refused, town};

#[test]
fn what_was_stopped_since_is_refused_and_never_replaced() {
    let town = town();
    publish(&town, "1.1.0");
    let project = Project::new(&town, "project", &format!("\"{PATCH}\" = \"=1.0.0\""));
    project.run(&["sync"]).expect(0);
    let audit = project.run(&["--json", "audit"]).expect(0).json();
    assert_eq!(audit["versions"][0]["licence"], "granted-free");
    assert!(audit["registries"][0]["recomputed"]["documents"].as_u64() >= Some(4), "{audit}");

    town.operate("deprecate", &format!("{PATCH}@1.0.0"), "superseded").expect(0);
    // A sync of what is here asks nobody while the remembered head is fresh; an audit always does.
    for command in [&["audit"][..], &["lock"], &["sync"]] {
        let run = project.run(command).expect(0);
        assert!(run.stderr.contains("DEPRECATED"), "{command:?}: {}", run.stderr);
    }
    let outdated = project.run(&["--json", "outdated"]).expect(0).json();
    assert_eq!(outdated["patches"][0]["state"]["state"], "deprecated");

    town.operate("withdraw", &format!("{PATCH}@1.0.0"), "security").expect(0);
    let folder = project.folder.join("ticket-router-1.0.0").display().to_string();
    assert_eq!(refused(&project.run(&["--json", "audit"]), 4), "version_withdrawn");
    assert_eq!(refused(&town.run("consumer", &["--json", "audit", &folder]), 4), "version_withdrawn");
    assert_eq!(refused(&project.run(&["--json", "sync", "--locked"]), 4), "version_withdrawn", "also when it is here");
    assert_eq!(refused(&project.run(&["--json", "lock"]), 4), "version_withdrawn");
    assert!(project.run(&["outdated"]).expect(0).stdout.contains("withdrawn"));
    assert_eq!(project.member("version"), "1.0.0", "nothing moves on its own");
    // The bytes are judged first.
    fs::write(project.folder.join("ticket-router-1.0.0/README.md"), "other").unwrap();
    let both = project.run(&["--json", "audit", "--no-recompute"]);
    assert_eq!(refused(&both, 3), "size_mismatch");
}

#[test]
fn old_news_is_no_news() {
    let town = town();
    let project = Project::new(&town, "project", &format!("\"{PATCH}\" = \"*\""));
    project.run(&["sync"]).expect(0);
    let home = town.home("consumer");
    let folder = project.folder.display().to_string();
    let later = now().plus_seconds(3 * 86_400);
    for command in [&["sync", "--locked"][..], &["audit"], &["lock"], &["outdated"]] {
        let args = [&["--json"], command, &["--project", &folder]].concat();
        let run = retoque_at(&home, later, &args);
        assert_eq!(run.status, 8, "{command:?}: {}{}", run.stdout, run.stderr);
    }
    let args = ["sync", "--locked", "--allow-stale", "--project", &folder];
    let stale = retoque_at(&home, later, &args).expect(0);
    assert!(stale.stderr.contains("warning"), "{}", stale.stderr);
}

#[test]
fn all_or_nothing_is_installed() {
    let town = town();
    let secret = town.pack(PRIVATE, "1.0.0", &[]);
    town.publish(&secret, &format!("{PRIVATE}@1.0.0"));
    let project = Project::new(&town, "project", &format!("\"{PATCH}\" = \"*\"\n\"{PRIVATE}\" = \"*\""));
    project.run_as("ada", &["lock"]).expect(0);
    // The consumer may not see the private one: the public one is not installed either.
    let run = project.run(&["--json", "sync", "--locked"]);
    assert_eq!(run.status, 6, "{}{}", run.stdout, run.stderr);
    assert_eq!(project.names(), ["patches.lock", "patches.toml"], "no folder, also no half one");
    let both = project.run_as("ada", &["--json", "sync", "--locked"]).expect(0).json();
    assert_eq!(both["patches"].as_array().unwrap().len(), 2);
    project.run_as("ada", &["audit"]).expect(0);
    // A private version is known to the status by its commitment alone.
    town.operate("withdraw", &format!("{PRIVATE}@1.0.0"), "security").expect(0);
    assert_eq!(refused(&project.run_as("ada", &["--json", "audit"]), 4), "version_withdrawn");
    assert_eq!(refused(&project.run_as("ada", &["--json", "sync", "--locked"]), 4), "version_withdrawn");
}
