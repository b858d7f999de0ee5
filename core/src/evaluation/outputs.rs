//! `outputs.jsonl`: one line per suite, dataset line and arm, streamed and graded.
//!
//! Refuses unknown fields, suites and arms, lines outside their suite, repeated and missing outputs. At most
//! 200,000,000 bytes, one output at most 1 MiB as written; the texts of validation cases, which are kept for
//! their publication, at most 64 MiB together.

use std::io::{self, BufReader, Read};

use super::cases::{Answer, Arm, Cases, Suite};
use super::grade::grade;
use crate::dataset::detect;
use crate::dataset::lines::{Line, Lines, Step};
use crate::digest::Digest;
use crate::json::{self, Limits, Value};
use crate::problem::{
    Code, Finding, Findings, OUTPUT_MISSING, OUTPUT_REPEATED, OUTPUT_UNKNOWN_CASE, Place, RECORD_FIELD,
    RECORD_NOT_JSON, RECORD_TOO_LARGE, SECRET_FOUND,
};

/// The name of the file.
pub(crate) const FILE: &str = "outputs.jsonl";
/// Most bytes of the file.
pub const OUTPUTS_BYTES: u64 = 200_000_000;
/// Most bytes of one line.
const LINE_BYTES: usize = 1 << 20;
/// Most bytes of kept texts.
const KEPT_BYTES: usize = 64 << 20;

/// Reads and grades every output. The digest is absent when reading stopped at a limit.
pub(crate) fn read(reader: impl Read, cases: &mut Cases<'_>, findings: &mut Findings) -> io::Result<Option<Digest>> {
    let mut lines = Lines::keeping(BufReader::with_capacity(64 * 1024, reader), OUTPUTS_BYTES, LINE_BYTES);
    let mut kept = 0;
    loop {
        match lines.step()? {
            Step::Line(line) => {
                if let Err(finding) = take(&line, cases, &mut kept) {
                    findings.push(*finding);
                }
                if kept > KEPT_BYTES {
                    findings.push(too_large("validation outputs", &format!("{KEPT_BYTES} bytes together")));
                    return Ok(None);
                }
            }
            Step::TooLarge => {
                findings.push(too_large("a larger file", &format!("{OUTPUTS_BYTES} bytes")));
                return Ok(None);
            }
            Step::End => break,
        }
    }
    for case in &cases.list {
        for arm in Arm::ALL.into_iter().filter(|arm| case.answer(*arm).is_none()) {
            let found = format!("no output of {} for {} line {}", arm.name(), case.suite.name(), case.row.line);
            let place = Place::file(FILE);
            let next = "run the evaluation again, for every case and arm";
            findings.push(Finding::new(OUTPUT_MISSING, place, found, "one output per case and arm", next));
        }
    }
    Ok(Some(lines.finish().1))
}

fn too_large(found: &str, most: &str) -> Finding {
    let next = "limit how much the model may answer";
    Finding::new(RECORD_TOO_LARGE, Place::file(FILE), found, format!("at most {most}"), next)
}

fn fault(line: &Line<'_>, code: Code, found: impl Into<String>, expected: &str) -> Box<Finding> {
    let next = "correct the program that writes the file; docs/format/evaluation.md describes each line";
    Box::new(Finding::new(code, Place::file(FILE).at_line(line.number), found, expected, next))
}

fn take(line: &Line<'_>, cases: &mut Cases<'_>, kept: &mut usize) -> Result<(), Box<Finding>> {
    if line.cut {
        return Err(fault(line, RECORD_TOO_LARGE, "a longer line", "at most 1 MiB"));
    }
    let value = json::parse(line.bytes, Limits::DOCUMENT)
        .map_err(|error| fault(line, RECORD_NOT_JSON, error.to_string(), "one strict JSON object"))?;
    let (suite, number, arm, output) = fields(line, &value)?;
    let Some(case) = cases.find(suite, number) else {
        let found = format!("line {number} of {}", suite.name());
        return Err(fault(line, OUTPUT_UNKNOWN_CASE, found, "a line that is a case of the suite"));
    };
    if case.answer(arm).is_some() {
        let found = format!("a second output of {} for {} line {number}", arm.name(), suite.name());
        return Err(fault(line, OUTPUT_REPEATED, found, "one output per case and arm"));
    }
    let text = (suite == Suite::Validation).then(|| output.to_owned());
    // Only these texts may be published.
    if text.as_deref().is_some_and(detect::has_secret) {
        return Err(fault(line, SECRET_FOUND, "what looks like a secret in an output", "no secrets"));
    }
    *kept += text.as_ref().map_or(0, String::len);
    let passed = grade(&case.row.assistant, output).passed;
    case.answers[arm as usize] = Some(Answer { passed, digest: Digest::of(output.as_bytes()), text });
    Ok(())
}

fn fields<'v>(line: &Line<'_>, value: &'v Value) -> Result<(Suite, u64, Arm, &'v str), Box<Finding>> {
    const NAMES: [&str; 4] = ["suite", "line", "arm", "output"];
    let expected = "exactly suite, line, arm and output";
    let members = value
        .as_object()
        .ok_or_else(|| fault(line, RECORD_FIELD, value.kind(), "an object of suite, line, arm, output"))?;
    if let Some((name, _)) = members.iter().find(|(name, _)| !NAMES.contains(&name.as_str())) {
        let name: String = name.chars().take(40).collect();
        return Err(fault(line, RECORD_FIELD, format!("the field {name:?}"), expected));
    }
    let field =
        |name: &str| value.get(name).ok_or_else(|| fault(line, RECORD_FIELD, format!("no field {name:?}"), expected));
    let suite = field("suite")?.as_str().and_then(Suite::from_name);
    let suite =
        suite.ok_or_else(|| fault(line, RECORD_FIELD, "another suite", "held_out, validation or regression"))?;
    let number = field("line")?.as_number().and_then(json::Number::as_u64);
    let number =
        number.ok_or_else(|| fault(line, RECORD_FIELD, "a line that is no whole number", "a number from 1"))?;
    let arm = field("arm")?.as_str().and_then(Arm::from_name);
    let arm = arm.ok_or_else(|| fault(line, RECORD_FIELD, "another arm", "base, control, patched or disabled"))?;
    let output = field("output")?.as_str();
    let output = output.ok_or_else(|| fault(line, RECORD_FIELD, "an output that is no string", "a string"))?;
    Ok((suite, number, arm, output))
}
