//! A manifest's statements against what the record gives: every field that differs, with both values.

use serde::Serialize;

use super::record::Rederived;
use crate::manifest::{self, Manifest};
use crate::problem::{EVIDENCE_DISAGREES, Findings};

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
    manifest::compare(EVIDENCE_DISAGREES, name, stated, computed, &mut findings);
    findings
}
