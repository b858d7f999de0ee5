//! Writing the archive beside its place, checking it as a registry would, and renaming it at the end.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use retoque_core::archive::ingest::{IngestFacts, ingest};
use retoque_core::archive::write::{Facts, PackageWriter};
use retoque_core::archive::{CONFIG, EVALUATION, MANIFEST, README, WEIGHTS};
use retoque_core::digest::Digest;
use retoque_core::manifest::Manifest;
use retoque_core::problem::{Finding, Findings, INTERNAL, OUTPUT_UNWRITABLE, Place};
use tempfile::NamedTempFile;

use super::folder::Source;
use super::threads::Threads;
use super::{Request, unreadable};
use crate::files;
use crate::output::Progress;

/// The name of the file beside the package.
const VALIDATION_CASES: &str = "validation-cases.json";

/// What goes into the package, and beside it.
pub(super) struct Parts<'a> {
    /// The manifest without its files.
    pub(super) manifest: Manifest,
    pub(super) readme: &'a [u8],
    pub(super) config: &'a [u8],
    pub(super) weights: &'a mut Source,
    pub(super) evaluation: &'a [u8],
    pub(super) validation_cases: &'a [u8],
}

/// What was written.
pub(super) struct Written {
    pub(super) manifest: Manifest,
    pub(super) manifest_digest: Digest,
    pub(super) facts: Facts,
    pub(super) validation_cases: PathBuf,
}

/// Writes package and validation cases. On any failure the temporary files vanish with this function.
pub(super) fn write(request: &Request<'_>, parts: Parts<'_>) -> Result<Written, Findings> {
    let folder = match request.out.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let cases_path = folder.join(VALIDATION_CASES);
    let mut package = temporary(folder).map_err(|e| unwritable(&e))?;
    let mut cases = temporary(folder).map_err(|e| unwritable(&e))?;
    let validation_cases = parts.validation_cases;
    archive(package.as_file_mut(), parts)?;
    let checked = check(package.path(), request)?;
    let done = (|| {
        cases.write_all(validation_cases)?;
        cases.as_file().sync_all()?;
        package.as_file().sync_all()?;
        cases.persist(&cases_path).map_err(|e| e.error)?;
        package.persist(request.out).map_err(|e| e.error)
    })();
    done.map_err(|e: io::Error| unwritable(&e))?;
    files::sync_folder(request.out);
    Ok(Written {
        manifest: checked.manifest,
        manifest_digest: checked.manifest_digest,
        facts: checked.archive,
        validation_cases: cases_path,
    })
}

/// Writes the archive; the manifest comes last, with what the other files turned out to be.
fn archive(out: &mut File, parts: Parts<'_>) -> Result<(), Findings> {
    let Parts { mut manifest, readme, config, weights, evaluation, .. } = parts;
    let mut writer = PackageWriter::new(BufWriter::with_capacity(1 << 20, out)).with(Threads::of_machine());
    let mut add = |name: &str, size: u64, content: &mut dyn Read| {
        writer.add(name, size, content).map(|_| ()).map_err(|e| Findings::from(e.finding()))
    };
    add(README, readme.len() as u64, &mut &*readme)?;
    add(CONFIG, config.len() as u64, &mut &*config)?;
    let (size, hidden) = (weights.size(), Progress::hidden());
    let mut pass = weights.pass(&hidden);
    add(WEIGHTS, size, &mut pass)?;
    pass.finish().map_err(|e| unreadable(WEIGHTS, &e))?;
    add(EVALUATION, evaluation.len() as u64, &mut &*evaluation)?;
    manifest.files = writer.files().to_vec();
    let bytes = manifest.to_bytes().map_err(|e| internal(&e.to_string()))?;
    writer.add(MANIFEST, bytes.len() as u64, &mut bytes.as_slice()).map_err(|e| e.finding())?;
    let (mut out, _) = writer.finish().map_err(|e| e.finding())?;
    out.flush().map_err(|e| unwritable(&e))
}

/// Reads the archive back through the whole check.
fn check(path: &Path, request: &Request<'_>) -> Result<IngestFacts, Findings> {
    let file = File::open(path).map_err(|e| unwritable(&e))?;
    let reader = BufReader::with_capacity(1 << 20, file);
    ingest(reader, request.base, request.policy, &request.limits).map(|(facts, _)| facts)
}

fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".retoque-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    builder.tempfile_in(folder)
}

fn unwritable(error: &io::Error) -> Findings {
    let next = "check the folder of --out, its permissions and the free space";
    let found = error.kind().to_string();
    Finding::new(OUTPUT_UNWRITABLE, Place::field("--out"), found, "a place that can be written", next).into()
}

fn internal(found: &str) -> Findings {
    Finding::new(INTERNAL, Place::file(MANIFEST), found, "a manifest", "report this as a fault of the program").into()
}
