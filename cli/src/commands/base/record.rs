//! `base record DIR --repo R --revision C --licence SPDX`: reads a snapshot of a base once and writes its record.
//!
//! Every file is hashed; links are followed within the cache that the snapshot lies in and no further. Refuses
//! a snapshot that claims another commit, and everything that [`retoque_core::base`] refuses.

use std::path::PathBuf;

use retoque_core::base::{BaseRecord, Builder, Measured, measure};
use retoque_core::digest::Digest;
use retoque_core::id::{BasePin, Commit, RepoId};
use retoque_core::problem::{BASE_COMMIT_DIFFERS, BASE_FILE_ABSENT, Finding, Findings, Place};
use serde::Serialize;

use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::output::Progress;
use crate::snapshot::{Location, Snapshot, Unopened, each, find, walk};

/// Arguments of `base record`.
#[derive(Debug, clap::Args)]
pub struct Record {
    /// The folder that holds the base: a snapshot of a Hugging Face cache, or any copy
    dir: PathBuf,
    /// The repository of the base, owner/name
    #[arg(long, value_name = "REPO")]
    repo: RepoId,
    /// Its commit, 40 hex digits
    #[arg(long, value_name = "COMMIT")]
    revision: Commit,
    /// The licence of the base: its SPDX identifier, or the Hub's name for it
    #[arg(long, value_name = "ID")]
    licence: String,
    /// Where to write the record [default: base-NAME-COMMIT.json in the current folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What was recorded.
#[derive(Debug, Serialize)]
struct Report {
    record: String,
    sha256: Digest,
    base: BasePin,
    licence: String,
    model_type: String,
    layers: u64,
    files: usize,
    bytes: u64,
    tensors: usize,
}

/// Runs `base record`.
pub(super) fn record(args: &Record, ctx: &mut Context) -> Result<(), Failure> {
    let pin = BasePin { repo: args.repo.clone(), commit: args.revision.clone() };
    let refused = |findings: Findings| Failure::findings(format!("{} is refused", files::shown(&args.dir)), &findings);
    let record = read(args, &pin, ctx).map_err(refused)?;
    let bytes = record.to_bytes().map_err(refused)?;
    let path = args.out.clone().unwrap_or_else(|| {
        let commit: String = pin.commit.to_string().chars().take(12).collect();
        PathBuf::from(format!("base-{}-{commit}.json", pin.repo.name()))
    });
    files::write(&path, &bytes, 0o644)?;
    let report = Report {
        record: files::shown(&path),
        sha256: Digest::of(&bytes),
        base: pin,
        licence: record.licence,
        model_type: record.architecture.model_type,
        layers: record.architecture.layers,
        files: record.files.len(),
        bytes: record.files.iter().map(|f| f.size).sum(),
        tensors: record.tensors.len(),
    };
    ctx.report(&report, |page| {
        page.field("record", &report.record);
        page.field("sha256", report.sha256);
        page.field("base", &report.base);
        page.field("licence", &report.licence);
        page.field("architecture", format!("{}, {} layers", report.model_type, report.layers));
        page.field("files", format!("{} ({} bytes)", report.files, report.bytes));
        page.field("tensors", report.tensors);
    })
}

/// Reads every file of the snapshot on all cores.
fn read(args: &Record, pin: &BasePin, ctx: &Context) -> Result<BaseRecord, Findings> {
    let snapshot = find(&Location::Folder(args.dir.clone()), pin)?;
    if let Some(claimed) = snapshot.claimed.as_deref().filter(|c| *c != pin.commit.to_string()) {
        let next = "give the revision that the folder is a snapshot of";
        let expected = format!("a snapshot of {}", pin.commit);
        return Err(Finding::new(BASE_COMMIT_DIFFERS, Place::default(), claimed, expected, next).into());
    }
    let mut findings = Findings::new();
    let mut files = Vec::new();
    for found in walk(&snapshot)? {
        match snapshot.open(&found.path) {
            Ok(opened) => files.push((found.path, opened.size)),
            Err(unopened) => findings.push(refusal(&unopened, &found.path)),
        }
    }
    if findings.refused() {
        return Err(findings);
    }
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let progress = ctx.progress("hashing", files.iter().map(|(_, size)| size).sum());
    let measured = each(&files, |(path, size)| one(&snapshot, path, *size, &progress));
    progress.done();
    let mut builder = Builder::new(pin.clone(), args.licence.clone());
    for result in measured {
        match result {
            Ok(file) => builder.add(file),
            Err(more) => findings.extend(more),
        }
    }
    if findings.refused() { Err(findings) } else { builder.finish() }
}

fn one(snapshot: &Snapshot, path: &str, size: u64, progress: &Progress) -> Result<Measured, Findings> {
    let opened = snapshot.open(path).map_err(|unopened| Findings::from(refusal(&unopened, path)))?;
    measure(path, size, opened.file, |bytes| progress.add(bytes))
}

/// A listed file that cannot be opened; here a link to nothing is a refusal too.
fn refusal(unopened: &Unopened, path: &str) -> Finding {
    unopened.finding(path).unwrap_or_else(|| {
        let next = "download the snapshot again, whole";
        Finding::new(BASE_FILE_ABSENT, Place::file(path), "a link to a file that is not there", "a file", next)
    })
}
