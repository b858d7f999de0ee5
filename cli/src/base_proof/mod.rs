//! Proof that a folder on this machine is the pinned base: the bytes of every pinned file.
//!
//! Names, sizes, blob names of the cache and download metadata are hints for messages and never proof: a
//! damaged file under its right name is found, and another base under the pinned name too. A file that is
//! loaded must be there; one that only accompanies the base (README, other containers) may be absent and is
//! named. A file that would be loaded and is not pinned is refused, since it would change the base.
//! Clause: specification, section 8.

mod claims;
mod hash;

use std::collections::BTreeSet;

use retoque_core::base::is_loaded;
use retoque_core::id::BasePin;
use retoque_core::manifest::{BaseFile, BaseSection};
use retoque_core::problem::{BASE_FILE_ABSENT, BASE_FILE_EXTRA, Finding, Findings, Place};
use serde::Serialize;

use crate::snapshot::{Layout, Location, each, find, walk};

/// What was proved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// How the copy is laid out.
    pub layout: Layout,
    /// How many pinned files were hashed and are the pinned ones.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Pinned files that are not loaded and not there.
    pub absent: Vec<String>,
}

/// The bytes that a proof reads at most, for a progress bar.
pub fn total(base: &BaseSection) -> u64 {
    base.files.iter().map(|f| f.size).fold(0, u64::saturating_add)
}

/// Proves that the copy at `location` is the base, or says every file that is not.
///
/// `progress` is told from several threads how many bytes were read since its last call.
pub fn prove(base: &BaseSection, location: &Location, progress: &(dyn Fn(u64) + Sync)) -> Result<Proof, Findings> {
    let pin = BasePin { repo: base.repo.clone(), commit: base.commit.clone() };
    let snapshot = find(location, &pin)?;
    let mut findings = Findings::new();
    claims::check(&snapshot, base, &mut findings);
    unpinned(&walk(&snapshot)?, base, &mut findings);
    let mut files: Vec<&BaseFile> = base.files.iter().collect();
    files.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.path.cmp(&b.path)));
    let results = each(&files, |file| hash::compare(&snapshot, file, progress));
    let mut proof = Proof { layout: snapshot.layout, files: 0, bytes: 0, absent: Vec::new() };
    let mut outcomes: Vec<_> = files.into_iter().zip(results).collect();
    outcomes.sort_by(|a, b| a.0.path.cmp(&b.0.path));
    for (file, outcome) in outcomes {
        match outcome {
            hash::Outcome::Same => {
                proof.files += 1;
                proof.bytes += file.size;
            }
            hash::Outcome::Absent if !is_loaded(&file.path) => proof.absent.push(file.path.clone()),
            hash::Outcome::Absent => findings.push(Finding::new(
                BASE_FILE_ABSENT,
                Place::file(file.path.clone()),
                "no such file",
                format!("the pinned file of {} bytes", file.size),
                format!("download it: hf download {} {} --revision {}", base.repo, file.path, base.commit),
            )),
            hash::Outcome::Other(finding) => findings.push(*finding),
        }
    }
    if findings.refused() { Err(findings) } else { Ok(proof) }
}

/// Refuses files that a library would load although the base does not have them.
fn unpinned(found: &[crate::snapshot::Found], base: &BaseSection, findings: &mut Findings) {
    let pinned: BTreeSet<&str> = base.files.iter().map(|f| f.path.as_str()).collect();
    for file in found.iter().filter(|f| is_loaded(&f.path) && !pinned.contains(f.path.as_str())) {
        findings.push(Finding::new(
            BASE_FILE_EXTRA,
            Place::file(file.path.clone()),
            "a file that the pinned base does not have",
            "only pinned files among those that are loaded",
            "move it out of the folder; it would change what the base does",
        ));
    }
}

#[cfg(test)]
mod tests;
