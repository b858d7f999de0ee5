//! Why a command stops: a message, every finding, and one hint; and the exit status that follows from its kind.
//!
//! Failures come from the registry (`application/problem+json`), from `core` (findings) and from this
//! program. All three print alike: the message, then each finding with place, found and expected, then the
//! hint. Clause: specification, section 9.

use std::fmt;

use retoque_core::api::{FindingView, PlaceView, Problem};
use retoque_core::problem::{Code, Finding, Findings, INTERNAL, INTERRUPTED, Place, USAGE};
use serde::Serialize;

/// Why a command stops. Also the JSON that `--json` prints in its place.
#[derive(Debug, Clone, Serialize)]
pub struct Failure(Box<Parts>);

/// The parts of a failure.
#[derive(Debug, Clone, Serialize)]
struct Parts {
    code: String,
    title: String,
    detail: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    next: String,
    exit_status: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    request_id: String,
}

impl Failure {
    /// A failure with a code of the catalogue, a message and one thing to do next.
    pub fn new(code: Code, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            code: code.name().to_owned(),
            title: code.meaning().to_owned(),
            detail: message.into(),
            next: next.into(),
            exit_status: code.kind().exit_status().max(1),
            findings: Vec::new(),
            total: None,
            request_id: String::new(),
        }))
    }

    /// Wrong usage: exit status 2.
    pub fn usage(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(USAGE, message, next)
    }

    /// Interrupted by the user.
    pub fn interrupted() -> Self {
        Self::new(INTERRUPTED, "interrupted; nothing was left half-done", "run the same command again to go on")
    }

    /// All findings of one input, under a message that names the input.
    ///
    /// The first error decides the code and the exit status.
    pub fn findings(message: impl Into<String>, findings: &Findings) -> Self {
        let first = findings.first_error().or_else(|| findings.list().first());
        let mut failure = match first {
            Some(finding) => Self::new(finding.code, message, finding.next.clone()),
            None => Self::usage(message, ""),
        };
        failure.0.findings = findings.list().iter().map(finding_view).collect();
        // What refuses comes first; warnings after it, each in their order.
        failure.0.findings.sort_by_key(|finding| finding.severity != "error");
        failure.0.total = (findings.errors() > Findings::KEPT as u64).then(|| findings.errors());
        failure
    }

    /// A refusal of the registry. Codes that this program does not know fall back to the HTTP status.
    pub fn problem(problem: Problem) -> Self {
        let known = Code::from_name(&problem.code);
        Self(Box::new(Parts {
            exit_status: known.map_or_else(|| exit_of_http(problem.status), |c| c.kind().exit_status().max(1)),
            code: problem.code,
            title: problem.title,
            detail: problem.detail,
            next: problem.next,
            findings: problem.findings,
            total: problem.total,
            request_id: problem.request_id,
        }))
    }

    /// The same failure, with another hint.
    #[must_use]
    pub fn with_next(mut self, next: impl Into<String>) -> Self {
        self.0.next = next.into();
        self
    }

    /// The same failure, in other words.
    #[must_use]
    pub fn restated(mut self, message: impl Into<String>) -> Self {
        self.0.detail = message.into();
        self
    }

    /// The same failure, its message preceded by what was being done.
    #[must_use]
    pub fn during(mut self, what: impl fmt::Display) -> Self {
        self.0.detail = format!("{what}: {}", self.0.detail);
        self
    }

    /// The same as findings about `input`, to be reported together with those of others.
    pub fn to_findings(&self, input: &str) -> Vec<Finding> {
        let coded = |code: &str| Code::from_name(code).unwrap_or(INTERNAL);
        if self.list().is_empty() {
            let place = Place::file(input);
            return vec![Finding::new(coded(self.code()), place, self.message(), "nothing of this kind", self.next())];
        }
        let place = |view: &PlaceView| {
            let PlaceView { file, line, byte, field, tensor, piece } = view.clone();
            let file = Some(file.map_or_else(|| input.to_owned(), |file| format!("{input}/{file}")));
            Place { file, line, byte, field, tensor, piece }
        };
        let finding = |v: &FindingView| {
            Finding::new(coded(&v.code), place(&v.place), v.found.clone(), v.expected.clone(), v.next.clone())
        };
        self.list().iter().map(finding).collect()
    }

    /// The exit status: never 0.
    pub fn exit_status(&self) -> u8 {
        self.0.exit_status
    }

    /// The stable code.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Whether it carries this code.
    pub fn is(&self, code: Code) -> bool {
        self.0.code == code.name()
    }

    /// The message.
    pub fn message(&self) -> &str {
        if self.0.detail.is_empty() { &self.0.title } else { &self.0.detail }
    }

    /// The hint; may be empty.
    pub fn next(&self) -> &str {
        &self.0.next
    }

    /// The findings.
    pub fn list(&self) -> &[FindingView] {
        &self.0.findings
    }

    /// How many errors there are in all, when more than are listed.
    pub fn total(&self) -> Option<u64> {
        self.0.total
    }

    /// The registry's name for the request; may be empty.
    pub fn request_id(&self) -> &str {
        &self.0.request_id
    }
}

impl From<Finding> for Failure {
    fn from(finding: Finding) -> Self {
        let place = finding.place.to_string();
        let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let message = format!("{at}found {}; expected {}", finding.found, finding.expected);
        Self::new(finding.code, message, finding.next)
    }
}

impl From<Findings> for Failure {
    fn from(findings: Findings) -> Self {
        let message = match findings.errors() {
            1 => "one finding".to_owned(),
            n => format!("{n} findings"),
        };
        Self::findings(message, &findings)
    }
}

/// A finding in the shape that also the registry sends.
pub fn finding_view(finding: &Finding) -> FindingView {
    let Place { file, line, byte, field, tensor, piece } = finding.place.clone();
    FindingView {
        code: finding.code.name().to_owned(),
        severity: format!("{:?}", finding.severity).to_lowercase(),
        place: PlaceView { file, line, byte, field, tensor, piece },
        found: finding.found.clone(),
        expected: finding.expected.clone(),
        next: finding.next.clone(),
    }
}

const fn exit_of_http(status: u16) -> u8 {
    match status {
        401 | 403 => 5,
        404 => 6,
        410 | 451 => 4,
        429 | 502..=504 => 7,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retoque_core::problem::NOT_FOUND;

    fn problem(code: &str, status: u16) -> Failure {
        Failure::problem(Problem {
            kind: "about:blank".into(),
            title: "t".into(),
            status,
            code: code.into(),
            detail: String::new(),
            next: String::new(),
            request_id: String::new(),
            findings: Vec::new(),
            total: None,
        })
    }

    #[test]
    fn known_codes_decide_before_the_http_status() {
        assert_eq!(problem("not_found", 500).exit_status(), 6);
        assert_eq!(problem("of_a_later_registry", 403).exit_status(), 5);
        assert_eq!(problem("of_a_later_registry", 410).exit_status(), 4);
        assert_eq!(problem("of_a_later_registry", 418).exit_status(), 1);
    }

    #[test]
    fn the_first_error_gives_the_status() {
        let findings = Findings::from(Finding::new(NOT_FOUND, Place::file("a"), "x", "y", "z"));
        let failure = Failure::findings("a", &findings);
        assert_eq!((failure.exit_status(), failure.next(), failure.list().len()), (6, "z", 1));
    }
}
