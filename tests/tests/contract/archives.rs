//! `cases/archives`: hostile and odd archives, and the verdict on each.
//!
//! The verdicts are for the tar layer alone; none of the archives is a package, so the package reader must
//! refuse each of them. Reading has nowhere to write to, and its memory is bounded whatever an archive says.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use retoque_core::archive::Limits;
use retoque_core::archive::read::{NoVisitor, PackageReader, check_tar_layer};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/archives")
}

struct Case {
    name: String,
    verdict: String,
    reason: String,
}

fn cases() -> Vec<Case> {
    let text = fs::read_to_string(folder().join("expected.tsv")).expect("expected.tsv");
    let rows = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let cases: Vec<Case> = rows
        .map(|row| {
            let mut columns = row.split('\t').map(|c| c.trim().to_owned());
            let mut next = || columns.next().unwrap_or_default();
            Case { name: next(), verdict: next(), reason: next() }
        })
        .collect();
    assert!(!cases.is_empty(), "expected.tsv has no rows");
    cases
}

fn open(case: &Case) -> impl Read {
    BufReader::new(File::open(folder().join(&case.name)).unwrap_or_else(|e| panic!("{}: {e}", case.name)))
}

/// The most bytes of memory that this process has held.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[test]
fn the_tar_layer_gives_each_verdict() {
    let mut wrong = Vec::new();
    for case in cases() {
        let result = check_tar_layer(open(&case), &Limits::default());
        let verdict = if result.is_ok() { "accept" } else { "refuse" };
        let codes: Vec<_> =
            result.as_ref().err().map_or_else(Vec::new, |f| f.list().iter().map(|f| f.code.name()).collect());
        println!("{}: {verdict} {codes:?} (suggested: {})", case.name, case.reason);
        // `accept-or-refuse`, `refuse-or-normalise` and `policy` leave the choice; see docs/design/archives.md.
        let binding = matches!(case.verdict.as_str(), "accept" | "refuse");
        if binding && case.verdict != verdict {
            wrong.push(format!("{}: {verdict} {codes:?} instead of {}", case.name, case.verdict));
        }
        if let Err(findings) = result {
            for finding in findings.list() {
                let complete = ![&finding.found, &finding.expected, &finding.next].iter().any(|text| text.is_empty());
                assert!(complete, "{}: {finding:?}", case.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn none_is_a_package() {
    for case in cases() {
        let findings = PackageReader::new(open(&case), &Limits::default()).run(&mut NoVisitor);
        let findings = findings.err().unwrap_or_else(|| panic!("{} was taken as a package", case.name));
        assert!(findings.refused() && findings.first_error().is_some(), "{}", case.name);
        let _ = check_tar_layer(open(&case), &Limits::default());
    }
    println!("peak={}", peak());
}

#[test]
fn reading_them_takes_little_memory() {
    // In a process of its own, where no other test counts.
    let program = std::env::current_exe().expect("the test's own program");
    let arguments = ["archives::none_is_a_package", "--exact", "--nocapture"];
    let output = Command::new(program).args(arguments).output().expect("the test runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let peak = text.split("peak=").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    let peak = peak.unwrap_or_else(|| panic!("no measurement in {text}"));
    assert!(output.status.success() && peak > 0 && peak < 64 << 20, "{peak} bytes: {text}");
}
