//! The dataset check: everything that is wrong with one file, in one pass.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};

use super::blank::folded;
use super::detect::Sightings;
use super::lines::{Lines, Step};
use super::notices::Notices;
use super::row::{self, Parsed, Row};
use super::shape::Shape;
use super::whole::{self, BOM, HEAD};
use crate::digest::Digest;
use crate::problem::{
    DATASET_BOM, DATASET_EMPTY, DATASET_TOO_LARGE, Finding, Findings, Place, ROW_REPEATED_PAIR, ROW_TOO_LONG,
    TOO_FEW_FAMILIES, TOO_FEW_ROWS,
};

/// The limits of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of the file.
    pub bytes: u64,
    /// Most characters of a row's line, without its end.
    pub row_chars: u64,
    /// Fewest valid rows.
    pub rows: u64,
    /// Fewest families.
    pub families: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 20_000_000, row_chars: 8_000, rows: 60, families: 3 }
    }
}

/// What a check found: the file's contents, and every finding.
#[derive(Debug, Clone)]
pub struct Report {
    /// The valid rows, in file order.
    pub rows: Vec<Row>,
    /// Rows of each family.
    pub families: BTreeMap<String, u64>,
    /// Blank lines, which were skipped.
    pub blank_lines: u64,
    /// Size of the file in bytes; what was read of it when it is refused as a whole.
    pub bytes: u64,
    /// Digest of the file; absent when it was not read to its end.
    pub sha256: Option<Digest>,
    /// Errors and warnings, by physical line.
    pub findings: Findings,
    /// How many likely personal data were seen.
    pub personal_data: u64,
    /// What a person has to repeat to acknowledge the personal data of exactly this file.
    pub acknowledgement: Option<Digest>,
}

/// A dataset without errors.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The rows, in file order.
    pub rows: Vec<Row>,
    /// Rows of each family.
    pub families: BTreeMap<String, u64>,
    /// Digest of the file.
    pub sha256: Digest,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Warnings.
    pub warnings: Findings,
}

impl Report {
    /// The dataset, or all findings when any of them refuses it.
    pub fn into_dataset(self) -> Result<Dataset, Findings> {
        let Self { rows, families, bytes, sha256, findings, .. } = self;
        match sha256 {
            Some(sha256) if !findings.refused() => Ok(Dataset { rows, families, sha256, bytes, warnings: findings }),
            _ => Err(findings),
        }
    }

    fn refused(bytes: u64, finding: Finding) -> Self {
        Self {
            rows: Vec::new(),
            families: BTreeMap::new(),
            blank_lines: 0,
            bytes,
            sha256: None,
            findings: finding.into(),
            personal_data: 0,
            acknowledgement: None,
        }
    }
}

/// Who takes responsibility for likely personal data in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Nobody, or a person who repeated the digest of an earlier report.
    Person(Option<Digest>),
    /// The operator, who chose the file.
    Operator,
}

/// Checks a dataset. `acknowledged` is the digest of an earlier report whose personal data a person
/// acknowledged; it counts only for the same file and the same findings.
pub fn check(reader: impl Read, limits: Limits, acknowledged: Option<Digest>) -> io::Result<Report> {
    check_as(reader, limits, Answer::Person(acknowledged))
}

/// Checks a file of rows that the operator chose, such as the regression suite.
pub fn check_operators(reader: impl Read, limits: Limits) -> io::Result<Report> {
    check_as(reader, limits, Answer::Operator)
}

