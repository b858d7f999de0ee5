//! `cases/datasets`: JSON Lines files, and the verdict of the dataset check.

use std::fs::{self, File};
use std::path::PathBuf;

use retoque_core::dataset::{Limits, Report, check};
use retoque_core::problem::Code;

use crate::files::{case_path, table};

/// Codes that name the same fault at another level. Suggested codes are met by any of their group: whether
/// `User` is an unknown field or a missing one, both are reported.
const NEAR: [&[&str]; 4] = [
    &["empty_file", "bom", "not_utf8", "lfs_pointer", "not_json_lines", "invalid_json"],
    &["invalid_json", "control_character", "lone_surrogate", "duplicate_key", "row_not_object", "not_json_lines"],
    &["missing_field", "unknown_field", "wrong_type", "wrong_shape", "empty_field"],
    &["secret_found", "personal_data"],
];

fn near(code: Code) -> impl Iterator<Item = Code> {
    let groups = NEAR.iter().filter(move |group| group.contains(&code.name()));
    std::iter::once(code).chain(groups.flat_map(|group| group.iter().filter_map(|name| Code::from_name(name))))
}

fn file_of(case: &str) -> PathBuf {
    let wanted = fs::read_dir(case_path("datasets")).unwrap().map(|entry| entry.unwrap().path()).find(|path| {
        path.file_name().is_some_and(|name| name == case) || path.file_stem().is_some_and(|stem| stem == case)
    });
    wanted.unwrap_or_else(|| panic!("no file for case {case}"))
}

fn names(report: &Report) -> Vec<&'static str> {
    report.findings.list().iter().map(|finding| finding.code.name()).collect()
}

fn fits(report: &Report, verdict: &str, reason: &str) -> bool {
    let refused = report.findings.refused();
    let verdict_fits = verdict.split("-or-").any(|word| match word {
        "refuse" => refused,
        "block" | "ack" => refused,
        "accept" | "strip" | "pass" => !refused,
        "warn" => !refused && report.findings.warnings() > 0,
        "policy" => true,
        other => panic!("unknown verdict {other}"),
    });
    // Suggested codes that the catalogue does not have are no more than suggestions.
    let code_fits = !refused
        || !verdict.starts_with("refuse")
        || Code::from_name(reason).is_none_or(|code| near(code).any(|code| report.findings.has(code)));
    verdict_fits && code_fits
}

#[test]
fn every_file_has_the_stated_verdict() {
    let mut wrong = Vec::new();
    for row in table("datasets/expected.tsv") {
        let file = File::open(file_of(&row[0])).unwrap();
        let report = check(file, Limits::default(), None).unwrap();
        if !fits(&report, &row[1], &row[2]) {
            wrong.push(format!("{}: expected {} {} ({}), got {:?}", row[0], row[1], row[2], row[3], names(&report)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn refusals_name_line_and_next_step() {
    for row in table("datasets/expected.tsv").iter().filter(|row| row[1] == "refuse") {
        let report = check(File::open(file_of(&row[0])).unwrap(), Limits::default(), None).unwrap();
        let list = report.findings.list();
        assert!(list.iter().all(|f| !f.found.is_empty() && !f.expected.is_empty() && !f.next.is_empty()), "{row:?}");
        let lines: Vec<u64> = list.iter().filter_map(|finding| finding.place.line).collect();
        assert!(lines.is_sorted(), "{}: findings by physical line, {lines:?}", row[0]);
    }
}

#[test]
fn a_wrong_shape_is_one_message() {
    for row in table("datasets/expected.tsv").iter().filter(|row| row[2] == "wrong_shape") {
        let report = check(File::open(file_of(&row[0])).unwrap(), Limits::default(), None).unwrap();
        let told = names(&report).into_iter().filter(|name| *name == "wrong_shape").count();
        assert!(told <= 1, "{}: {:?}", row[0], names(&report));
    }
}
