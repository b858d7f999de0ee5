//! A pulled folder in memory, as the verification sees it, and where it came from.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use retoque_core::problem::Findings;
use retoque_core::release::{Asked, FolderView, Release, Trust, VerifiedRelease};
use retoque_core::sign::root::Chain;
use retoque_core::sign::{Root, Time};
use retoque_tests::registry::sample;
use retoque_tests::town::{BASE, COMMIT, PATCH, Town};

/// A patch whose weights are of several pieces.
pub(crate) const BIG: &str = "acme/big-router";

/// The files of a folder.
#[derive(Clone)]
pub(crate) struct Folder(pub(crate) BTreeMap<String, Vec<u8>>);

impl Folder {
    pub(crate) fn read(path: &Path) -> Self {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
        Self(entries.map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap())).collect())
    }
}

impl FolderView for Folder {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.0.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> io::Result<(Box<dyn Read + '_>, u64)> {
        let bytes = self.0.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok((Box::new(bytes.as_slice()), bytes.len() as u64))
    }
}

/// The root that a consumer has pinned.
pub(crate) struct Pinned(Chain);

impl Pinned {
    pub(crate) fn of(town: &Town) -> Self {
        Self(Chain::pinned(Root::trust(&std::fs::read(town.dir().join("root.json")).unwrap(), None).unwrap()))
    }

    /// The statements, the names and the documents of a folder.
    pub(crate) fn open(&self, folder: &Folder) -> Result<VerifiedRelease, Findings> {
        retoque_core::release::open(folder, &self.trust(), Asked::default())
    }

    /// The statements of a release, about a manifest of these bytes.
    pub(crate) fn documents(&self, release: &Release, manifest: &[u8]) -> Result<VerifiedRelease, Findings> {
        retoque_core::release::check_documents(release, manifest, &self.trust(), Asked::default())
    }

    fn trust(&self) -> Trust<'_> {
        let now = Time::from_micros(jiff::Timestamp::now().as_microsecond()).unwrap();
        Trust::new(&self.0, now)
    }
}

/// Has the consumer take another address for that of the registry, with the same root and origin.
pub(crate) fn mislead(town: &Town, url: &str) {
    let root = town.dir().join("root.json").display().to_string();
    town.ok("consumer", &["trust", "add", url, "--root", &root, "--origin", &town.url]);
}

/// Publishes the sample and pulls it.
pub(crate) fn pulled(town: &Town) -> PathBuf {
    let reference = format!("{PATCH}@1.0.0");
    town.publish(&town.pack(PATCH, "1.0.0", &[]), &reference);
    town.ok("consumer", &["pull", &reference, "--dir", "pulled"]);
    town.path("pulled")
}

/// Publishes a version whose weights are of several pieces, and gives its reference.
pub(crate) fn big(town: &Town) -> String {
    let (out, script) = (town.path("big"), sample().join("../../scripts/make_big.py"));
    // A base of its own: other tensors under another commit.
    let commit = COMMIT.chars().rev().collect::<String>();
    let small = std::fs::read_to_string(town.base_record()).unwrap();
    let plan = town.path("big-base.json");
    std::fs::write(&plan, small.replace(COMMIT, &commit)).unwrap();
    let mut make = Command::new("python3");
    make.arg(script).arg(&out).args(["--megabytes", "11", "--base-record"]).arg(&plan);
    let made = make.output().expect("python3 runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let at = |name: &str| out.join(name).display().to_string();
    let (pin, base, record, package) = (BASE.replace(COMMIT, &commit), at("base.json"), at("evaluation"), at("p.zst"));
    town.ok("operator", &["base", "add", &base]);
    town.patch(BIG, &pin, "public");
    let args = ["pack", &at("adapter"), "--patch", BIG, "--version", "1.0.0", "--base", &pin, "--base-record", &base];
    let rest = ["--record", &record, "--seed", "7", "--dataset-licence", "CC0-1.0", "--out", &package];
    town.ok("worker", &[&args[..], &rest, &["--dataset-source", "own-generated"]].concat());
    let reference = format!("{BIG}@1.0.0");
    town.ok("worker", &["push", &package, "--record", &record]);
    town.submit(&reference).expect(0);
    town.ok("rita", &["review", "approve", &reference, "--all"]);
    town.ok("ada", &["publish", &reference, "--yes"]);
    reference
}
