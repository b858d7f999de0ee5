//! Bundles that were changed, each in one way.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;

use retoque_tests::database::Engine;
use retoque_tests::town::{PATCH, Town};

use crate::parts::{BLOCK, Entry, bundle, entries, joined, publish, refused, town, verify, with_field};

#[test]
fn a_changed_bundle_is_refused_by_name() {
    let town = town();
    publish(&town, "1.1.0");
    let good = entries(&fs::read(bundle(&town, "1.0.0", "one.tar")).unwrap());
    let other = entries(&fs::read(bundle(&town, "1.1.0", "two.tar")).unwrap());
    town.operate("deprecate", &format!("{PATCH}@1.1.0"), "superseded").expect(0);
    let later = entries(&fs::read(bundle(&town, "1.0.0", "later.tar")).unwrap());
    let whole = joined(&good);
    let file = town.path("changed.tar");
    let check = |bytes: &[u8], what: &str, code: &str| {
        fs::write(&file, bytes).unwrap();
        assert_eq!(refused(&verify(&town, &file, &[]), 3), code, "{what}");
        let dir = town.path("unpacked");
        let args = ["--json", "pull", "--from", file.to_str().unwrap(), "--dir", dir.to_str().unwrap()];
        assert_eq!(refused(&town.run("consumer", &args), 3), code, "{what}, unpacked");
        let left = fs::read_dir(town.database.folder()).unwrap().flatten();
        let left: Vec<_> = left.filter(|e| e.file_name().to_string_lossy().contains("unpacked")).collect();
        assert!(left.is_empty(), "{what}: something stays: {left:?}");
    };
    fs::write(&file, &whole).unwrap();
    verify(&town, &file, &[]).expect(0);

    check(&whole[..whole.len() / 2], "half of it", "bundle_truncated");
    check(&whole[..whole.len() - BLOCK], "without its last block", "bundle_truncated");
    check(&[&*whole, b"more"].concat(), "with more at its end", "bundle_trailing");
    check(&[&*whole, &*whole].concat(), "twice", "bundle_trailing");
    check(b"", "nothing", "bundle_truncated");
    let swap = |n: usize, with: &Entry| {
        let mut list = good.clone();
        list[n] = with.clone();
        joined(&list)
    };
    // Parts of another moment and of another version.
    check(&swap(3, &later[3]), "the status of a later moment", "status_mismatch");
    check(&swap(1, &later[1]), "the checkpoint of a later moment", "consistency_failed");
    check(&swap(4, &other[4]), "the release of another version", "bundle_entry");
    check(
        &swap(12, &Entry { bytes: with_content(&good[12], b"other weights"), ..good[12].clone() }),
        "other weights",
        "size_mismatch",
    );
    let mut flipped = whole.clone();
    let end = flipped.len() - 4 * BLOCK;
    flipped[end] ^= 1;
    check(&flipped, "one bit of the weights", "digest_mismatch");
    let mut reordered = good.clone();
    reordered.swap(9, 10);
    check(&joined(&reordered), "another order", "bundle_entry");
    check(&joined(good.iter().filter(|e| !e.name.ends_with("LICENSE.txt"))), "without licence", "bundle_entry");
    check(&joined(good.iter().filter(|e| !e.name.ends_with("validation-cases.json"))), "without cases", "file_missing");
    let mut more = good.clone();
    more.push(Entry { name: String::new(), bytes: with_field(&good[0].bytes, 0, b"evil.bin\0\0") });
    check(&joined(&more), "one entry more", "bundle_trailing");
    // Names and kinds that would lead elsewhere.
    let renamed = |n: usize, name: &[u8]| {
        let mut bytes = with_field(&good[n].bytes, 0, &[name, &vec![0; 100 - name.len()]].concat());
        bytes.extend_from_slice(&good[n].bytes[BLOCK..]);
        swap(n, &Entry { name: String::new(), bytes })
    };
    check(&renamed(5, b"../../manifest.json"), "a name that climbs", "bundle_entry");
    check(&renamed(0, b"/etc/cron.d/x"), "an absolute name", "bundle_entry");
    for (kind, code) in [(b"1", "bundle_link"), (b"2", "bundle_link"), (b"5", "bundle_link"), (b"x", "bundle_header")] {
        let mut bytes = with_field(&good[9].bytes, 156, kind);
        bytes.extend_from_slice(&good[9].bytes[BLOCK..]);
        check(&swap(9, &Entry { name: String::new(), bytes }), "an entry that is no file", code);
    }
    let mut bytes = with_field(&good[9].bytes, 100, b"0000777");
    bytes.extend_from_slice(&good[9].bytes[BLOCK..]);
    check(&swap(9, &Entry { name: String::new(), bytes }), "another mode", "bundle_header");
}

