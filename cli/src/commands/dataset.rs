//! `dataset check | split`: what a dataset holds, what is wrong with it, and how it is divided.

pub mod check;
pub mod split;

use std::path::Path;

use retoque_core::dataset::{self, Limits, Report};
use retoque_core::digest::Digest;

use crate::context::Context;
use crate::error::Failure;
use crate::files;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Check a dataset: shape, rows, families, secrets, personal data
    Check(check::Args),
    /// Divide a dataset into held-out, validation and train
    Split(split::Args),
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    match args.what {
        What::Check(args) => check::run(&args, ctx),
        What::Split(args) => split::run(&args, ctx),
    }
}

/// The dataset in `bytes`, read from `path`; warnings are told, and a refusal says how much was read.
fn checked(path: &Path, bytes: &[u8], acknowledged: Option<Digest>, ctx: &mut Context) -> Result<Report, Failure> {
    let limits = Limits::default();
    let mut report = dataset::check(bytes, limits, acknowledged).map_err(|e| files::unreadable(path, &e))?;
    report.findings = report.findings.in_file(&files::shown(path));
    if report.findings.refused() {
        let read = format!(
            "{}, {}, {}",
            counted(report.rows.len() as u64, "valid row"),
            counted(report.families.len() as u64, "family"),
            counted(report.blank_lines, "blank line"),
        );
        let message =
            format!("{} is refused with {} ({read})", files::shown(path), counted(report.findings.errors(), "error"));
        return Err(Failure::findings(message, &report.findings));
    }
    ctx.warn_findings(&report.findings);
    Ok(report)
}

/// The bytes of a dataset: one more than the limit at most, so that the check can say that it is too large.
fn bytes_of(path: &Path) -> Result<Vec<u8>, Failure> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let limit = Limits::default().bytes + 1;
    files::open(path)?.take(limit).read_to_end(&mut bytes).map_err(|e| files::unreadable(path, &e))?;
    Ok(bytes)
}

fn counted(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}
