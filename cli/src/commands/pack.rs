//! `pack ADAPTER_DIR`: makes a package out of what a trainer left, and says what was left out or rewritten.
//!
//! Refuses what makes the adapter ambiguous, dangerous or different from its declared base, and evidence that the
//! record does not give. Nothing is left behind after a refusal. Clause: specification, section 2.

use std::path::{Path, PathBuf};

use retoque_core::adapter::Policy;
use retoque_core::archive::Limits;
use retoque_core::base::BaseRecord;
use retoque_core::dataset::Seed;
use retoque_core::digest::Digest;
use retoque_core::evaluation::EvidenceState;
use retoque_core::evaluation::{ALLOWANCE_POINTS, Declared};
use retoque_core::id::{BasePin, PatchName, Version};
use retoque_core::manifest::shape::SOURCES;
use serde::Serialize;

use crate::client::{Connection, MAX_JSON};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::packer::{self, Packed, Request};
use crate::runtime::block_on;

/// Most bytes of a base record.
pub(super) const BASE_RECORD: u64 = 4 << 20;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(disable_version_flag = true)]
pub struct Args {
    /// The folder that PEFT wrote
    #[arg(value_name = "ADAPTER_DIR")]
    adapter: PathBuf,
    /// The patch
    #[arg(long, value_name = "ORG/SLUG")]
    patch: PatchName,
    /// Its version
    #[arg(long, value_name = "VERSION")]
    version: Version,
    /// The exact base that the adapter was trained on
    #[arg(long, value_name = "OWNER/NAME@COMMIT")]
    base: BasePin,
    /// The record of that base, as `retoque base record` writes it [default: the one that the registry keeps]
    #[arg(long, value_name = "FILE")]
    base_record: Option<PathBuf>,
    /// The folder with dataset.jsonl, regression.jsonl, outputs.jsonl, run.json and training.json
    #[arg(long, value_name = "DIR")]
    record: PathBuf,
    /// The seed of the split
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    seed: Seed,
    /// Where the rows of the dataset come from
    #[arg(long, value_name = "SOURCE", value_parser = SOURCES)]
    dataset_source: String,
    /// One SPDX identifier, or `proprietary-owned`
    #[arg(long, value_name = "LICENCE")]
    dataset_licence: String,
    /// Digest of the dataset's personal-data findings, when somebody looked at them
    #[arg(long, value_name = "DIGEST")]
    acknowledge: Option<Digest>,
    /// Allowed drop on the regression suite, in percentage points
    #[arg(long, value_name = "POINTS", default_value_t = ALLOWANCE_POINTS)]
    allowance: u64,
    /// Which adapters are taken: fixed-profile or any-plain-lora
    #[arg(long, value_name = "POLICY", default_value = "fixed-profile")]
    policy: Policy,
    /// Where the package goes [default: SLUG-VERSION.tar.zst]; validation-cases.json is written beside it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What was packed.
#[derive(Debug, Serialize)]
struct Report {
    package: String,
    patch: PatchName,
    version: Version,
    manifest_digest: Digest,
    package_sha256: Digest,
    package_size: u64,
    evidence: EvidenceState,
    validation_cases: String,
    files: Vec<File>,
    left_out: Vec<LeftOut>,
}

#[derive(Debug, Serialize)]
struct File {
    path: String,
    size: u64,
    sha256: Digest,
}

#[derive(Debug, Serialize)]
struct LeftOut {
    path: String,
    why: &'static str,
}

/// Packs.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let base = base_record(args.base_record.as_deref(), &args.base, ctx)?;
    let out = args.out.unwrap_or_else(|| PathBuf::from(format!("{}-{}.tar.zst", args.patch.slug, args.version)));
    let size = std::fs::metadata(args.adapter.join(retoque_core::archive::WEIGHTS)).map_or(0, |m| m.len());
    let request = Request {
        adapter: &args.adapter,
        patch: args.patch,
        version: args.version,
        pin: args.base,
        base: &base,
        record: &args.record,
        declared: Declared {
            seed: args.seed,
            source: args.dataset_source,
            licence: args.dataset_licence,
            allowance_points: args.allowance,
            acknowledged: args.acknowledge,
            regression_suite: None,
        },
        policy: args.policy,
        limits: Limits::default(),
        out: &out,
        progress: ctx.progress("examining", size),
    };
    let packed = packer::pack(&request);
    request.progress.done();
    let packed = packed.map_err(|f| Failure::findings(format!("{} is refused", files::shown(&args.adapter)), &f))?;
    ctx.warn_findings(&packed.warnings);
    let report = report(packed, files::shown(&out));
    ctx.report(&report, |page| {
        page.field("package", format!("{} ({} bytes)", report.package, report.package_size));
        page.field("patch", format!("{} {}", report.patch, report.version));
        page.field("manifest", report.manifest_digest);
        page.field("archive", report.package_sha256);
        page.field("evidence", report.evidence);
        page.field("beside it", &report.validation_cases);
    })
}

/// The record of the base: from the file, else from the registry.
fn base_record(file: Option<&Path>, pin: &BasePin, ctx: &Context) -> Result<BaseRecord, Failure> {
    let (bytes, name) = if let Some(path) = file {
        (files::read(path, BASE_RECORD)?, files::shown(path))
    } else {
        let client = Connection::open(ctx)
            .map_err(|failure| failure.with_next("give the record with --base-record, or name a registry"))?
            .client;
        let (owner, repo) = pin.repo.as_str().split_once('/').unwrap_or(("", pin.repo.as_str()));
        let url = client.api(&["bases", owner, repo, pin.commit.as_str()]);
        (block_on(client.bytes(url, MAX_JSON))?.to_vec(), "the registry's record of the base".to_owned())
    };
    BaseRecord::from_bytes(&bytes).map_err(|f| Failure::findings(format!("{name} is refused"), &f))
}

fn report(packed: Packed, package: String) -> Report {
    let Packed { manifest, manifest_digest, facts, validation_cases, left_out, .. } = packed;
    Report {
        package,
        patch: manifest.patch,
        version: manifest.version,
        manifest_digest,
        package_sha256: facts.sha256,
        package_size: facts.size,
        evidence: manifest.evidence.state,
        validation_cases: files::shown(&validation_cases),
        files: facts.files.into_iter().map(|f| File { path: f.path, size: f.size, sha256: f.sha256 }).collect(),
        left_out: left_out.into_iter().map(|(path, why)| LeftOut { path, why }).collect(),
    }
}
