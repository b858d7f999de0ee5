//! Verifying a pulled folder, without any network.
//!
//! The rules are `core::release`'s; here are the folder on the disk (no links, nothing but ordinary files) and the
//! hashing on all cores. Trust comes from a pinned root that the caller gives. Clause: specification, section 8.

mod content;
mod folder;
mod trusted;

pub use folder::DiskFolder;
pub use trusted::{Known, Pinned, claimed_origin, pinned, pinned_for};

use std::path::Path;

use retoque_core::problem::Findings;
use retoque_core::release::{self, Asked, Trust, VerifiedRelease};

/// Verifies everything in a folder: names, statements, and every byte of every file on all cores.
pub fn verify(
    path: &Path,
    trust: &Trust<'_>,
    asked: Asked<'_>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<VerifiedRelease, Findings> {
    let folder = DiskFolder::new(path);
    let verified = release::open(&folder, trust, asked)?;
    let findings = content::verify(&folder, &verified.manifest.files, progress);
    if findings.refused() { Err(findings) } else { Ok(verified) }
}
