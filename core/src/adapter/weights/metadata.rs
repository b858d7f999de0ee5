//! `__metadata__` of the weights travels into the package byte for byte, so nothing private may stand there.

use crate::adapter::config::local_path;
use crate::problem::{Finding, Findings, METADATA_PRIVATE, Place};

/// Refuses local paths in keys and values. The text itself is not repeated.
pub(super) fn check(metadata: &[(String, String)], place: &Place, findings: &mut Findings) {
    for (at, (key, value)) in metadata.iter().enumerate() {
        if local_path::inside(key) || local_path::inside(value) {
            findings.push(Finding::new(
                METADATA_PRIVATE,
                place.clone().at_field(format!("__metadata__, entry {}", at + 1)),
                "a local path",
                "no paths or names of the machine it was trained on",
                "save the adapter again with the metadata {\"format\": \"pt\"}, as PEFT does",
            ));
        }
    }
}
