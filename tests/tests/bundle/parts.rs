//! A bundle taken apart and put together again, byte for byte: what an attacker can do with a file.

use std::path::{Path, PathBuf};

use retoque_tests::database::Engine;
use retoque_tests::programs::Run;
use retoque_tests::town::{PATCH, Town};

/// The unit of a tar file.
pub const BLOCK: usize = 512;

/// One entry: header, content, padding.
#[derive(Clone)]
pub struct Entry {
    /// The name, with its folder.
    pub name: String,
    /// All bytes.
    pub bytes: Vec<u8>,
}

/// The entries of a bundle, without its end.
pub fn entries(bundle: &[u8]) -> Vec<Entry> {
    let (mut list, mut at) = (Vec::new(), 0);
    while bundle[at] != 0 {
        let header = &bundle[at..at + BLOCK];
        let text = |field: &[u8]| String::from_utf8_lossy(field.split(|b| *b == 0).next().unwrap()).into_owned();
        let size = usize::from_str_radix(&text(&header[124..135]), 8).unwrap();
        let (prefix, name) = (text(&header[345..500]), text(&header[..100]));
        let end = at + BLOCK + size.div_ceil(BLOCK) * BLOCK;
        let name = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        list.push(Entry { name, bytes: bundle[at..end].to_vec() });
        at = end;
    }
    list
}

/// A bundle of these entries.
pub fn joined<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<u8> {
    let mut bytes: Vec<u8> = entries.into_iter().flat_map(|entry| entry.bytes.clone()).collect();
    bytes.extend([0; 2 * BLOCK]);
    bytes
}

/// The header with another field, and the checksum that fits.
pub fn with_field(header: &[u8], at: usize, field: &[u8]) -> Vec<u8> {
    let mut header = header[..BLOCK].to_vec();
    header[at..at + field.len()].copy_from_slice(field);
    let sum: u64 = (0..BLOCK).map(|n| if (148..156).contains(&n) { 32 } else { u64::from(header[n]) }).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// A town in which this version of the public patch is published.
pub fn town() -> Town {
    let town = Town::found(Engine::Sqlite);
    publish(&town, "1.0.0");
    town
}

/// Publishes another version.
pub fn publish(town: &Town, version: &str) {
    let package = town.pack(PATCH, version, &[]);
    town.publish(&package, &format!("{PATCH}@{version}"));
}

/// Makes the bundle of a version.
pub fn bundle(town: &Town, version: &str, name: &str) -> PathBuf {
    let out = town.path(name);
    town.ok("consumer", &["bundle", "create", &format!("{PATCH}@{version}"), "--out", out.to_str().unwrap()]);
    out
}

/// Verifies a file as the consumer.
pub fn verify(town: &Town, file: &Path, more: &[&str]) -> Run {
    town.run("consumer", &[&["--json", "verify", file.to_str().unwrap()], more].concat())
}

/// The code of a refusal with this exit status.
#[track_caller]
pub fn refused(run: &Run, status: i32) -> String {
    assert_eq!(run.status, status, "{}{}", run.stdout, run.stderr);
    run.json()["code"].as_str().expect("a code").to_owned()
}
