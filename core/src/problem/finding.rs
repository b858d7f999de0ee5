//! A finding, where it was made, and the list of all findings of one input.

use std::fmt;

use serde::Serialize;

use super::{Code, Kind};
use crate::dataset::detect::has_secret;

/// The first characters of a caller's text, for messages that must stay short.
pub fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(120).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Whether a finding refuses the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is taken; the warning is shown and recorded.
    Warning,
}

/// Where a finding was made. Any part may be absent; file names are relative to the input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file within the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The physical line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The byte offset, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// The field, as a path such as `base.commit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The tensor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor: Option<String>,
    /// The piece of a large file, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub piece: Option<u64>,
}

impl Place {
    /// A place in `file`.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..Self::default() }
    }

    /// A place that is a field of a request or document.
    pub fn field(field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::default() }
    }

    /// The same place, at this line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same place, at this byte.
    #[must_use]
    pub fn at_byte(mut self, byte: u64) -> Self {
        self.byte = Some(byte);
        self
    }

    /// The same place, at this field.
    #[must_use]
    pub fn at_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same place, at this tensor.
    #[must_use]
    pub fn at_tensor(mut self, tensor: impl Into<String>) -> Self {
        self.tensor = Some(tensor.into());
        self
    }

    /// The same place, at this piece.
    #[must_use]
    pub fn at_piece(mut self, piece: u64) -> Self {
        self.piece = Some(piece);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.file.clone());
        parts.extend(self.line.map(|n| format!("line {n}")));
        parts.extend(self.field.clone());
        parts.extend(self.tensor.as_ref().map(|t| format!("tensor {t}")));
        parts.extend(self.piece.map(|n| format!("piece {n}")));
        parts.extend(self.byte.map(|n| format!("byte {n}")));
        f.write_str(&parts.join(", "))
    }
}

/// One thing that is wrong (or worth a warning) with an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The stable code.
    pub code: Code,
    /// Whether it refuses the input.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What was found there. Never a secret, never a home folder.
    pub found: String,
    /// What was expected instead.
    pub expected: String,
    /// One thing to do next.
    pub next: String,
}

impl Finding {
    /// A finding that refuses, unless the code's kind is [`Kind::Warning`].
    ///
    /// What was found comes from an input, so it may be a secret in the wrong place: a field name, a repeated key. It is
    /// withheld here, where every finding is made, so that none of them can show one.
    pub fn new(
        code: Code,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        let severity = if code.kind() == Kind::Warning { Severity::Warning } else { Severity::Error };
        let mut place = place;
        for part in [&mut place.file, &mut place.field, &mut place.tensor].into_iter().flatten() {
            withhold(part);
        }
        let mut found = found.into();
        withhold(&mut found);
        Self { code, severity, place, found, expected: expected.into(), next: next.into() }
    }
}

/// Puts a remark in the place of a text that holds a secret.
fn withhold(text: &mut String) {
    if has_secret(text) {
        "a text that holds a secret (not shown)".clone_into(text);
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.to_string();
        let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
        write!(f, "{at}found {}; expected {} [{}]", self.found, self.expected, self.code)
    }
}

/// The findings of one input: at most [`Findings::KEPT`] are kept, all are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    list: Vec<Finding>,
    errors: u64,
    warnings: u64,
}

impl Findings {
    /// How many errors, and how many warnings, are kept in full.
    pub const KEPT: usize = 50;

    /// No findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding; beyond the limit it is only counted.
    pub fn push(&mut self, finding: Finding) {
        let count = match finding.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= Self::KEPT as u64 {
            self.list.push(finding);
        }
    }

    /// Adds all findings of another input.
    pub fn extend(&mut self, other: Self) {
        let (errors, warnings) = (self.errors + other.errors, self.warnings + other.warnings);
        for finding in other.list {
            self.push(finding);
        }
        (self.errors, self.warnings) = (errors, warnings);
    }

    /// The same findings, placed in `file`.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.list.iter_mut().for_each(|finding| finding.place.file = Some(file.to_owned()));
        self
    }

    /// Both lists as one, ordered by physical line (findings without a line first).
    #[must_use]
    pub fn merged_by_line(self, other: Self) -> Self {
        let (errors, warnings) = (self.errors + other.errors, self.warnings + other.warnings);
        let mut all = self.list;
        all.extend(other.list);
        all.sort_by_key(|finding| finding.place.line);
        let mut merged = Self::new();
        for finding in all {
            merged.push(finding);
        }
        (merged.errors, merged.warnings) = (errors, warnings);
        merged
    }

    /// Whether anything refuses the input.
    pub const fn refused(&self) -> bool {
        self.errors > 0
    }

    /// Whether there is nothing at all, not even a warning.
    pub const fn is_empty(&self) -> bool {
        self.errors == 0 && self.warnings == 0
    }

    /// The number of errors, kept or not.
    pub const fn errors(&self) -> u64 {
        self.errors
    }

    /// The number of warnings, kept or not.
    pub const fn warnings(&self) -> u64 {
        self.warnings
    }

    /// The kept findings, in the order they were made.
    pub fn list(&self) -> &[Finding] {
        &self.list
    }

    /// Whether a finding with this code was kept.
    pub fn has(&self, code: Code) -> bool {
        self.list.iter().any(|f| f.code == code)
    }

    /// The first error, whose kind decides the status of the whole refusal.
    pub fn first_error(&self) -> Option<&Finding> {
        self.list.iter().find(|f| f.severity == Severity::Error)
    }

    /// `Ok(value)` with the warnings, or all findings when any of them refuses.
    pub fn into_result<T>(self, value: T) -> Result<(T, Self), Self> {
        if self.refused() { Err(self) } else { Ok((value, self)) }
    }
}

impl From<Finding> for Findings {
    fn from(finding: Finding) -> Self {
        let mut findings = Self::new();
        findings.push(finding);
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::super::NOT_FOUND;
    use super::*;

    #[test]
    fn a_secret_is_not_shown_wherever_it_was_found() {
        let secret = format!("ghp_{}", "A1b2".repeat(9));
        let place = Place::file("run.json").at_field(secret.clone());
        let finding = Finding::new(NOT_FOUND, place, format!("{secret:?} a second time"), "y", "z");
        assert!(!format!("{finding} {finding:?}").contains("A1b2A1b2"));
        let digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Finding::new(NOT_FOUND, Place::default(), digest, "y", "z").found, digest);
    }

    #[test]
    fn all_are_counted_and_some_are_kept() {
        let mut findings = Findings::new();
        for line in 0..60 {
            findings.push(Finding::new(NOT_FOUND, Place::file("a").at_line(line), "x", "y", "z"));
        }
        assert_eq!((findings.errors(), findings.list().len()), (60, Findings::KEPT));
        let mut other = Findings::from(Finding::new(NOT_FOUND, Place::default(), "x", "y", "z"));
        other.extend(findings);
        assert_eq!((other.errors(), other.list().len()), (61, Findings::KEPT));
        assert!(other.refused() && other.first_error().is_some());
    }
}
