//! Which entries a bundle has, in which order, and how long each may be.

use crate::archive::header::{self, Block};
use crate::archive::{CONFIG, EVALUATION, MANIFEST, README, WEIGHTS};
use crate::id::{Slug, Version};
use crate::log::checkpoint;
use crate::manifest;
use crate::release::{self, ATTESTATION, LICENSE, RELEASE, VALIDATION_CASES};
use crate::sign::dsse;

/// Every root from version 1 to the newest, as a JSON array of envelopes.
pub const ROOTS: &str = "roots.json";
/// The newest checkpoint, with its cosignatures.
pub const CHECKPOINT: &str = "checkpoint";
/// The proof that the newest checkpoint continues the one of the release.
pub const CONSISTENCY: &str = "consistency";
/// The signed status of the newest checkpoint.
pub const STATUS: &str = "status.json";
/// The most bytes of [`ROOTS`].
pub const MAX_ROOTS: usize = 4 << 20;

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member(usize);

/// The order, the limits, and which entries are in the folder. What decides about others comes before them; the large
/// file is the last.
const MEMBERS: [(&str, u64, bool); 13] = [
    (ROOTS, MAX_ROOTS as u64, false),
    (CHECKPOINT, checkpoint::MAX_BYTES as u64, false),
    (CONSISTENCY, super::MAX_CONSISTENCY as u64, false),
    (STATUS, dsse::MAX_BYTES as u64, false),
    (RELEASE, release::MAX_BYTES as u64, true),
    (MANIFEST, manifest::MAX_BYTES as u64, true),
    (ATTESTATION, dsse::MAX_BYTES as u64, true),
    (LICENSE, 1 << 20, true),
    (VALIDATION_CASES, 64 << 20, true),
    (README, header::MAX_SIZE, true),
    (CONFIG, header::MAX_SIZE, true),
    (EVALUATION, header::MAX_SIZE, true),
    (WEIGHTS, header::MAX_SIZE, true),
];

impl Member {
    /// The first one.
    pub const FIRST: Self = Self(0);

    /// The one after it.
    pub fn next(self) -> Option<Self> {
        (self.0 + 1 < MEMBERS.len()).then_some(Self(self.0 + 1))
    }

    /// All of them, in their order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..MEMBERS.len()).map(Self)
    }

    /// Its name, without the folder.
    pub const fn name(self) -> &'static str {
        MEMBERS[self.0].0
    }

    /// The most bytes that it may have.
    pub const fn limit(self) -> u64 {
        MEMBERS[self.0].1
    }

    /// Whether it stands in the folder.
    pub const fn is_in_folder(self) -> bool {
        MEMBERS[self.0].2
    }

    /// Whether a bundle may lack it.
    pub fn is_optional(self) -> bool {
        self.name() == VALIDATION_CASES
    }

    /// Its tar header. `None` when the size does not fit one.
    pub(super) fn header(self, folder: &str, size: u64) -> Option<Block> {
        header::encode_in(if self.is_in_folder() { folder } else { "" }, self.name(), size)
    }
}

/// The folder of a version: `<slug>-<version>`.
pub fn folder_name(slug: &Slug, version: &Version) -> String {
    format!("{slug}-{version}")
}

/// The name of the bundle of a version.
pub fn file_name(slug: &Slug, version: &Version) -> String {
    format!("{}.retoque-bundle.tar", folder_name(slug, version))
}
