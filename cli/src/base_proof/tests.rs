#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use retoque_core::base::{Builder, measure};
use retoque_core::problem::{
    BASE_COMMIT_DIFFERS, BASE_FILE_DIFFERS, BASE_LINK_ESCAPES, BASE_NOT_FOUND, BASE_UNREADABLE, Code,
};

use super::*;

const COMMIT: &str = "7ae557604adf67be50417f59c2c2f167def9a775";

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let header = r#"{"a.weight":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}"#;
    let mut weights = (header.len() as u64).to_le_bytes().to_vec();
    weights.extend(header.bytes().chain([1, 2, 3, 4]));
    vec![
        ("config.json", br#"{"model_type":"qwen2","num_hidden_layers":1,"hidden_size":4}"#.to_vec()),
        ("chat_template.jinja", b"{{ messages }}".to_vec()),
        ("model.safetensors", weights),
        ("tokenizer.json", b"{}".to_vec()),
        ("README.md", b"# tiny".to_vec()),
    ]
}

fn base() -> BaseSection {
    let mut builder = Builder::new(format!("acme/tiny@{COMMIT}").parse().unwrap(), "mit".to_owned());
    for (path, bytes) in files() {
        builder.add(measure(path, bytes.len() as u64, bytes.as_slice(), |_| {}).unwrap());
    }
    builder.finish().unwrap().section()
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The blob name that the Hub gives a file: SHA-256 of weights, git SHA-1 of the rest.
fn blob(path: &str) -> String {
    let file = base().files.into_iter().find(|f| f.path == path).unwrap();
    if path.ends_with(".safetensors") { file.sha256.hex() } else { file.git_sha1 }
}

/// A cache with links; the weights take a second hop into the shared store.
fn linked(root: &Path) -> PathBuf {
    let repo = root.join("models--acme--tiny");
    let snapshot = repo.join("snapshots").join(COMMIT);
    fs::create_dir_all(&snapshot).unwrap();
    fs::create_dir_all(repo.join("blobs")).unwrap();
    for (path, bytes) in files() {
        let name = blob(path);
        if path.ends_with(".safetensors") {
            let store = root.join("blobs/ab").join("ab".repeat(32));
            put(&store, &bytes);
            symlink(format!("../../blobs/ab/{}", "ab".repeat(32)), repo.join("blobs").join(&name)).unwrap();
        } else {
            put(&repo.join("blobs").join(&name), &bytes);
        }
        symlink(format!("../../blobs/{name}"), snapshot.join(path)).unwrap();
    }
    snapshot
}

/// A cache without links.
fn copied(root: &Path) -> PathBuf {
    let snapshot = root.join("models--acme--tiny/snapshots").join(COMMIT);
    for (path, bytes) in files() {
        put(&snapshot.join(path), &bytes);
    }
    snapshot
}

/// A local folder with download metadata.
fn local_dir(root: &Path) -> PathBuf {
    for (path, bytes) in files() {
        put(&root.join(path), &bytes);
        let metadata = format!("{COMMIT}\n{}\n1700000000.0\n", blob(path));
        put(&root.join(".cache/huggingface/download").join(format!("{path}.metadata")), metadata.as_bytes());
    }
    root.to_path_buf()
}

fn proof(location: &Location) -> Result<Proof, Vec<(Code, String)>> {
    prove(&base(), location, &|_| {})
        .map_err(|f| f.list().iter().map(|f| (f.code, f.place.file.clone().unwrap_or_default())).collect())
}

fn folder(path: &Path) -> Location {
    Location::Folder(path.to_path_buf())
}

type Layouts = [(&'static str, fn(&Path) -> PathBuf, Layout); 3];
const LAYOUTS: Layouts =
    [("linked", linked, Layout::Cache), ("copied", copied, Layout::Cache), ("local", local_dir, Layout::LocalDir)];

#[test]
fn every_layout_is_proved_by_its_bytes() {
    for (name, make, layout) in LAYOUTS {
        let dir = tempfile::tempdir().unwrap();
        let snapshot = make(dir.path());
        let read = AtomicU64::new(0);
        let count = |n: u64| {
            read.fetch_add(n, Ordering::Relaxed);
        };
        let proved = prove(&base(), &folder(&snapshot), &count).unwrap();
        assert_eq!((proved.layout, proved.files, proved.absent.len()), (layout, 5, 0), "{name}");
        assert_eq!((proved.bytes, read.into_inner()), (total(&base()), total(&base())), "{name}");
        if layout == Layout::Cache {
            let repo = dir.path().join("models--acme--tiny");
            for location in [Location::Cache(dir.path().to_path_buf()), folder(dir.path()), folder(&repo)] {
                assert_eq!(proof(&location).unwrap().files, 5, "{name} {location:?}");
            }
        }
    }
}

#[test]
fn one_changed_byte_is_found_and_named() {
    for (name, make, _) in LAYOUTS {
        for path in ["model.safetensors", "config.json", "chat_template.jinja", "README.md"] {
            let dir = tempfile::tempdir().unwrap();
            let snapshot = make(dir.path());
            let real = fs::canonicalize(snapshot.join(path)).unwrap();
            let mut bytes = fs::read(&real).unwrap();
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            fs::write(&real, &bytes).unwrap();
            assert_eq!(proof(&folder(&snapshot)).unwrap_err(), [(BASE_FILE_DIFFERS, path.to_owned())], "{name}");
            bytes.push(0);
            fs::write(&real, &bytes).unwrap();
            assert_eq!(proof(&folder(&snapshot)).unwrap_err(), [(BASE_FILE_DIFFERS, path.to_owned())], "{name}");
        }
    }
}

#[test]
fn what_is_loaded_must_be_there_and_nothing_more() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot = local_dir(dir.path());
    fs::remove_file(snapshot.join("README.md")).unwrap();
    assert_eq!(proof(&folder(&snapshot)).unwrap().absent, ["README.md"]);
    put(&snapshot.join("notes.txt"), b"mine");
    assert_eq!(proof(&folder(&snapshot)).unwrap().files, 4);
    put(&snapshot.join("added_tokens.json"), b"{}");
    put(&snapshot.join("model-00001-of-00001.safetensors"), b"");
    let extra = |p: &str| (BASE_FILE_EXTRA, p.to_owned());
    let expected = [extra("added_tokens.json"), extra("model-00001-of-00001.safetensors")];
    assert_eq!(proof(&folder(&snapshot)).unwrap_err(), expected);
    fs::remove_file(snapshot.join("added_tokens.json")).unwrap();
    fs::remove_file(snapshot.join("model-00001-of-00001.safetensors")).unwrap();
    fs::remove_file(snapshot.join("tokenizer.json")).unwrap();
    fs::remove_file(snapshot.join("config.json")).unwrap();
    let absent = |p: &str| (BASE_FILE_ABSENT, p.to_owned());
    assert_eq!(proof(&folder(&snapshot)).unwrap_err(), [absent("config.json"), absent("tokenizer.json")]);
}

#[test]
fn links_stay_within_the_cache() {
    let outside = tempfile::tempdir().unwrap();
    put(&outside.path().join("config.json"), &files()[0].1);
    for (name, make, _) in LAYOUTS {
        let dir = tempfile::tempdir().unwrap();
        let snapshot = make(dir.path());
        let file = snapshot.join("config.json");
        fs::remove_file(&file).unwrap();
        symlink(outside.path().join("config.json"), &file).unwrap();
        let escapes = [(BASE_LINK_ESCAPES, "config.json".to_owned())];
        assert_eq!(proof(&folder(&snapshot)).unwrap_err(), escapes, "{name}: right bytes, wrong place");
        // Out and in again is refused too: the step outside is not ours to trust.
        let back = outside.path().join("back");
        let _ = fs::remove_file(&back);
        symlink(snapshot.join("tokenizer.json"), &back).unwrap();
        fs::remove_file(&file).unwrap();
        symlink(&back, &file).unwrap();
        assert_eq!(proof(&folder(&snapshot)).unwrap_err(), escapes, "{name}");
        fs::remove_file(&file).unwrap();
        symlink("nowhere", &file).unwrap();
        let absent = [(BASE_FILE_ABSENT, "config.json".to_owned())];
        assert_eq!(proof(&folder(&snapshot)).unwrap_err(), absent, "{name}: a link to nothing");
        fs::remove_file(&file).unwrap();
        symlink("config.json", &file).unwrap();
        let circle = [(BASE_UNREADABLE, "config.json".to_owned())];
        assert_eq!(proof(&folder(&snapshot)).unwrap_err(), circle, "{name}: a circle");
    }
    let dir = tempfile::tempdir().unwrap();
    let snapshot = linked(dir.path());
    let elsewhere = tempfile::tempdir().unwrap();
    fs::rename(&snapshot, elsewhere.path().join("moved")).unwrap();
    symlink(elsewhere.path().join("moved"), &snapshot).unwrap();
    let cache = Location::Cache(dir.path().to_path_buf());
    assert_eq!(proof(&cache).unwrap_err()[0].0, BASE_NOT_FOUND, "a snapshot that is a link out of the cache");
}

#[test]
fn names_are_claims() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot = copied(dir.path());
    let other = snapshot.with_file_name("a".repeat(40));
    fs::rename(&snapshot, &other).unwrap();
    assert_eq!(proof(&folder(&other)).unwrap_err()[0].0, BASE_COMMIT_DIFFERS);
    assert_eq!(proof(&Location::Cache(dir.path().to_path_buf())).unwrap_err()[0].0, BASE_NOT_FOUND);
    assert_eq!(proof(&folder(&dir.path().join("nowhere"))).unwrap_err()[0].0, BASE_NOT_FOUND);
    let dir = tempfile::tempdir().unwrap();
    let snapshot = local_dir(dir.path());
    let metadata = snapshot.join(".cache/huggingface/download/config.json.metadata");
    fs::write(metadata, format!("{}\nx\n1\n", "b".repeat(40))).unwrap();
    assert_eq!(proof(&folder(&snapshot)).unwrap_err(), [(BASE_COMMIT_DIFFERS, "config.json".to_owned())]);
    // The right names over other bytes prove nothing.
    let dir = tempfile::tempdir().unwrap();
    let snapshot = linked(dir.path());
    for path in ["config.json", "tokenizer.json"] {
        fs::write(fs::canonicalize(snapshot.join(path)).unwrap(), b"[]").unwrap();
    }
    let codes: Vec<Code> = proof(&folder(&snapshot)).unwrap_err().into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, [BASE_FILE_DIFFERS, BASE_FILE_DIFFERS]);
}
