//! `base record`: a snapshot becomes a record, or everything that is wrong with it is said.

use std::fs;
use std::path::Path;

use retoque_core::base::BaseRecord;

use crate::run::{json, retoque};

const COMMIT: &str = "7ae557604adf67be50417f59c2c2f167def9a775";

fn sample() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sample/base").to_str().unwrap().to_owned()
}

fn record(dir: &str, out: &Path, more: &[&str]) -> crate::run::Run {
    let mut args =
        vec!["base", "record", dir, "--repo", "acme/tiny-desk", "--revision", COMMIT, "--licence", "CC0-1.0"];
    args.extend(["--out", out.to_str().unwrap()]);
    args.extend(more);
    retoque(&args)
}

#[test]
fn a_snapshot_becomes_a_record() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("base.json");
    let run = record(&sample(), &out, &["--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let bytes = fs::read(&out).unwrap();
    let record = BaseRecord::from_bytes(&bytes).unwrap();
    let document = json(&run.stdout);
    assert_eq!(document["files"].as_u64(), Some(6));
    assert_eq!(document["tensors"].as_u64(), Some(record.tensors.len() as u64));
    assert_eq!(document["sha256"].as_str().unwrap(), retoque_core::digest::Digest::of(&bytes).to_string());
    assert_eq!((record.architecture.layers, record.licence.as_str()), (3, "CC0-1.0"));
    assert!(String::from_utf8(bytes).unwrap().find(sample().as_str()).is_none(), "no local path");
}

#[cfg(unix)]
#[test]
fn links_of_a_cache_are_followed_and_others_are_not() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let repo = dir.path().join("hub/models--acme--tiny-desk");
    let snapshot = repo.join("snapshots").join(COMMIT);
    fs::create_dir_all(&snapshot).unwrap();
    fs::create_dir_all(repo.join("blobs")).unwrap();
    for entry in fs::read_dir(sample()).unwrap() {
        let name = entry.unwrap().file_name();
        fs::copy(Path::new(&sample()).join(&name), repo.join("blobs").join(&name)).unwrap();
        symlink(Path::new("../../blobs").join(&name), snapshot.join(&name)).unwrap();
    }
    let (plain, cached) = (dir.path().join("plain.json"), dir.path().join("cached.json"));
    assert_eq!(record(&sample(), &plain, &[]).status, 0);
    let run = record(snapshot.to_str().unwrap(), &cached, &[]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_eq!(fs::read(&plain).unwrap(), fs::read(&cached).unwrap(), "the layout does not change the record");

    fs::write(dir.path().join("secret.json"), "{}").unwrap();
    symlink(dir.path().join("secret.json"), snapshot.join("vocab.json")).unwrap();
    let out = dir.path().join("refused.json");
    let run = record(snapshot.to_str().unwrap(), &out, &["--json"]);
    assert_eq!(json(&run.stdout)["code"].as_str(), Some("base_link_escapes"));
    fs::remove_file(snapshot.join("vocab.json")).unwrap();
    let other = snapshot.with_file_name("a".repeat(40));
    fs::rename(&snapshot, &other).unwrap();
    let run = record(other.to_str().unwrap(), &out, &["--json"]);
    assert_eq!(json(&run.stdout)["code"].as_str(), Some("base_commit_differs"));
    assert!(!out.exists());
}

#[test]
fn a_folder_that_is_no_base_is_refused_with_all_that_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("base.json");
    fs::create_dir(dir.path().join("empty")).unwrap();
    let run = record(dir.path().join("empty").to_str().unwrap(), &out, &["--json"]);
    assert_eq!(run.status, 1);
    assert_eq!(json(&run.stdout)["findings"].as_array().unwrap().len(), 3);
    assert!(!out.exists());
}
