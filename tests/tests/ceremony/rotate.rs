//! Every key of every role is replaced, one after the other, and every version that was ever published keeps verifying
//! until a key is said to have been stolen.

use std::fs;

use retoque_tests::database::Engine;
use retoque_tests::peers::script;
use retoque_tests::town::{PATCH, Town};

use super::desk::{Ceremony, Key, adopt, generate, installed, size};

/// Publishes a version and has the consumer pull it; gives its reference.
fn version(town: &Town, number: &str, approve: &[&str]) -> String {
    let reference = format!("{PATCH}@{number}");
    let package = town.pack(PATCH, number, &[]);
    town.push(&package).expect(0);
    town.submit(&reference).expect(0);
    town.ok("rita", &[&["review", "approve", &reference, "--all"], approve].concat());
    town.ok("ada", &["publish", &reference, "--yes"]);
    town.ok("consumer", &["pull", &reference, "--dir", &folder(town, number)]);
    reference
}

fn folder(town: &Town, number: &str) -> String {
    town.path(&format!("pulled-{number}")).display().to_string()
}

/// Every pulled folder verifies, with the newest roots.
#[track_caller]
fn all_verify(town: &Town, numbers: &[&str]) {
    town.ok("consumer", &["trust", "update"]);
    for number in numbers {
        town.ok("consumer", &["verify", &folder(town, number)]);
    }
}

/// Replaces a key of the platform in its three steps. Gives the old and the new key.
fn replace(ceremony: &mut Ceremony<'_>, role: &str) -> (Key, Key) {
    let town = ceremony.town;
    let (old, new) = (installed(town, role), generate(&ceremony.folder(), &format!("new-{role}"), None));
    ceremony.hold(&["--add", &format!("{role}={}", new.public)]);
    fs::copy(&new.file, &old.file).unwrap();
    adopt(town, role).expect(0);
    // The running replica still has the old key.
    let package = town.pack(PATCH, &format!("9.9.9-{role}"), &[]);
    assert!(town.push(&package).expect(7).says("platform_key_retired"), "{role}");
    town.kill();
    town.start();
    let from = size(town) + 1;
    let (gone, revoked) = (format!("{role}={}", old.id), format!("{}@{from}", old.id));
    ceremony.hold(&["--remove", &gone, "--revoke", &revoked]);
    (old, new)
}

#[test]
fn keys_of_every_role_come_and_go() {
    let town = &Town::found(Engine::Sqlite);
    let mut ceremony = Ceremony::of(town);
    version(town, "1.0.0", &[]);
    let before_build = size(town);

    // The root keys go to three people; each signs on a machine of their own.
    let people =
        ["anna", "bert", "cleo"].map(|name| generate(&ceremony.folder(), name, Some(&format!("the words of {name}"))));
    let mut changes: Vec<String> = people.iter().map(|key| format!("--add=root={}", key.public)).collect();
    changes.extend([1, 2, 3].map(|n| format!("--remove=root={}", installed(town, &format!("root-{n}")).id)));
    ceremony.draft(&changes.iter().map(String::as_str).chain(["--threshold=root=2"]).collect::<Vec<_>>()).expect(0);
    let [anna, bert, cleo] = people;
    let first: Vec<&Key> = ceremony.signers.iter().collect();
    assert_eq!(ceremony.sign(&first)["complete"], false, "the new keys have a say too");
    assert!(ceremony.publish(&[]).expect(3).says("root"), "not yet");
    assert_eq!(ceremony.sign(&[&anna, &cleo])["complete"], true);
    ceremony.publish(&[]).expect(0);
    ceremony.roots.push(ceremony.next_file());
    ceremony.signers = vec![bert, cleo];
    all_verify(town, &["1.0.0"]);

    let (_, build) = replace(&mut ceremony, "platform-build");
    version(town, "1.1.0", &[]);
    all_verify(town, &["1.0.0", "1.1.0"]);
    let (log, _) = replace(&mut ceremony, "platform-log");
    version(town, "1.2.0", &[]);
    all_verify(town, &["1.0.0", "1.1.0", "1.2.0"]);
    replace(&mut ceremony, "platform-status");
    version(town, "1.3.0", &[]);
    all_verify(town, &["1.0.0", "1.1.0", "1.2.0", "1.3.0"]);

    reviewer(&mut ceremony);
    operator(&mut ceremony);
    let numbers = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"];
    all_verify(town, &numbers);
    let roots: Vec<_> = ceremony.roots.iter().map(std::path::Path::new).collect();
    let (accepted, said) = script("root_chain.py", &roots);
    assert!(accepted, "{said}");
    assert_eq!(said["version"], ceremony.roots.len());

    // Somebody who begins today follows the whole chain, and one who pins the newest root goes back along it.
    town.ok("newcomer", &["trust", "add", &town.url, "--root", ceremony.newest()]);
    let trust = town.json("newcomer", &["trust", "show"]);
    assert_eq!(trust["chain"][0]["version"], 1, "{trust}");
    assert!(trust["revoked"].to_string().contains(&log.id));
    town.ok("newcomer", &["verify", &folder(town, "1.0.0")]);

    stolen(&mut ceremony, &build, before_build);
    town.ok("consumer", &["trust", "update"]);
    for number in numbers {
        let run = town.run("consumer", &["verify", &folder(town, number)]);
        let lost = number != "1.0.0";
        assert_eq!(run.status, if lost { 3 } else { 0 }, "{number}: {run:?}");
        assert!(!lost || run.says("revoked key"), "{number}: {run:?}");
    }
}

