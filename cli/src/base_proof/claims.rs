//! What the copy says of itself: a commit in the name of its folder or in its download metadata.
//!
//! A right claim proves nothing, but a wrong one is worth refusing: the copy is meant to be something else.

use std::io::Read as _;

use retoque_core::manifest::BaseSection;
use retoque_core::problem::{BASE_COMMIT_DIFFERS, Finding, Findings, Place, quote};

use crate::snapshot::{Layout, Snapshot};

/// Refuses a copy that claims to be another commit. One finding, however many files say so.
pub(super) fn check(snapshot: &Snapshot, base: &BaseSection, findings: &mut Findings) {
    let pinned = base.commit.to_string();
    let mut refuse = |place: Place, claimed: &str| {
        let expected = format!("{pinned}, the pinned commit");
        let next = "download the base at the pinned commit";
        findings.push(Finding::new(BASE_COMMIT_DIFFERS, place, quote(claimed), expected, next));
    };
    if let Some(claimed) = snapshot.claimed.as_deref().filter(|c| *c != pinned) {
        return refuse(Place::default(), claimed);
    }
    if snapshot.layout != Layout::LocalDir {
        return;
    }
    for file in &base.files {
        let claimed = metadata_commit(snapshot, &file.path).filter(|c| *c != pinned);
        if let Some(claimed) = claimed {
            return refuse(Place::file(file.path.clone()), &claimed);
        }
    }
}

/// The first line of a file's download metadata, when it is a commit.
fn metadata_commit(snapshot: &Snapshot, path: &str) -> Option<String> {
    let opened = snapshot.open(&format!(".cache/huggingface/download/{path}.metadata")).ok()?;
    let mut text = String::new();
    opened.file.take(4096).read_to_string(&mut text).ok()?;
    let line = text.lines().next()?.trim();
    let commit = line.len() == 40 && line.bytes().all(|b| b.is_ascii_hexdigit());
    commit.then(|| line.to_owned())
}
