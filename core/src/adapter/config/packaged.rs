//! The stricter reading of a configuration that already stands in a package.

use super::fields::{Draft, Targets};
use super::{FILE, parse, pin};
use crate::id::BasePin;
use crate::problem::{CONFIG_NOT_PACKAGED, Finding, Findings, Place};

/// Reads a packaged configuration: base and revision equal the pin, modules are named, no local path, and
/// the bytes are exactly those that [`super::pin()`] would write.
pub fn check_packaged(bytes: &[u8], base: &BasePin) -> (Option<Draft>, Findings) {
    let (draft, mut findings) = parse(bytes);
    let Some(draft) = draft else { return (None, findings) };
    let (pinned, conflicts) = pin(&draft, base, None);
    for mut finding in conflicts.list().iter().cloned() {
        // What a trainer may leave open must be stated in a package.
        if finding.severity == crate::problem::Severity::Warning {
            finding = Finding::new(CONFIG_NOT_PACKAGED, finding.place, finding.found, finding.expected, NEXT);
        }
        findings.push(finding);
    }
    if draft.targets == Some(Targets::Pattern) {
        let place = Place::file(FILE).at_field("target_modules");
        findings.push(Finding::new(CONFIG_NOT_PACKAGED, place, "a pattern", "the names of the modules", NEXT));
    }
    if !findings.refused() && pinned.bytes != bytes {
        let at = pinned.bytes.iter().zip(bytes).position(|(a, b)| a != b);
        let at = at.unwrap_or_else(|| pinned.bytes.len().min(bytes.len())) as u64;
        let expected = "sorted keys, two spaces of indentation and a line end, as pack writes it";
        findings.push(Finding::new(CONFIG_NOT_PACKAGED, Place::file(FILE).at_byte(at), "another form", expected, NEXT));
    }
    (Some(draft), findings)
}

const NEXT: &str = "make the package again with `retoque pack`";
