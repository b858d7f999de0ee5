//! What the next root may not do, whoever signs it.
//!
//! The log is the clock: a key that leaves a role signs nothing from an index on, and everything before stays good. So
//! each root names the one before it, a key that leaves is revoked in the same root, a revocation is never taken back
//! or postponed, and a revoked key gets no role again. The names of the log stay known, because proofs carry them.

use super::Root;
use super::role::Role;
use crate::problem::{Code, Finding, Place, ROOT_KEY_LEFT, ROOT_LOG, ROOT_REVOCATION, ROOT_UNLINKED, ROOT_VERSION};

/// Checks everything but the signatures.
pub(super) fn check(old: &Root, new: &Root) -> Result<(), Finding> {
    let wanted = old.version() + 1;
    if new.version() != wanted {
        return Err(Finding::new(
            ROOT_VERSION,
            Place::field("version"),
            format!("root version {}", new.version()),
            format!("exactly version {wanted}"),
            "fetch every root in order; if the registry serves no other, report it to its operator",
        ));
    }
    linked(old, new)?;
    leavers(old, new)?;
    revocations(old, new)?;
    origins(old, new)
}

/// The newer root must name the older one.
pub(super) fn linked(old: &Root, new: &Root) -> Result<(), Finding> {
    match new.previous() {
        Some(previous) if previous == old.fingerprint() => Ok(()),
        previous => Err(Finding::new(
            ROOT_UNLINKED,
            Place::field("x-previous"),
            previous.map_or_else(|| "no root before it".to_owned(), |previous| previous.hex()),
            format!("the fingerprint of root version {}: {}", old.version(), old.fingerprint().hex()),
            "these roots do not belong together; fetch them again, or ask the operator by another way",
        )),
    }
}

fn leavers(old: &Root, new: &Root) -> Result<(), Finding> {
    for role in Role::ALL.into_iter().filter(|role| *role != Role::Root) {
        let stays = &new.metadata.role(role).keyids;
        for id in old.metadata.role(role).keyids.iter().filter(|id| !stays.contains(id)) {
            let left = new.roles_of(*id);
            if let Some(other) = left.iter().find(|other| **other != Role::Root) {
                let found = format!("key {id}, which leaves `{role}` and stays in `{other}`");
                return Err(refuse(ROOT_KEY_LEFT, found, "a key that leaves every role at once"));
            }
            if new.revoked_from(*id).is_none() {
                let found = format!("key {id}, which leaves `{role}` and is not in `x-revoked`");
                return Err(refuse(ROOT_KEY_LEFT, found, "a revocation that says from which index on"));
            }
        }
    }
    Ok(())
}

fn revocations(old: &Root, new: &Root) -> Result<(), Finding> {
    for before in old.metadata.revoked() {
        let wanted = || format!("a revocation of {} from {} or earlier on", before.keyid, before.from_index);
        match new.revoked_from(before.keyid) {
            Some(from) if from <= before.from_index => {}
            Some(from) => return Err(refuse(ROOT_REVOCATION, format!("a revocation from {from} on"), &wanted())),
            None => return Err(refuse(ROOT_REVOCATION, "no revocation".to_owned(), &wanted())),
        }
    }
    for role in Role::ALL {
        let stood = &old.metadata.role(role).keyids;
        let comes = new.metadata.role(role).keyids.iter().filter(|id| !stood.contains(id));
        if let Some(id) = comes.into_iter().find(|id| new.revoked_from(**id).is_some()) {
            let found = format!("the revoked key {id}, which comes into `{role}`");
            return Err(refuse(ROOT_REVOCATION, found, "a new key"));
        }
    }
    Ok(())
}

fn origins(old: &Root, new: &Root) -> Result<(), Finding> {
    let known: Vec<&str> = new.metadata.log().origins().collect();
    match old.metadata.log().origins().find(|origin| !known.contains(origin)) {
        Some(lost) => {
            let expected = format!("{lost} as the origin or among the former ones");
            Err(Finding { place: Place::field("x-log"), ..refuse(ROOT_LOG, "a root without it".to_owned(), &expected) })
        }
        None => Ok(()),
    }
}

fn refuse(code: Code, found: String, expected: &str) -> Finding {
    let next = "make the next root with `retoque key root next`; if it was served like this, report it to the operator";
    Finding::new(code, Place::field("x-revoked"), found, expected, next)
}
