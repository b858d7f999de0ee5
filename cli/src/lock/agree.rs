//! Whether a lock is what the entries want.

use retoque_core::problem::{Finding, Findings, LOCK_OUTDATED, Place};

use super::place::{LOCK, WANTS};
use super::{Lock, Locked, Want, Wants};

const NEXT: &str = "run `retoque lock`, look at what it changes, and keep it with the project";

/// Whether the locked version still is what the entry wants. An entry that was pinned to a digest and version stays
/// only with both.
pub fn stays(want: &Want, locked: &Locked) -> bool {
    want.patch == locked.patch && want.admits(&locked.version, locked.manifest)
}

/// Everything in which they disagree.
pub fn disagreements(wants: &Wants, lock: &Lock) -> Findings {
    let mut findings = Findings::new();
    for want in &wants.list {
        let place = Place::file(WANTS).at_line(want.line);
        match lock.get(&want.patch) {
            None => findings.push(Finding::new(
                LOCK_OUTDATED,
                place,
                format!("{}, which is not locked", want.patch),
                "a locked version for each entry",
                NEXT,
            )),
            Some(locked) if !stays(want, locked) => {
                let found = format!("{} is locked at {} ({})", want.patch, locked.version, locked.manifest);
                findings.push(Finding::new(LOCK_OUTDATED, place, found, wanted(want), NEXT));
            }
            Some(_) => {}
        }
    }
    for locked in lock.list.iter().filter(|locked| wants.get(&locked.patch).is_none()) {
        let (place, found) = (Place::file(LOCK), format!("{} is locked", locked.patch));
        findings.push(Finding::new(LOCK_OUTDATED, place, found, format!("an entry of {WANTS} for it"), NEXT));
    }
    findings
}

fn wanted(want: &Want) -> String {
    let digest = want.digest.map_or_else(String::new, |digest| format!(" with digest {digest}"));
    format!("{}{digest}", want.reference())
}
