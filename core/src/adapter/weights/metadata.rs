//! `__metadata__` of the weights travels into the package byte for byte, so nothing private may stand there.

use crate::adapter::config::local_path;
use crate::dataset::detect::has_secret;
use crate::problem::{Finding, Findings, METADATA_PRIVATE, Place};

/// Refuses local paths and secrets in keys and values. The text itself is not repeated.
pub(super) fn check(metadata: &[(String, String)], place: &Place, findings: &mut Findings) {
    for (at, (key, value)) in metadata.iter().enumerate() {
        let either = |holds: fn(&str) -> bool| holds(key) || holds(value);
        let found = if either(local_path::inside) {
            Some("a local path")
        } else if either(has_secret) {
            Some("what looks like a secret")
        } else {
            None
        };
        if let Some(found) = found {
            findings.push(Finding::new(
                METADATA_PRIVATE,
                place.clone().at_field(format!("__metadata__, entry {}", at + 1)),
                found,
                "no paths of the machine it was trained on and no secrets",
                "save the adapter again with the metadata {\"format\": \"pt\"}, as PEFT does",
            ));
        }
    }
}
