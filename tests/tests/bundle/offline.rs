//! Without network: in a namespace that has none, where no address can be reached, not even that of this machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use retoque_tests::command::{now, retoque_at};
use retoque_tests::programs::{Run, retoque};
use retoque_tests::registry::sample;
use retoque_tests::town::{PATCH, Town};

use crate::parts::{bundle, entries, publish, refused, town, verify};

/// Runs the command line where there is no network. Fails, and never passes, when that cannot be made.
fn without_network(town: &Town, args: &[&str]) -> Run {
    let plain = retoque(&town.home("consumer"));
    let mut command = Command::new("unshare");
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").current_dir(town.database.folder());
    for (name, value) in plain.get_envs() {
        if let Some(value) = value.filter(|_| name != "PATH") {
            command.env(name, value);
        }
    }
    // The root of this machine needs no more; anybody else becomes root of a namespace of their own.
    let own = Command::new("unshare").args(["-n", "true"]).status().expect("unshare is installed").success();
    command.args(if own { &["-n", "--"][..] } else { &["-r", "-n", "--"] }).arg(plain.get_program()).args(args);
    Run::of(&mut command)
}

#[test]
fn everything_offline_works_where_there_is_no_network() {
    let town = town();
    let file = bundle(&town, "1.0.0", "one.tar");
    let folder = town.path("pulled").display().to_string();
    town.ok("consumer", &["pull", PATCH, "--dir", &folder]);
    // That there is none is shown by what needs one.
    assert_eq!(without_network(&town, &["pull", PATCH, "--dir", "again"]).status, 7);
    let (file, base) = (file.display().to_string(), sample().join("base").display().to_string());
    for args in [
        &["verify", &folder][..],
        &["verify", &folder, "--base", &base],
        &["verify", &file, "--offline"],
        &["verify", &file, "--base", &base],
        &["verify", &file, "--max-age", "24h"],
        &["pull", "--from", &file, "--dir", "unpacked"],
        &["verify", "unpacked"],
    ] {
        let run = without_network(&town, args);
        assert_eq!(run.status, 0, "{args:?}: {}{}", run.stdout, run.stderr);
    }
    let same = Command::new("diff").arg("-r").arg(&folder).arg(town.path("unpacked")).status().expect("diff runs");
    assert!(same.success(), "what was unpacked is what was pulled");
    let again = without_network(&town, &["--json", "pull", "--from", &file, "--dir", "unpacked"]).expect(0).json();
    assert_eq!(again["already_there"], true);
    fs::write(town.path("unpacked/README.md"), "other").unwrap();
    without_network(&town, &["pull", "--from", &file, "--dir", "unpacked"]).expect(0);
    town.ok("consumer", &["verify", "unpacked"]);
}

#[test]
fn a_bundle_is_an_ordinary_tar_file_and_says_as_of_when() {
    let town = town();
    let file = bundle(&town, "1.0.0", "one.tar");
    let names: Vec<_> = entries(&fs::read(&file).unwrap()).into_iter().map(|entry| entry.name).collect();
    assert_eq!(
        names[..5],
        ["roots.json", "checkpoint", "consistency", "status.json", "ticket-router-1.0.0/release.json"]
    );
    assert_eq!(names.len(), 13);
    // The system's own tar unpacks a folder that verifies by itself.
    let out = town.path("out");
    fs::create_dir(&out).unwrap();
    let tar = Command::new("tar").arg("-xf").arg(&file).arg("-C").arg(&out).status().expect("tar runs");
    assert!(tar.success());
    town.ok("consumer", &["verify", out.join("ticket-router-1.0.0").to_str().unwrap()]);
    // Made again at the same moment, from the folder that is beside it, it is the same.
    let beside = town.path("beside");
    fs::create_dir(&beside).unwrap();
    let at = |name: &str| beside.join(name).display().to_string();
    town.ok("consumer", &["pull", PATCH, "--dir", &at("ticket-router-1.0.0")]);
    town.ok("consumer", &["bundle", "create", PATCH, "--out", &at("b.tar")]);
    let left: Vec<_> = fs::read_dir(&beside).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    let (one, two) = (entries(&fs::read(&file).unwrap()), entries(&fs::read(beside.join("b.tar")).unwrap()));
    for (one, two) in one.iter().zip(&two).skip(4) {
        assert_eq!(one.bytes, two.bytes, "{}", one.name);
    }

    let shown = verify(&town, &file, &[]).expect(0).json();
    assert_eq!((shown["version"].as_str(), shown["state"]["state"].as_str()), (Some("1.0.0"), Some("published")));
    assert!(shown["bundle"]["status_issued"].is_string() && shown["protections"]["split_view_protection"] == false);
    let text = town.ok("consumer", &["verify", file.to_str().unwrap()]).stdout;
    for said in ["status as of", "no split-view protection", "base NOT proven", "root version"] {
        assert!(text.contains(said), "{said} in {text}");
    }
    assert_eq!(refused(&verify(&town, &file, &["--is", "acme/ticket-router@1.0.1"]), 3), "name_mismatch");
    let root = town.dir().join("root.json").display().to_string();
    verify(&town, &file, &["--root", &root]).expect(0);
    // Age binds only when it is asked to.
    let (home, later) = (town.home("consumer"), now().plus_seconds(3 * 86_400));
    let path = file.display().to_string();
    retoque_at(&home, later, &["verify", &path]).expect(0);
    let old = retoque_at(&home, later, &["--json", "verify", &path, "--max-age", "24h"]);
    assert_eq!(old.status, 8, "{}{}", old.stdout, old.stderr);
    let dir = town.path("late").display().to_string();
    let old = retoque_at(&home, later, &["pull", "--from", &path, "--dir", &dir, "--max-age", "2d"]);
    assert_eq!((old.status, Path::new(&dir).exists()), (8, false), "{}", old.stderr);
}

#[test]
fn what_is_remembered_speaks_when_it_is_newer() {
    let town = town();
    publish(&town, "1.1.0");
    let file = bundle(&town, "1.0.0", "one.tar");
    town.operate("withdraw", &format!("{PATCH}@1.0.0"), "security").expect(0);
    verify(&town, &file, &[]).expect(0);
    // The consumer hears of it with whatever is asked next.
    town.ok("consumer", &["pull", &format!("{PATCH}@1.1.0"), "--dir", town.path("other").to_str().unwrap()]);
    assert_eq!(refused(&verify(&town, &file, &[]), 4), "version_withdrawn");
    let dir = town.path("unpacked").display().to_string();
    let unpack = town.run("consumer", &["--json", "pull", "--from", file.to_str().unwrap(), "--dir", &dir]);
    assert_eq!(refused(&unpack, 4), "version_withdrawn");
    assert!(!Path::new(&dir).exists());
    let create = town.run("consumer", &["--json", "bundle", "create", &format!("{PATCH}@1.0.0"), "--out", &dir]);
    assert_eq!(refused(&create, 4), "version_withdrawn");
    assert!(!Path::new(&dir).exists());
}