/// The entry with other content, and the size that fits.
fn with_content(entry: &Entry, content: &[u8]) -> Vec<u8> {
    let mut bytes = with_field(&entry.bytes, 124, format!("{:011o}", content.len()).as_bytes());
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().div_ceil(BLOCK) * BLOCK, 0);
    bytes
}

#[test]
fn claims_of_size_cost_nothing() {
    let town = town();
    let good = entries(&fs::read(bundle(&town, "1.0.0", "one.tar")).unwrap());
    let file = town.path("claim.tar");
    // Roots of a hundred megabytes are not read.
    let claim = with_field(&good[0].bytes, 124, format!("{:011o}", 100 << 20).as_bytes());
    fs::write(&file, claim).unwrap();
    assert_eq!(refused(&verify(&town, &file, &[]), 3), "bundle_size");
    // Weights of 8 GiB that are a hole in the file: their end is never reached, and nothing of it is kept.
    let mut start: Vec<u8> = good[..12].iter().flat_map(|entry| entry.bytes.clone()).collect();
    start.extend(with_field(&good[12].bytes, 124, b"77777777777"));
    fs::write(&file, &start).unwrap();
    assert_eq!(refused(&verify(&town, &file, &[]), 3), "size_mismatch");
    let mut sparse = fs::File::options().write(true).open(&file).unwrap();
    sparse.seek(SeekFrom::Start(100 << 30)).unwrap();
    sparse.write_all(b"x").unwrap();
    drop(sparse);
    let dir = town.path("unpacked").display().to_string();
    let run = town.run("consumer", &["--json", "pull", "--from", file.to_str().unwrap(), "--dir", &dir]);
    assert_eq!(refused(&run, 3), "size_mismatch");
    assert!(!Path::new(&dir).exists());
    // A hundred gigabytes in another spelling of numbers.
    let mut binary = [0; 12];
    binary[0] = 0x80;
    binary[4..].copy_from_slice(&(100_u64 << 30).to_be_bytes());
    start.truncate(start.len() - BLOCK);
    start.extend(with_field(&good[12].bytes, 124, &binary));
    fs::write(&file, &start).unwrap();
    assert_eq!(refused(&verify(&town, &file, &[]), 3), "bundle_header");
}

#[test]
fn another_registry_and_other_places() {
    let (town, elsewhere) = (town(), Town::found(Engine::Sqlite));
    let file = bundle(&town, "1.0.0", "one.tar");
    let stranger = elsewhere.run("consumer", &["--json", "verify", file.to_str().unwrap()]);
    assert_eq!(refused(&stranger, 3), "registry_untrusted");
    let root = elsewhere.dir().join("root.json").display().to_string();
    assert_eq!(refused(&verify(&town, &file, &["--root", &root]), 3), "root_unpinned");
    // What is in the way stays as it is.
    let dir = town.path("taken");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("mine"), "mine").unwrap();
    let unpack = |dir: &Path| {
        town.run("consumer", &["--json", "pull", "--from", file.to_str().unwrap(), "--dir", dir.to_str().unwrap()])
    };
    assert_eq!(refused(&unpack(&dir), 1), "folder_occupied");
    assert_eq!(fs::read_to_string(dir.join("mine")).unwrap(), "mine");
    let link = town.path("link");
    symlink(&dir, &link).unwrap();
    assert_eq!(refused(&unpack(&link), 1), "folder_occupied");
    // A folder of links where the unpacking would grow.
    let digest = verify(&town, &file, &[]).expect(0).json()["manifest"].as_str().unwrap()[7..23].to_owned();
    let grows = town.path(&format!(".fresh.retoque-partial-{digest}"));
    fs::create_dir(&grows).unwrap();
    fs::set_permissions(&grows, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    symlink(dir.join("mine"), grows.join("README.md")).unwrap();
    let fresh = town.path("fresh");
    unpack(&fresh).expect(0);
    assert_eq!(fs::read_to_string(dir.join("mine")).unwrap(), "mine", "a link was followed");
    assert!(fs::symlink_metadata(fresh.join("README.md")).unwrap().is_file());
}
