//! `application/problem+json` (RFC 9457) with our code and all findings.

use serde::{Deserialize, Serialize};

use crate::problem::{Finding, Severity};

/// A refusal as it travels. `findings` holds every fault of the input, not only the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// `about:blank` or a page that explains the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the code means.
    pub title: String,
    /// The HTTP status, repeated.
    pub status: u16,
    /// The stable code of the catalogue.
    pub code: String,
    /// What happened this time.
    pub detail: String,
    /// One thing to do next.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// Names the request in the registry's log.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request_id: String,
    /// Every finding, when the input was checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingView>,
    /// How many errors there are in all, when more than are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// A finding as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingView {
    /// The stable code.
    pub code: String,
    /// `error` or `warning`.
    pub severity: String,
    /// Where: any of file, line, byte, field, tensor, piece.
    #[serde(default)]
    pub place: PlaceView,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
    /// One thing to do next.
    pub next: String,
}

/// A place as it travels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceView {
    /// The file within the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The physical line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The byte offset, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// The field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor: Option<String>,
    /// The piece, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<u64>,
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        let place = finding.place.clone();
        Self {
            code: finding.code.name().to_owned(),
            severity: match finding.severity {
                Severity::Error => "error".to_owned(),
                Severity::Warning => "warning".to_owned(),
            },
            place: PlaceView {
                file: place.file,
                line: place.line,
                byte: place.byte,
                field: place.field,
                tensor: place.tensor,
                piece: place.piece,
            },
            found: finding.found.clone(),
            expected: finding.expected.clone(),
            next: finding.next.clone(),
        }
    }
}
