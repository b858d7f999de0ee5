//! `dataset split FILE --seed N`: the fixed split, and which lines each part has.
//!
//! With `--out` each part is written as it stands in the dataset, and `split.json` beside them. Refuses a
//! dataset that the check refuses: its split would not be the one that a registry computes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use retoque_core::dataset::{self, PartName, Seed, split};
use retoque_core::digest::Digest;
use serde::Serialize;

use crate::context::Context;
use crate::error::Failure;
use crate::files;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The dataset, JSON Lines
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The seed
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    seed: Seed,
    /// Write each part, and `split.json`, into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take the personal data that an earlier check found; the digest is the one it printed
    #[arg(long, value_name = "DIGEST")]
    acknowledge: Option<Digest>,
}

#[derive(Debug, Serialize)]
struct Document {
    dataset: Option<Digest>,
    seed: Seed,
    rows: u64,
    families: BTreeMap<&'static str, Vec<String>>,
    row_counts: BTreeMap<&'static str, u64>,
    lines: BTreeMap<&'static str, Vec<u64>>,
    control_lines: Vec<u64>,
}

/// Runs the command.
pub fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let bytes = super::bytes_of(&args.file)?;
    let report = super::checked(&args.file, &bytes, args.acknowledge, ctx)?;
    let document = divide(&report, &args.seed);
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|e| files::unwritable(folder, &e))?;
        let lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        for (part, numbers) in &document.lines {
            let mut content = Vec::new();
            for number in numbers {
                let line = usize::try_from(*number).ok().and_then(|n| lines.get(n.checked_sub(1)?).copied());
                let line = line.unwrap_or_default();
                content.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
                content.push(b'\n');
            }
            files::write(&folder.join(format!("{part}.jsonl")), &content, 0o644)?;
        }
        let json = serde_json::to_vec_pretty(&document).unwrap_or_default();
        files::write(&folder.join("split.json"), &json, 0o644)?;
    }
    ctx.report(&document, |page| {
        page.field("seed", &document.seed);
        page.field("rows", document.rows);
        for part in PartName::ALL.map(PartName::name) {
            let families = &document.families[part];
            page.blank();
            page.heading(format!("{part}: {} rows, {} families", document.row_counts[part], families.len()));
            for family in families {
                page.line(format_args!("  {family}"));
            }
        }
        page.blank();
        let control: Vec<String> = document.control_lines.iter().map(u64::to_string).collect();
        page.field("control lines", control.join(", "));
        if let Some(folder) = &args.out {
            page.field("written to", files::shown(folder));
        }
    })
}

fn divide(report: &dataset::Report, seed: &Seed) -> Document {
    let split = split(&report.families, seed);
    let lines_of = |name| {
        let rows = report.rows.iter().filter(|row| split.part_of(&row.family) == Some(name));
        rows.map(|row| row.line).collect::<Vec<u64>>()
    };
    let lines: BTreeMap<&'static str, Vec<u64>> = PartName::ALL.map(|name| (name.name(), lines_of(name))).into();
    Document {
        dataset: report.sha256,
        seed: seed.clone(),
        rows: report.rows.len() as u64,
        families: PartName::ALL.map(|name| (name.name(), split.part(name).families.clone())).into(),
        row_counts: PartName::ALL.map(|name| (name.name(), split.part(name).rows)).into(),
        control_lines: split.control_lines(lines[PartName::Train.name()].iter().copied()),
        lines,
    }
}
