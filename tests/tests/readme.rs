//! The README does what it says: its commands run, in order, with the built programs, in an empty folder.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the project").to_path_buf()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

/// The fenced blocks of a document: language and content.
fn blocks(document: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in document.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some((_, content))) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block without an end");
    found
}

/// The folder with the built programs, which are built when they are not there.
fn programs() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.parent().and_then(Path::parent).expect("target/debug/deps").to_path_buf();
    if ["retoque", "retoque-registry"].iter().any(|name| !folder.join(name).exists()) {
        let built = Command::new(env!("CARGO")).args(["build", "--bins"]).current_dir(root()).status();
        assert!(built.expect("cargo").success(), "the programs do not build");
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn it_is_short_and_everything_in_it_is_run() {
    let readme = text("README.md");
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
    let blocks = blocks(&readme);
    assert!(blocks.iter().all(|(language, _)| language == "sh"), "a block that this test does not run");
    // The two commands on a fresh machine are left out below, because the one runs the other and this test.
    let (_, two) = &blocks[0];
    let commands: Vec<_> = two.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(commands, ["./demo.sh", "./test.sh"]);
    let tests = text("test.sh");
    let steps = tests.lines().find(|line| line.starts_with("STEPS=(")).expect("the steps");
    assert!(steps.contains(" demo") && tests.contains("./demo.sh --once"), "test.sh does not run the demo");
    for (_, content) in &blocks[1..] {
        assert!(!content.contains("demo.sh") && !content.contains("test.sh"));
    }
}

#[test]
fn the_tour_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let work = folder.path();
    copy(&root().join("tests/fixtures/sample"), &work.join("tests/fixtures/sample"));
    // Bound and given back: the port is free when the registry asks for it, and no other test of this binary binds one.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port().to_string();
    drop(listener);

    // Whatever happens, the registry that the script started ends with it, by its process id.
    let mut script =
        String::from("set -eu\nregistry=\ntrap '[ -z \"$registry\" ] || kill $registry 2>/dev/null || :' EXIT\n");
    for (_, content) in &blocks(&text("README.md"))[1..] {
        script.push_str(&content.replace("{8481..8499}", &port));
    }
    fs::write(work.join("tour.sh"), script).expect("the script");
    let path = std::env::var("PATH").unwrap_or_default();
    let run = Command::new("timeout")
        .args(["--kill-after=10", "300", "bash", "tour.sh"])
        .current_dir(work)
        .env("PATH", format!("{}:{path}", programs().display()))
        .env_remove("RETOQUE_REGISTRY")
        .env_remove("RETOQUE_TOKEN")
        .output()
        .expect("bash");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    let log = fs::read_to_string(work.join("tour/registry.log")).unwrap_or_default();
    assert!(run.status.success(), "{}\n{out}\n{err}\n{log}", run.status);
    for said in ["base proven: 6 files", "no split-view protection", "refused with exit status 4", "licence-ended"] {
        assert!(out.contains(said), "nothing says {said:?}:\n{out}\n{err}");
    }
    assert!(err.contains("[version_withdrawn]"), "{err}");
    assert!(!work.join("tour/again").exists(), "a refused pull left a folder");
    // What does not depend on keys and times is what the example of the format pages holds.
    same(&work.join("tour/base.json"), "base-record.json");
    for name in ["README.md", "adapter_config.json", "evaluation.json", "manifest.json", "validation-cases.json"] {
        same(&work.join("tour/ticket-router").join(name), &format!("ticket-router/{name}"));
    }
}

#[track_caller]
fn same(made: &Path, example: &str) {
    let committed = root().join("tests/fixtures/example").join(example);
    let read = |path: &Path| fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(read(made) == read(&committed), "{example} is no longer what the tools write");
}

/// The table of settings in the operator's manual is the one in force.
#[test]
fn every_setting_is_documented() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = Command::new(programs().join("retoque-registry"))
        .args(["config", "show", "--json"])
        .current_dir(home.path())
        .env_clear()
        .output()
        .expect("retoque-registry");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let lines: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let manual = text("docs/OPERATING.md");
    let mut rows = manual.lines().filter_map(|line| line.strip_prefix("| `")).filter(|row| row.contains("` | "));
    for line in lines.as_array().expect("a list") {
        let shown = |field: &str| line[field].as_str().expect("a text").to_owned();
        let value = match shown("value") {
            empty if empty.is_empty() => "none".to_owned(),
            value => format!("`{value}`"),
        };
        let row = format!("{}` | {value} |", shown("name"));
        assert!(rows.any(|there| there.starts_with(&row)), "no row, or not in its place: | `{row}");
    }
}

/// The folder that the format pages refer to verifies by the root that lies beside it.
#[test]
fn the_example_verifies() {
    let example = root().join("tests/fixtures/example");
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = Command::new(programs().join("retoque"))
        .args(["verify", "ticket-router", "--root", "root.json", "--is", "acme/ticket-router@1.0.0", "--allow-stale"])
        .args(["--base", "../sample/base"])
        .current_dir(&example)
        .env("RETOQUE_HOME", home.path())
        .output()
        .expect("retoque");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && out.contains("base proven: 6 files"), "{out}\n{err}");
}