/// A reviewer's new key takes over; what the old one approved stays approved.
fn reviewer(ceremony: &mut Ceremony<'_>) {
    let town = ceremony.town;
    let shown = town.json("rita", &["key", "show"]);
    let (old, new) = (shown["keyid"].as_str().unwrap(), generate(&ceremony.folder(), "new-rita", None));
    town.ok("rita", &["key", "register", "--key", &new.file]);
    let (comes, goes) = (format!("review={}", new.public), format!("review={old}"));
    let revoked = format!("{old}@{}", size(town));
    ceremony.hold(&["--add", &comes, "--remove", &goes, "--revoke", &revoked]);

    let reference = format!("{PATCH}@1.4.0");
    town.push(&town.pack(PATCH, "1.4.0", &[])).expect(0);
    town.submit(&reference).expect(0);
    let refused = town.run("rita", &["review", "approve", &reference, "--all"]);
    assert!([3, 5].contains(&refused.status) && refused.says("revoked"), "{refused:?}");
    town.ok("rita", &["review", "approve", &reference, "--all", "--key", &new.file]);
    town.ok("ada", &["publish", &reference, "--yes"]);
    town.ok("consumer", &["pull", &reference, "--dir", &folder(town, "1.4.0")]);
}

/// The operator's new key takes over.
fn operator(ceremony: &mut Ceremony<'_>) {
    let town = ceremony.town;
    let (old, new) = (installed(town, "operator"), generate(&ceremony.folder(), "new-operator", None));
    town.ok("operator", &["key", "register", "--key", &new.file]);
    let (comes, goes) = (format!("operate={}", new.public), format!("operate={}", old.id));
    let revoked = format!("{}@{}", old.id, size(town));
    ceremony.hold(&["--add", &comes, "--remove", &goes, "--revoke", &revoked]);
    let reference = format!("{PATCH}@1.4.0");
    let refused = town.operate("deprecate", &reference, "superseded");
    assert!([3, 5].contains(&refused.status), "{refused:?}");
    let args =
        ["deprecate", &reference, "--reason", "superseded", "--text", "There is a newer version of it.", "--key"];
    town.ok("operator", &[&args[..], &[&new.file]].concat());
}

/// The build key was stolen some time ago: what it signed since then is lost, and the operator says how much that is.
fn stolen(ceremony: &mut Ceremony<'_>, build: &Key, since: u64) {
    let town = ceremony.town;
    let fresh = generate(&ceremony.folder(), "after-the-theft", None);
    ceremony.hold(&["--add", &format!("platform-build={}", fresh.public)]);
    fs::copy(&fresh.file, town.dir().join("keys/platform-build.pem")).unwrap();
    adopt(town, "platform-build").expect(0);
    town.kill();
    town.start();
    let (gone, revoked) = (format!("platform-build={}", build.id), format!("{}@{since}", build.id));
    ceremony.draft(&["--remove", &gone, "--revoke", &revoked]).expect(0);
    ceremony.sign(&ceremony.signers.iter().collect::<Vec<_>>());
    let refused = ceremony.publish(&[]).expect(1);
    assert!(
        refused.says("4 signed document(s)") && refused.says("`attested` of acme/ticket-router 1.1.0"),
        "{refused:?}"
    );
    ceremony.publish(&["--orphans", "3"]).expect(1);
    ceremony.publish(&["--orphans", "4"]).expect(0);
    ceremony.roots.push(ceremony.next_file());
    // Further back it may go, never forwards.
    let postponed = ceremony.draft(&["--revoke", &format!("{}@{}", build.id, since + 1)]);
    assert!(postponed.expect(3).says("or earlier on"));
}
