//! A manifest's statements against what the record gives: every field that differs, with both values.

use serde::Serialize;

use super::record::Rederived;
use crate::archive::EVALUATION;
use crate::digest::Digest;
use crate::manifest::{self, Manifest};
use crate::problem::{EVIDENCE_DISAGREES, Finding, Findings, Place};

/// Compares the sections on dataset, training and evidence.
pub fn compare(manifest: &Manifest, rederived: &Rederived) -> Findings {
    let mut findings = section("dataset", &manifest.dataset, &rederived.dataset);
    findings.extend(section("training", &manifest.training, &rederived.training));
    findings.extend(section("evidence", &manifest.evidence, &rederived.evidence));
    findings
}

/// Compares everything that a package says of its evaluation: the manifest's sections and `evaluation.json`.
pub fn compare_package(manifest: &Manifest, evaluation: &[u8], rederived: &Rederived) -> Findings {
    let mut findings = compare(manifest, rederived);
    if rederived.evaluation_json != evaluation {
        findings.push(Finding::new(
            EVIDENCE_DISAGREES,
            Place::file(EVALUATION),
            Digest::of(evaluation).to_string(),
            format!("{} as recomputed from the record", Digest::of(&rederived.evaluation_json)),
            "pack again with the record that you push",
        ));
    }
    findings
}

/// Compares one section, stated and computed.
pub fn section<T: Serialize>(name: &str, stated: &T, computed: &T) -> Findings {
    let mut findings = Findings::new();
    manifest::compare(EVIDENCE_DISAGREES, name, stated, computed, &mut findings);
    findings
}
