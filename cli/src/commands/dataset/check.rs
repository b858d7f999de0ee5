//! `dataset check FILE`: the check that a registry makes, before anything is uploaded.
//!
//! Secrets refuse the file; likely personal data does until somebody acknowledges exactly what was found.

use std::collections::BTreeMap;
use std::path::PathBuf;

use retoque_core::digest::Digest;
use serde::Serialize;

use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The dataset, JSON Lines
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Take the personal data that an earlier check found; the digest is the one it printed
    #[arg(long, value_name = "DIGEST")]
    acknowledge: Option<Digest>,
}

#[derive(Debug, Serialize)]
struct Summary {
    sha256: Option<Digest>,
    bytes: u64,
    rows: u64,
    blank_lines: u64,
    families: BTreeMap<String, u64>,
    warnings: u64,
    personal_data: u64,
    acknowledgement: Option<Digest>,
}

/// Runs the command.
pub fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let bytes = super::bytes_of(&args.file)?;
    let report = super::checked(&args.file, &bytes, args.acknowledge, ctx)?;
    let summary = Summary {
        sha256: report.sha256,
        bytes: report.bytes,
        rows: report.rows.len() as u64,
        blank_lines: report.blank_lines,
        families: report.families,
        warnings: report.findings.warnings(),
        personal_data: report.personal_data,
        acknowledgement: report.acknowledgement,
    };
    ctx.report(&summary, |page| {
        page.field("rows", summary.rows);
        page.field("families", summary.families.len());
        page.field("blank lines", summary.blank_lines);
        page.field("bytes", summary.bytes);
        if let Some(digest) = summary.sha256 {
            page.field("sha256", digest);
        }
        if let Some(digest) = summary.acknowledgement {
            page.field("personal data", format!("{} acknowledged by {digest}", summary.personal_data));
        }
    })
}
