//! Whether a signed decision is well-formed and about exactly what it arrived for.
//!
//! What it needs beyond that is the business of [`crate::lifecycle::apply`].

use std::collections::BTreeMap;

use super::statement::Decision;
use crate::digest::Digest;
use crate::id::{AccountName, PatchName, Version};
use crate::lifecycle::{Action, reason_codes};
use crate::problem::{
    Code, DECISION_ACTOR, DECISION_INVALID, DECISION_OTHER_VERSION, DECISION_OUTDATED, DECISION_TIME, Finding,
    Findings, Place,
};
use crate::sign::Time;
use crate::sign::statement::{MANIFEST, Statement};

/// The longest notes and disclosures, in characters.
pub const MAX_TEXT: usize = 4000;
/// How far the clock of the signer may be from that of the registry, in seconds.
pub const CLOCK_TOLERANCE: i64 = 15 * 60;

/// What a decision that arrives must name.
#[derive(Debug, Clone)]
pub struct Expected<'a> {
    /// Origin of this registry.
    pub registry: &'a str,
    /// The patch of the route.
    pub patch: &'a PatchName,
    /// The version of the route.
    pub version: &'a Version,
    /// Digest of its manifest.
    pub manifest: Digest,
    /// The account that the key and the token belong to.
    pub actor: &'a AccountName,
    /// Payload digest of the latest decision on this version, or of the attestation when there is none.
    pub previous: Digest,
    /// The time of the registry.
    pub now: Time,
}

impl Expected<'_> {
    /// Refuses a decision that is about something else, out of date, or not well-formed.
    pub fn check(&self, statement: &Statement<Decision>) -> Findings {
        let d = statement.predicate();
        let mut findings = well_formed(d);
        let mut differ = |code: Code, field: &str, found: String, expected: String, next: &str| {
            if found != expected {
                let found = crate::sign::excerpt(&found);
                findings.push(Finding::new(code, Place::field(field), found, expected, next));
            }
        };
        let again = "sign a decision for this version";
        differ(DECISION_OTHER_VERSION, "registry", d.registry.clone(), self.registry.to_owned(), again);
        differ(DECISION_OTHER_VERSION, "patch", d.patch.to_string(), self.patch.to_string(), again);
        differ(DECISION_OTHER_VERSION, "version", d.version.to_string(), self.version.to_string(), again);
        differ(DECISION_ACTOR, "actor", d.actor.to_string(), self.actor.to_string(), "sign with your own account");
        let look = "look at what happened meanwhile, then decide and sign again";
        differ(DECISION_OUTDATED, "previous", d.previous.to_string(), self.previous.to_string(), look);
        if let Err(mut finding) = statement.check_subjects(&BTreeMap::from([(MANIFEST, self.manifest)])) {
            (finding.code, finding.next) = (DECISION_OTHER_VERSION, again.to_owned());
            findings.push(finding);
        }
        if d.time.micros().abs_diff(self.now.micros()) > CLOCK_TOLERANCE.unsigned_abs() * 1_000_000 {
            findings.push(Finding::new(
                DECISION_TIME,
                Place::field("time"),
                d.time.to_string(),
                format!("within {} minutes of {}", CLOCK_TOLERANCE / 60, self.now),
                "set the clock of the signing machine and sign again",
            ));
        }
        findings
    }
}

/// Refuses members that do not belong to the action, and texts that are too long.
fn well_formed(d: &Decision) -> Findings {
    let mut findings = Findings::new();
    let review = matches!(d.action, Action::Return | Action::Approve | Action::Revoke);
    let replaces = matches!(d.action, Action::Deprecate | Action::Withdraw | Action::TakeDown);
    let members = [
        ("declarations", d.declarations.is_some(), d.action == Action::Submit),
        ("checklist", d.checklist.is_some(), d.action == Action::Approve),
        ("reason", d.reason.is_some(), !reason_codes(d.action).is_empty()),
        ("replacement", d.replacement.is_some(), replaces),
        ("disclosure", d.disclosure.is_some(), review),
    ];
    for (name, present, allowed) in members {
        if present && !allowed {
            findings.push(Finding::new(
                DECISION_INVALID,
                Place::field(name),
                format!("`{name}` on `{}`", d.action),
                format!("no `{name}`"),
                "leave it out and sign again",
            ));
        }
    }
    for (name, text) in [("disclosure", &d.disclosure), ("notes", &d.notes)] {
        let length = text.as_ref().map_or(1, |t| t.chars().count());
        if !(1..=MAX_TEXT).contains(&length) {
            findings.push(Finding::new(
                DECISION_INVALID,
                Place::field(name),
                format!("{length} characters"),
                format!("1–{MAX_TEXT} characters, or no `{name}`"),
                "shorten it and sign again",
            ));
        }
    }
    findings
}
