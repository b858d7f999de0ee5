//! Looking after an installation: `gc` takes what nobody needs and nothing else, `fsck` sees every byte that changed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use retoque_core::digest::Digest;
use retoque_tests::database::Engine;
use retoque_tests::programs::{Run, retoque_registry};
use retoque_tests::town::{PATCH, PRIVATE, Town};

retoque_tests::on_both!(only_what_nobody_needs_goes, every_changed_byte_is_seen);

fn care(town: &Town, args: &[&str]) -> Run {
    let dir = town.dir().display().to_string();
    Run::of(retoque_registry().args(args).args(["--dir", &dir]))
}

/// Every file of the object store.
fn objects(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(objects(&path)) } else { found.push(path) }
    }
    found
}

fn age(path: &Path, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 86_400 + 60);
    File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

/// An object that no row names, `days` old.
fn orphan(town: &Town, bytes: &[u8], days: u64) -> PathBuf {
    let hex = Digest::of(bytes).hex();
    let path = town.dir().join("storage/blobs/sha256").join(&hex[..2]).join(&hex);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    age(&path, days);
    path
}

fn only_what_nobody_needs_goes(engine: Engine) {
    let town = Town::found(engine);
    town.publish(&town.pack(PATCH, "1.0.0", &[]), &format!("{PATCH}@1.0.0"));
    town.push(&town.pack(PRIVATE, "1.0.0", &[])).expect(0);
    for path in objects(&town.dir().join("storage")) {
        age(&path, 40);
    }
    let before = town.stored();
    let staged = town.dir().join("storage/staging/00000000-0000-7000-8000-000000000001");
    let (old, young) = (orphan(&town, b"old", 2), orphan(&town, b"young", 0));
    fs::create_dir_all(staged.parent().unwrap()).unwrap();
    fs::write(&staged, b"half an upload").unwrap();
    age(&staged, 2);
    let other = town.dir().join("storage/notes.txt");
    fs::write(&other, b"not ours").unwrap();
    age(&other, 50);

    let look = care(&town, &["gc", "--dry-run"]).expect(0);
    assert!(look.stdout.contains("would remove 2 objects, 17 bytes"), "{}", look.stdout);
    assert!(old.exists() && staged.exists(), "a look removes nothing");
    let done = care(&town, &["gc"]).expect(0);
    assert!(done.stdout.contains("removed 2 objects, 17 bytes"), "{}", done.stdout);
    assert!(!old.exists() && !staged.exists() && young.exists() && other.exists());
    fs::remove_file(&young).unwrap();
    fs::remove_file(&other).unwrap();
    assert!(town.stored() == before, "something that is needed has gone");
    town.ok("consumer", &["pull", PATCH, "--dir", "pulled"]);
    care(&town, &["fsck"]).expect(0);
}

fn every_changed_byte_is_seen(engine: Engine) {
    let town = Town::found(engine);
    town.publish(&town.pack(PATCH, "1.0.0", &[]), &format!("{PATCH}@1.0.0"));
    town.push(&town.pack(PRIVATE, "1.0.0", &[])).expect(0);
    let sound = care(&town, &["fsck"]).expect(0);
    assert!(sound.stdout.contains("of 2 versions") && sound.stdout.contains("no faults"), "{}", sound.stdout);
    for path in objects(&town.dir().join("storage/blobs")) {
        let good = fs::read(&path).unwrap();
        let mut bad = good.clone();
        *bad.last_mut().unwrap() ^= 1;
        fs::write(&path, &bad).unwrap();
        let run = care(&town, &["fsck"]);
        assert_eq!(run.status, 3, "{}: {}", path.display(), run.stdout);
        assert!(run.stderr.contains("object_damaged"), "{}", run.stderr);
        fs::remove_file(&path).unwrap();
        let run = care(&town, &["fsck"]);
        assert!(run.status == 3 && run.stderr.contains("object_missing"), "{}", run.stderr);
        fs::write(&path, &good).unwrap();
    }
    care(&town, &["fsck"]).expect(0);
}
