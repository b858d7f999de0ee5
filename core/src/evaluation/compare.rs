//! A manifest's statements against what the record gives: every field that differs, with both values.

use serde::Serialize;
use serde_json::Value;

use super::record::Rederived;
use crate::manifest::Manifest;
use crate::problem::{EVIDENCE_DISAGREES, Finding, Findings, Place};

/// Compares the sections on dataset, training and evidence.
pub fn compare(manifest: &Manifest, rederived: &Rederived) -> Findings {
    let mut findings = section("dataset", &manifest.dataset, &rederived.dataset);
    findings.extend(section("training", &manifest.training, &rederived.training));
    findings.extend(section("evidence", &manifest.evidence, &rederived.evidence));
    findings
}

/// Compares one section, stated and computed.
pub fn section<T: Serialize>(name: &str, stated: &T, computed: &T) -> Findings {
    let mut findings = Findings::new();
    let value = |section: &T| serde_json::to_value(section).unwrap_or(Value::Null);
    walk(name, &value(stated), &value(computed), &mut findings);
    findings
}

fn walk(path: &str, stated: &Value, computed: &Value, findings: &mut Findings) {
    if stated == computed {
        return;
    }
    if let (Value::Object(a), Value::Object(b)) = (stated, computed) {
        let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for key in keys {
            let missing = &Value::Null;
            walk(&format!("{path}.{key}"), a.get(key).unwrap_or(missing), b.get(key).unwrap_or(missing), findings);
        }
        return;
    }
    let place = Place::file("manifest.json").at_field(path);
    let next = "pack again from the evaluation record of this adapter";
    findings.push(Finding::new(EVIDENCE_DISAGREES, place, shown(stated), shown(computed), next));
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.chars().take(120).collect(),
        other => other.to_string().chars().take(120).collect(),
    }
}
