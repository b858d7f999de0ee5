//! The ordinary life of a project: lock, sync, look, move.

use std::fs;

use retoque_tests::town::PATCH;

use crate::world::{Project, names, publish, refused, town};

#[test]
fn a_lock_stays_until_somebody_moves_it_and_sync_brings_exactly_that() {
    let town = town();
    let project = Project::new(&town, "project", &format!("\"{PATCH}\" = \"^1.0\""));
    assert_eq!(refused(&project.run(&["--json", "sync", "--locked"]), 1), "lock_missing");
    project.run(&["lock"]).expect(0);
    let first = project.lock();
    for line in [
        "version = \"1.0.0\"",
        "evidence = \"IMPROVED_ON_SCOPE\"",
        "licence = \"granted-free\"",
        "state = \"published\"",
    ] {
        assert!(first.contains(line), "{line} in {first}");
    }
    assert!(first.contains("base = \"acme-models/tiny-desk@0123456789abcdef0123456789abcdef01234567\""));

    publish(&town, "1.1.0");
    publish(&town, "2.0.0");
    let again = project.run(&["--json", "lock"]).expect(0).json();
    assert_eq!((project.lock(), again["written"].as_bool()), (first.clone(), Some(false)), "what still fits stays");

    let synced = project.run(&["--json", "sync", "--locked"]).expect(0).json();
    assert_eq!(synced["patches"][0]["done"], "installed");
    assert_eq!(names(&project.folder.join("ticket-router-1.0.0")).len(), 9);
    assert_eq!(project.names(), ["patches.lock", "patches.toml", "ticket-router-1.0.0"], "nothing beside it is left");

    let outdated = project.run(&["--json", "outdated"]).expect(0).json();
    let row = &outdated["patches"][0];
    assert_eq!(
        (row["admitted"]["version"].as_str(), row["beyond"]["version"].as_str()),
        (Some("1.1.0"), Some("2.0.0"))
    );
    assert_eq!(row["state"]["state"], "published");

    // With everything here and a head that is fresh, nothing is asked: the registry need not even run.
    town.kill();
    let still = project.run(&["--json", "sync", "--locked"]).expect(0).json();
    assert_eq!(
        (still["patches"][0]["done"].as_str(), still["fetched_bytes"].as_u64()),
        (Some("already_there"), Some(0))
    );
    assert_eq!(still["protections"]["log"]["asked"], false);
    assert_eq!(project.run(&["lock"]).status, 7, "a lock is made with the newest head alone");
    town.start();

    project.run(&["lock", "--upgrade"]).expect(0);
    assert_eq!(project.member("version"), "1.1.0");
    project.run(&["sync", "--locked"]).expect(0);
    let there = project.names();
    assert!(
        there.contains(&"ticket-router-1.0.0".into()) && there.contains(&"ticket-router-1.1.0".into()),
        "{there:?}"
    );

    // Back to an exact one, and on to another by name.
    project.run(&["lock", "--upgrade", &format!("{PATCH}@1.0.0")]).expect(0);
    assert_eq!(project.member("version"), "1.0.0");
    let beyond = project.run(&["--json", "lock", "--upgrade", &format!("{PATCH}@2.0.0")]);
    assert_eq!(refused(&beyond, 1), "lock_selection");
    assert_eq!(refused(&project.run(&["--json", "lock", "--upgrade", "acme/other"]), 1), "lock_selection");

    // The entry moves on, and the lock with it.
    project.wants(&format!("\"{PATCH}\" = {{ version = \"2.0.0\", dir = \"adapters/router\" }}"));
    let apart = project.run(&["--json", "sync", "--locked"]);
    assert_eq!(refused(&apart, 1), "lock_outdated");
    assert_eq!(apart.json()["findings"][0]["place"]["line"], 2);
    project.run(&["sync"]).expect(0);
    assert_eq!(project.member("version"), "2.0.0");
    assert_eq!(names(&project.folder.join("adapters")), ["router"]);

    // Another version takes the place of the one that is there whole, and of nothing else.
    project.wants(&format!("\"{PATCH}\" = {{ version = \"1.1.0\", dir = \"adapters/router\" }}"));
    let replaced = project.run(&["--json", "sync"]).expect(0).json();
    assert_eq!(replaced["patches"][0]["done"], "replaced");
    fs::write(project.folder.join("adapters/router/README.md"), "mine").unwrap();
    project.wants(&format!("\"{PATCH}\" = {{ version = \"2.0.0\", dir = \"adapters/router\" }}"));
    assert_eq!(refused(&project.run(&["--json", "sync"]), 1), "folder_occupied");
    project.wants(&format!("\"{PATCH}\" = {{ version = \"1.1.0\", dir = \"adapters/router\" }}"));
    let repaired = project.run(&["--json", "sync"]).expect(0).json();
    assert_eq!(repaired["patches"][0]["done"], "repaired");

    // No entries: nothing is locked.
    project.wants("");
    project.run(&["lock"]).expect(0);
    assert!(!project.lock().contains("[[patch]]"));
}

#[test]
fn faults_of_the_file_are_named_together_with_their_lines() {
    let town = town();
    let lines = format!("\"{PATCH}\" = \"1.0\"\n\"acme\" = \"*\"\n\"acme/x-y\" = {{ version = \"*\", dir = \"/x\" }}");
    let project = Project::new(&town, "faulty", &lines);
    for command in ["lock", "sync", "outdated", "audit"] {
        let run = project.run(&["--json", command]);
        assert_eq!(refused(&run, 1), "wants_invalid");
        let findings = run.json()["findings"].as_array().unwrap().clone();
        let at: Vec<_> = findings.iter().map(|f| f["place"]["line"].as_u64().unwrap()).collect();
        assert_eq!(at, [2, 3, 4], "{command}");
    }
    project.wants(&format!("\"{PATCH}\" = \"*\"\n\"{PATCH}\" = \"^1\""));
    let twice = project.run(&["--json", "lock"]);
    assert_eq!(refused(&twice, 1), "wants_invalid");
    assert_eq!(twice.json()["findings"][0]["place"]["line"], 3);
    // What cannot be locked, all of it.
    project.wants(&format!("\"{PATCH}\" = \"^7\"\n\"acme/not-there\" = \"*\""));
    let none = project.run(&["--json", "lock"]);
    assert_eq!(refused(&none, 6), "not_found");
    assert_eq!(none.json()["findings"].as_array().unwrap().len(), 2);
    assert!(!project.folder.join("patches.lock").exists(), "nothing was written");
    fs::remove_file(project.folder.join("patches.toml")).unwrap();
    assert_eq!(refused(&project.run(&["--json", "lock"]), 1), "wants_missing");
}