fn check_as(mut reader: impl Read, limits: Limits, answer: Answer) -> io::Result<Report> {
    let mut head = Vec::new();
    (&mut reader).take(HEAD as u64).read_to_end(&mut head)?;
    if let Some(finding) = whole::diagnose(&head, head.len() < HEAD) {
        return Ok(Report::refused(head.len() as u64, finding));
    }
    let bom = head.starts_with(BOM);
    let mut lines = Lines::new(io::Cursor::new(head).chain(io::BufReader::with_capacity(HEAD, reader)), limits.bytes);
    let mut checking = Checking::new(limits);
    if bom {
        lines.skip(BOM);
        let next = "remove it: `sed -i '1s/^\\xEF\\xBB\\xBF//' FILE`";
        let place = Place::default().at_line(1).at_byte(0);
        checking.errors.push(Finding::new(DATASET_BOM, place, "a byte-order mark", "UTF-8 without one", next));
    }
    loop {
        match lines.step()? {
            Step::Line(line) if line.is_blank() => checking.blank_lines += 1,
            Step::Line(line) => {
                if line.chars > limits.row_chars {
                    checking.errors.push(too_long(line.number, line.chars, limits));
                }
                if !line.cut {
                    checking.line(row::parse(&line), line.number);
                }
            }
            Step::TooLarge => return Ok(Report::refused(limits.bytes, too_large(limits.bytes))),
            Step::End => break,
        }
    }
    let (bytes, sha256) = lines.finish();
    Ok(checking.finish(bytes, sha256, answer))
}

fn too_long(line: u64, chars: u64, limits: Limits) -> Finding {
    let expected = format!("at most {} characters, without the line end", limits.row_chars);
    let place = Place::default().at_line(line);
    Finding::new(ROW_TOO_LONG, place, format!("{chars} characters"), expected, "shorten the row, or remove it")
}

fn too_large(limit: u64) -> Finding {
    let expected = format!("at most {limit} bytes (1 MB is 10^6 bytes)");
    Finding::new(DATASET_TOO_LARGE, Place::default(), "a larger file", expected, "keep the most telling rows")
}

/// The state of one pass over a file.
struct Checking {
    limits: Limits,
    rows: Vec<Row>,
    families: BTreeMap<String, u64>,
    blank_lines: u64,
    pairs: HashMap<Digest, u64>,
    shapes: HashMap<Shape, (u64, u64)>,
    errors: Findings,
    sightings: Sightings,
    notices: Notices,
}

impl Checking {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            rows: Vec::new(),
            families: BTreeMap::new(),
            blank_lines: 0,
            pairs: HashMap::new(),
            shapes: HashMap::new(),
            errors: Findings::new(),
            sightings: Sightings::default(),
            notices: Notices::default(),
        }
    }

    fn line(&mut self, parsed: Parsed, number: u64) {
        match parsed {
            Parsed::Row(row) => self.row(row),
            Parsed::OtherShape(shape) => self.shapes.entry(shape).or_insert((number, 0)).1 += 1,
            Parsed::Faulty(faults) => faults.into_iter().for_each(|fault| self.errors.push(fault)),
        }
    }

    fn row(&mut self, row: Row) {
        for (field, text) in row.fields() {
            self.sightings.scan(row.line, field, text);
        }
        self.notices.row(&row);
        match self.pairs.entry(pair(&row.user, &row.assistant)) {
            std::collections::hash_map::Entry::Occupied(first) => {
                let found = format!("the user and assistant texts of line {}", first.get());
                let place = Place::default().at_line(row.line);
                let next = "remove one of the two rows";
                self.errors.push(Finding::new(ROW_REPEATED_PAIR, place, found, "each pair once", next));
            }
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(row.line);
                *self.families.entry(row.family.clone()).or_default() += 1;
                self.rows.push(row);
            }
        }
    }

    fn finish(mut self, bytes: u64, sha256: Digest, answer: Answer) -> Report {
        let acknowledgement = self.sightings.acknowledgement(sha256);
        let personal_data = self.sightings.personal();
        let accepted = match answer {
            Answer::Person(acknowledged) => acknowledgement.is_some() && acknowledgement == acknowledged,
            Answer::Operator => true,
        };
        let other_shape = !self.shapes.is_empty();
        for (shape, (first, rows)) in self.shapes.drain() {
            self.errors.push(shape.finding(first, rows));
        }
        let mut findings = self.errors.merged_by_line(self.sightings.into_findings(acknowledgement, accepted));
        if !other_shape {
            floors(&self.rows, &self.families, self.limits, &mut findings);
        }
        findings.extend(self.notices.into_findings(&self.families));
        Report {
            rows: self.rows,
            families: self.families,
            blank_lines: self.blank_lines,
            bytes,
            sha256: Some(sha256),
            findings,
            personal_data,
            acknowledgement,
        }
    }
}

