//! What a manifest says beside what was derived: every field that differs, with both values.

use serde::Serialize;
use serde_json::Value;

use super::{FILE, short};
use crate::problem::{Code, Finding, Findings, Place};

/// Compares a part of the manifest, which stands at `field`, with the same part as derived from the bytes or
/// from the private record. Each difference is a finding with both values.
pub fn compare<T: Serialize>(code: Code, field: &str, said: &T, derived: &T, findings: &mut Findings) {
    match (serde_json::to_value(said), serde_json::to_value(derived)) {
        (Ok(said), Ok(derived)) => walk(code, field, Some(&said), Some(&derived), findings),
        (Err(error), _) | (_, Err(error)) => {
            add(code, field, short(&error.to_string()), "a comparable value", findings);
        }
    }
}

fn walk(code: Code, field: &str, said: Option<&Value>, derived: Option<&Value>, findings: &mut Findings) {
    match (said, derived) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                walk(code, &format!("{field}.{key}"), a.get(key), b.get(key), findings);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                walk(code, &format!("{field}[{at}]"), Some(a), Some(b), findings);
            }
        }
        (a, b) if a == b => {}
        (a, b) => add(code, field, text(a), &text(b), findings),
    }
}

fn add(code: Code, field: &str, found: String, expected: &str, findings: &mut Findings) {
    let place = Place::file(FILE).at_field(short(field));
    let next = "make the package again with `retoque pack` from the same adapter and record";
    findings.push(Finding::new(code, place, found, expected, next));
}

fn text(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::String(text)) => short(text),
        Some(Value::Array(items)) if items.len() > 8 => format!("an array of {}", items.len()),
        Some(other) => short(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::problem::PACKAGE_MISMATCH;

    #[test]
    fn each_difference_shows_both_values() {
        let said = sample::manifest();
        let mut derived = said.clone();
        let mut findings = Findings::new();
        compare(PACKAGE_MISMATCH, "evidence", &said.evidence, &derived.evidence, &mut findings);
        assert!(findings.is_empty());
        derived.evidence.held_out.patched = 3;
        derived.evidence.state = crate::evaluation::EvidenceState::Degraded;
        compare(PACKAGE_MISMATCH, "evidence", &said.evidence, &derived.evidence, &mut findings);
        let fields: Vec<_> = findings.list().iter().map(|f| (f.place.field.as_deref(), f.expected.as_str())).collect();
        assert_eq!(fields, [(Some("evidence.held_out.patched"), "3"), (Some("evidence.state"), "DEGRADED")]);
    }
}
