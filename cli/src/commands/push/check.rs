//! The check of a registry, run before anything is sent.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _};
use std::path::{Path, PathBuf};

use retoque_core::adapter::Policy;
use retoque_core::archive::Limits;
use retoque_core::archive::ingest::ingest;
use retoque_core::archive::peek;
use retoque_core::archive::read::{NoVisitor, PackageReader};
use retoque_core::base::BaseRecord;
use retoque_core::digest::{Digest, Hasher};
use retoque_core::evaluation::{Bindings, Declared, compare_package};
use retoque_core::manifest::Manifest;
use retoque_core::problem::{FIELD_INVALID, Findings};

use crate::error::Failure;
use crate::files;
use crate::output::Progress;
use crate::packer::record::{self, FILES as RECORD_FILES};

/// What is pushed.
pub(super) struct Request<'a> {
    pub(super) package: &'a Path,
    pub(super) record: &'a Path,
    pub(super) base: &'a [u8],
    pub(super) policy: Policy,
    pub(super) acknowledged: Option<Digest>,
}

/// One file to be sent.
pub(super) struct Outgoing {
    /// Its name in the record; none for the package.
    pub(super) name: Option<&'static str>,
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) sha256: Digest,
}

/// A push that nothing is wrong with.
pub(super) struct Checked {
    pub(super) manifest: Manifest,
    pub(super) manifest_digest: Digest,
    pub(super) files: Vec<Outgoing>,
    pub(super) warnings: Findings,
}

/// The manifest of a package, to learn which base it is for; the whole check comes after.
pub(super) fn manifest(path: &Path) -> Result<Manifest, Failure> {
    let mut file = files::open(path)?;
    if let Some(manifest) = peek::manifest(&mut file).map_err(|e| files::unreadable(path, &e))? {
        return Ok(manifest);
    }
    // It is no package; reading it from its start says why not.
    file.rewind().map_err(|e| files::unreadable(path, &e))?;
    let reader = BufReader::with_capacity(1 << 20, file);
    let limits = Limits::default();
    let package = PackageReader::new(reader, &limits).run(&mut NoVisitor).map_err(|f| refused(path, &f))?;
    Ok(package.0.manifest)
}

/// Runs the whole check.
pub(super) fn run(request: &Request<'_>, bar: &Progress) -> Result<Checked, Failure> {
    let base = BaseRecord::from_bytes(request.base)
        .map_err(|f| Failure::findings("the registry's record of the base is refused", &f))?;
    let reader = Counted { inner: files::open(request.package)?, bar: bar.clone() };
    let reader = BufReader::with_capacity(1 << 20, reader);
    let (package, mut findings) =
        ingest(reader, &base, request.policy, &Limits::default()).map_err(|f| refused(request.package, &f))?;
    let manifest = package.manifest;
    let declared = Declared::by(&manifest, request.acknowledged).map_err(|_| {
        Failure::new(FIELD_INVALID, "the seed of the split is no number", "make the package with `retoque pack`")
    })?;
    let bindings = Bindings { adapter: manifest.adapter.sha256, base_files: &manifest.base.files };
    if let Some(rederived) = record::rederive(request.record, &declared, &bindings, &mut findings) {
        findings.extend(compare_package(&manifest, &package.evaluation, &rederived));
    }
    if findings.refused() {
        return Err(Failure::findings(format!("{} is refused", files::shown(request.record)), &findings));
    }
    let (size, sha256) = (package.archive.size, package.archive.sha256);
    let mut outgoing = vec![Outgoing { name: None, path: request.package.to_owned(), size, sha256 }];
    for name in RECORD_FILES {
        outgoing.push(of_record(request.record, name)?);
    }
    Ok(Checked { manifest, manifest_digest: package.manifest_digest, files: outgoing, warnings: findings })
}

fn of_record(folder: &Path, name: &'static str) -> Result<Outgoing, Failure> {
    let path = folder.join(name);
    let mut hasher = Hasher::new();
    io::copy(&mut files::open(&path)?, &mut hasher).map_err(|e| files::unreadable(&path, &e))?;
    Ok(Outgoing { name: Some(name), path, size: hasher.len(), sha256: hasher.finish() })
}

fn refused(path: &Path, findings: &Findings) -> Failure {
    Failure::findings(format!("{} is refused", files::shown(path)), findings)
}

/// Counts what is read for the progress bar.
struct Counted {
    inner: File,
    bar: Progress,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bar.add(read as u64);
        Ok(read)
    }
}