fn floors(rows: &[Row], families: &BTreeMap<String, u64>, limits: Limits, findings: &mut Findings) {
    let count = rows.len() as u64;
    if count == 0 && !findings.refused() {
        let next = "write the rows into the file";
        findings.push(Finding::new(DATASET_EMPTY, Place::default(), "only blank lines", "rows", next));
        return;
    }
    if count < limits.rows {
        let expected = format!("at least {} valid rows", limits.rows);
        let next = "add rows, or mend the faulty ones";
        findings.push(Finding::new(TOO_FEW_ROWS, Place::default(), format!("{count} valid rows"), expected, next));
    }
    let distinct = families.keys().map(|family| folded(family)).collect::<HashSet<_>>().len() as u64;
    if distinct < limits.families {
        let (found, expected) = (format!("{distinct} families"), format!("at least {} families", limits.families));
        let next = "name the kinds of cases apart; names that differ by blanks or letter case count once";
        findings.push(Finding::new(TOO_FEW_FAMILIES, Place::default(), found, expected, next));
    }
}

/// A digest of both texts with their lengths, so that `ab` + `c` is another pair than `a` + `bc`.
fn pair(user: &str, assistant: &str) -> Digest {
    let mut hasher = crate::digest::Hasher::new();
    hasher.update(&(user.len() as u64).to_be_bytes());
    hasher.update(user.as_bytes());
    hasher.update(assistant.as_bytes());
    hasher.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::problem::{PERSONAL_DATA, PERSONAL_DATA_ACKNOWLEDGED, SECRET_FOUND};

    fn file(first: &str) -> Vec<u8> {
        let mut text = format!("{{\"user\":\"{first}\",\"assistant\":\"a\",\"family\":\"0\"}}\n");
        for n in 1..60 {
            let family = n % 3;
            writeln!(text, "{{\"user\":\"u{n}\",\"assistant\":\"a\",\"family\":\"{family}\"}}").unwrap();
        }
        text.into_bytes()
    }

    fn report(file: &[u8], acknowledged: Option<Digest>) -> Report {
        check(file, Limits::default(), acknowledged).unwrap()
    }

    #[test]
    fn an_acknowledgement_holds_for_one_file_only() {
        let (one, other) = (file("write to a@b.io"), file("write to c@d.io"));
        let first = report(&one, None);
        assert!(first.findings.has(PERSONAL_DATA) && first.personal_data == 1);
        let shown = serde_json::to_string(&first.findings).unwrap();
        assert!(!shown.contains("a@b.io") && shown.contains(&first.acknowledgement.unwrap().to_string()));

        let again = report(&one, first.acknowledgement);
        assert!(again.findings.has(PERSONAL_DATA_ACKNOWLEDGED));
        assert_eq!(again.into_dataset().unwrap().rows.len(), 60);
        assert!(report(&other, first.acknowledgement).into_dataset().is_err());
        assert!(check_operators(&one[..], Limits::default()).unwrap().into_dataset().is_ok());
    }

    #[test]
    fn nothing_acknowledges_a_secret() {
        let secret = "AKIAQWERTYUIOP234567";
        let refused = report(&file(&format!("a@b.io {secret}")), None);
        let again = report(&file(&format!("a@b.io {secret}")), refused.acknowledgement);
        assert!(again.findings.has(SECRET_FOUND));
        assert!(!serde_json::to_string(&again.findings).unwrap().contains(secret));
    }

    #[test]
    fn all_faults_are_counted_and_fifty_are_listed() {
        let refused = report("{}\n".repeat(100).as_bytes(), None).into_dataset().unwrap_err();
        assert_eq!(refused.errors(), 302);
        assert_eq!(refused.list().len(), 50);
    }

    #[test]
    fn the_size_limit_is_inclusive() {
        let bytes = file("u0");
        let limits = Limits { bytes: bytes.len() as u64, ..Limits::default() };
        assert!(check(&bytes[..], limits, None).unwrap().into_dataset().is_ok());
        let limits = Limits { bytes: limits.bytes - 1, ..limits };
        assert!(check(&bytes[..], limits, None).unwrap().findings.has(DATASET_TOO_LARGE));
    }
}
