//! `grade FILE`: lines of expected answer and output, and for each whether it passes or why not.
//!
//! Refuses lines of another shape. Outputs that do not pass are a result, not a failure of the command.

use std::path::PathBuf;

use retoque_core::evaluation::{GRADER, Graded, Reason, grade_lines};
use serde::Serialize;

use crate::context::Context;
use crate::error::Failure;
use crate::files;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// JSON Lines of {"expected": …, "output": …}
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Serialize)]
struct Report {
    grader: &'static str,
    lines: Vec<Graded>,
    cases: u64,
    passed: u64,
}

/// Grades.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let name = files::shown(&args.file);
    let lines = grade_lines(files::open(&args.file)?)
        .map_err(|e| files::unreadable(&args.file, &e))?
        .map_err(|refused| Failure::findings(format!("{name} is refused"), &refused.in_file(&name)))?;
    let passed = lines.iter().filter(|line| line.grade.passed).count() as u64;
    let report = Report { grader: GRADER, cases: lines.len() as u64, passed, lines };
    if report.cases > 0 && report.passed == 0 {
        ctx.warn(format!("0 of {} passed: check the answer format", report.cases));
    }
    ctx.report(&report, |page| {
        for line in &report.lines {
            let verdict = line.grade.reason.map_or_else(|| "pass".to_owned(), |r| format!("fail: {}", Reason::text(r)));
            page.line(format_args!("{:>6}  {verdict}", line.line));
        }
        page.blank();
        page.line(format_args!("{} of {} passed", report.passed, report.cases));
    })
}
