//! Why something was returned, revoked, deprecated, restored, withdrawn or taken down: a code and a text.

use serde::{Deserialize, Serialize};

use super::Action;
use crate::problem::{Finding, Findings, NEEDS_REASON, Place};

/// A reason: a code from the list of the action, and a text of 10–2,000 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// One of [`reason_codes`].
    pub code: String,
    /// What happened, for people.
    pub text: String,
}

/// The reason codes of an action; empty for actions that take no reason.
pub const fn reason_codes(action: Action) -> &'static [&'static str] {
    match action {
        Action::Return => &["evidence", "declarations", "licence", "compatibility", "documentation", "other"],
        Action::Revoke => &["new-information", "review-error", "conflict-of-interest", "other"],
        Action::Deprecate => &["superseded", "regression-found", "base-obsolete", "other"],
        Action::Restore => &["issue-resolved", "deprecated-in-error", "other"],
        Action::Withdraw => &["security", "licence-violation", "harmful-output", "wrong-evidence", "other"],
        Action::TakeDown => &["legal-order", "rights-holder", "personal-data"],
        Action::Submit | Action::Approve | Action::Publish => &[],
    }
}

/// Shortest and longest reason text, in characters without the white space around it.
pub const TEXT: std::ops::RangeInclusive<usize> = 10..=2000;

/// Checks a reason against the list of its action.
pub(super) fn check(action: Action, reason: Option<&Reason>) -> Findings {
    let mut findings = Findings::new();
    let codes = reason_codes(action);
    let Some(reason) = reason else {
        findings.push(Finding::new(
            NEEDS_REASON,
            Place::field("reason"),
            "no reason",
            format!("a reason code ({}) and a text", codes.join(", ")),
            "give both with --reason and --text",
        ));
        return findings;
    };
    if !codes.contains(&reason.code.as_str()) {
        findings.push(Finding::new(
            NEEDS_REASON,
            Place::field("reason.code"),
            crate::sign::excerpt(&reason.code),
            format!("one of {}", codes.join(", ")),
            "choose a code of the list; `other` leaves it to the text",
        ));
    }
    let length = reason.text.trim().chars().count();
    if !TEXT.contains(&length) {
        findings.push(Finding::new(
            NEEDS_REASON,
            Place::field("reason.text"),
            format!("{length} characters"),
            format!("{}–{} characters", TEXT.start(), TEXT.end()),
            "say in a sentence or two what happened",
        ));
    }
    findings
}
