//! Lines of `{"expected": …, "output": …}`, graded one by one: the grader for everyday use.
//!
//! Refuses other fields, values that are no strings, and an empty expected answer. Blank lines are skipped.

use std::io::{self, BufReader, Read};

use serde::Serialize;

use super::grade::{Grade, grade};
use super::outputs::OUTPUTS_BYTES;
use crate::dataset::lines::{Line, Lines, Step};
use crate::json::{self, Limits, Value};
use crate::problem::{Code, Finding, Findings, Place, RECORD_FIELD, RECORD_NOT_JSON, RECORD_TOO_LARGE};

/// Most bytes of one line.
const LINE_BYTES: usize = 1 << 20;

/// The grade of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Graded {
    /// The physical line, from 1.
    pub line: u64,
    /// The grade.
    #[serde(flatten)]
    pub grade: Grade,
}

/// Grades every line, or says what is wrong with the lines.
pub fn grade_lines(reader: impl Read) -> io::Result<Result<Vec<Graded>, Findings>> {
    let mut lines = Lines::keeping(BufReader::with_capacity(64 * 1024, reader), OUTPUTS_BYTES, LINE_BYTES);
    let (mut graded, mut findings) = (Vec::new(), Findings::new());
    loop {
        match lines.step()? {
            Step::Line(line) if line.is_blank() => {}
            Step::Line(line) => match one(&line) {
                Ok(grade) => graded.push(Graded { line: line.number, grade }),
                Err(finding) => findings.push(*finding),
            },
            Step::TooLarge => {
                let expected = format!("at most {OUTPUTS_BYTES} bytes");
                let next = "grade the file in parts";
                findings.push(Finding::new(RECORD_TOO_LARGE, Place::default(), "a larger file", expected, next));
                break;
            }
            Step::End => break,
        }
    }
    Ok(findings.into_result(graded).map(|(graded, _)| graded))
}

fn one(line: &Line<'_>) -> Result<Grade, Box<Finding>> {
    let fault = |code: Code, found: &str, expected: &str| {
        let next = "write {\"expected\": \"…\", \"output\": \"…\"} on each line";
        Box::new(Finding::new(code, Place::default().at_line(line.number), found, expected, next))
    };
    if line.cut {
        return Err(fault(RECORD_TOO_LARGE, "a longer line", "at most 1 MiB"));
    }
    let value = json::parse(line.bytes, Limits::DOCUMENT)
        .map_err(|error| fault(RECORD_NOT_JSON, &error.to_string(), "one strict JSON object"))?;
    let Value::Object(members) = &value else {
        return Err(fault(RECORD_NOT_JSON, value.kind(), "a JSON object"));
    };
    let expected = "exactly the fields expected and output, both strings";
    if let Some((name, _)) = members.iter().find(|(name, _)| name != "expected" && name != "output") {
        let name: String = name.chars().take(40).collect();
        return Err(fault(RECORD_FIELD, &format!("the field {name:?}"), expected));
    }
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    match (text("expected"), text("output")) {
        (Some(answer), _) if answer.trim().is_empty() => {
            Err(fault(RECORD_FIELD, "an empty expected answer", "an answer"))
        }
        (Some(answer), Some(output)) => Ok(grade(answer, output)),
        _ => Err(fault(RECORD_FIELD, "a field that is missing or no string", expected)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_graded_or_named() {
        let good = "{\"expected\":\"a\",\"output\":\" a \"}\n\n{\"expected\":\"a\",\"output\":\"b\"}\n";
        let graded = grade_lines(good.as_bytes()).unwrap().unwrap();
        assert_eq!(graded.iter().map(|g| (g.line, g.grade.passed)).collect::<Vec<_>>(), [(1, true), (3, false)]);
        let bad =
            "{\"expected\":\"a\"}\n[]\n{\"expected\":\"\",\"output\":\"\"}\n{\"expected\":\"a\",\"output\":1}\nx\n";
        let findings = grade_lines(bad.as_bytes()).unwrap().unwrap_err();
        let lines: Vec<_> = findings.list().iter().filter_map(|f| f.place.line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 5]);
    }
}
