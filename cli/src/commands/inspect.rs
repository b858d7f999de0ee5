//! `inspect PACKAGE`: reads a package to its end and says what it holds.
//!
//! Its structure and every digest are checked on the way; with the record of the base the whole check of a registry
//! is run. Signatures are not looked at: that is `verify`. Refuses whatever is not exactly a package.

use std::io::BufReader;
use std::path::PathBuf;

use retoque_core::adapter::Policy;
use retoque_core::archive::Limits;
use retoque_core::archive::ingest::ingest;
use retoque_core::archive::read::{NoVisitor, PackageReader};
use retoque_core::archive::seek::Index;
use retoque_core::archive::write::Facts;
use retoque_core::base::BaseRecord;
use retoque_core::digest::Digest;
use retoque_core::manifest::Manifest;
use serde::Serialize;

use super::pack::BASE_RECORD;
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::output::Page;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The package (`.tar.zst`)
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// Also check adapter and manifest against this record of the base
    #[arg(long, value_name = "FILE")]
    base_record: Option<PathBuf>,
    /// Which adapters are taken, with --base-record
    #[arg(long, value_name = "POLICY", default_value = "any-plain-lora")]
    policy: Policy,
}

/// What a package holds.
#[derive(Debug, Serialize)]
struct Report {
    manifest_digest: Digest,
    package_sha256: Digest,
    package_size: u64,
    content_size: u64,
    /// Which checks were made.
    checked: &'static str,
    frames: usize,
    files: Vec<File>,
    manifest: Manifest,
}

#[derive(Debug, Serialize)]
struct File {
    path: String,
    size: u64,
    sha256: Digest,
    pieces: usize,
    stored: u64,
}

/// Inspects.
#[expect(clippy::needless_pass_by_value, reason = "every command takes its arguments by value")]
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let reader = BufReader::with_capacity(1 << 20, files::open(&args.package)?);
    let limits = Limits::default();
    let refused = |f| Failure::findings(format!("{} is refused", files::shown(&args.package)), &f);
    let (manifest, manifest_digest, facts, warnings) = match &args.base_record {
        None => {
            let (package, warnings) = PackageReader::new(reader, &limits).run(&mut NoVisitor).map_err(refused)?;
            (package.manifest, package.manifest_digest, package.facts, warnings)
        }
        Some(path) => {
            let base = BaseRecord::from_bytes(&files::read(path, BASE_RECORD)?)
                .map_err(|f| Failure::findings(format!("{} is refused", files::shown(path)), &f))?;
            let (facts, warnings) = ingest(reader, &base, args.policy, &limits).map_err(refused)?;
            (facts.manifest, facts.manifest_digest, facts.archive, warnings)
        }
    };
    ctx.warn_findings(&warnings);
    let checked = if args.base_record.is_some() {
        "structure, digests, adapter and base; no signature"
    } else {
        "structure and digests; no signature"
    };
    let report = report(manifest, manifest_digest, facts, checked)?;
    ctx.report(&report, |page| show(&report, page))
}

fn report(manifest: Manifest, manifest_digest: Digest, facts: Facts, checked: &'static str) -> Result<Report, Failure> {
    let content_size = facts.table.frames.iter().map(|f| u64::from(f.content)).sum();
    let frames = facts.table.frames.len();
    let sizes = facts.files.iter().map(|f| (f.path.as_str(), f.size));
    let index = Index::new(facts.table, sizes)?;
    let stored = |path: &str, size| index.cut(path, 0..size).map_or(0, |cut| cut.stored.end - cut.stored.start);
    let files = facts.files.iter().map(|f| File {
        stored: stored(&f.path, f.size),
        path: f.path.clone(),
        size: f.size,
        sha256: f.sha256,
        pieces: index.file(&f.path).map_or(0, |span| span.frames.len()),
    });
    Ok(Report {
        manifest_digest,
        package_sha256: facts.sha256,
        package_size: facts.size,
        content_size,
        checked,
        frames,
        files: files.collect(),
        manifest,
    })
}

fn show(report: &Report, page: &mut Page) {
    let Manifest { patch, version, base, adapter, dataset, training, evidence, .. } = &report.manifest;
    page.heading(format!("{patch} {version}"));
    page.field("manifest", report.manifest_digest);
    page.field("archive", format!("{} ({} bytes)", report.package_sha256, report.package_size));
    page.field("checked", report.checked);
    page.field("base", format!("{}@{}", base.repo, base.commit));
    page.field("base licence", &base.licence);
    page.field(
        "adapter",
        format!("rank {}, alpha {}, dropout {}, {}", adapter.rank, adapter.alpha, adapter.dropout, adapter.dtype),
    );
    page.field("scale", format!("{} ({})", adapter.scale.value, adapter.scale.rule));
    page.field("modules", adapter.modules.join(", "));
    page.field(
        "tensors",
        format!("{} in {} layers, {} parameters", adapter.tensors, adapter.layers.len(), adapter.parameters),
    );
    page.field(
        "dataset",
        format!("{} rows, {} families, {}, {}", dataset.rows, dataset.families, dataset.source, dataset.licence),
    );
    page.field("dataset digest", dataset.sha256);
    page.field("training", format!("seed {}, record {}", training.seed, training.record));
    page.field("evidence", evidence.state);
    let suites =
        [("held-out", evidence.held_out), ("validation", evidence.validation), ("regression", evidence.regression)];
    let rows = suites.map(|(name, s)| {
        let counts = [s.cases, s.base, s.control, s.patched, s.disabled].map(|n| n.to_string());
        std::iter::once(name.to_owned()).chain(counts).collect::<Vec<_>>()
    });
    page.blank();
    page.table(&["suite", "cases", "base", "control", "patched", "disabled"], &rows, "");
    page.blank();
    let rows: Vec<Vec<String>> = report
        .files
        .iter()
        .map(|f| {
            vec![f.path.clone(), f.size.to_string(), f.stored.to_string(), f.pieces.to_string(), f.sha256.to_string()]
        })
        .collect();
    page.table(&["file", "bytes", "stored", "pieces", "digest"], &rows, "no file");
}
