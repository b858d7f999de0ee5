//! The document itself: canonical JSON and nothing else.

use serde::{Deserialize, Serialize};

use crate::canonical::{self, CanonicalError};
use crate::decision::LogProof;
use crate::digest::Digest;
use crate::id::{PatchName, Version};
use crate::json::{self, Limits};
use crate::problem::{Finding, Place, RELEASE_INVALID, RELEASE_NOT_CANONICAL};
use crate::sign::{Envelope, excerpt};

/// The only format that this version of the library writes and reads.
pub const FORMAT: &str = "retoque-release/1";
/// The largest `release.json` that is read.
pub const MAX_BYTES: usize = 4 << 20;

/// Everything that is signed about one published version, as of its publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// [`FORMAT`].
    pub format: String,
    /// Origin of the registry.
    pub registry: String,
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// Digest of `manifest.json`.
    pub manifest_digest: Digest,
    /// The build statement, under `platform-build`.
    pub attestation: Envelope,
    /// The submission, under a registered key of an org admin.
    pub submission: Envelope,
    /// The approval, under a key of `review` or `operate`.
    pub approval: Envelope,
    /// The publication, under a registered key of an org publisher or admin.
    pub publication: Envelope,
    /// The grant, under `platform-status`.
    pub licence: Envelope,
    /// The registrations of the keys of submission and publication, under `platform-log`, in that order and once each.
    pub key_registrations: Vec<Envelope>,
    /// That they stand in the log, all under one checkpoint: attested, submitted, approved, published, licence-granted,
    /// and then each key registration.
    pub log_proofs: Vec<LogProof>,
    /// Every root from version 1 to the one in force at publication.
    pub root_chain: Vec<Envelope>,
    /// Digests of the files that neither manifest nor archive holds.
    pub files: ReleaseFiles,
}

/// Digests of files that came after the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseFiles {
    /// Digest of the licence text.
    #[serde(rename = "LICENSE.txt")]
    pub license: Digest,
    /// Digest of the validation cases, or `null` when the submitter did not confirm.
    #[serde(rename = "validation-cases.json")]
    pub validation_cases: Option<Digest>,
}

impl Release {
    /// The bytes of `release.json`.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Finding> {
        let bytes = canonical::to_vec(self).map_err(|e| invalid(&e.to_string()))?;
        if bytes.len() > MAX_BYTES { Err(invalid(&format!("{} bytes", bytes.len()))) } else { Ok(bytes) }
    }

    /// Reads `release.json`. Bytes that are not exactly the canonical form are refused.
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        let limits = Limits { bytes: MAX_BYTES, depth: 16 };
        let release: Self = json::decode(bytes, limits).map_err(|e| invalid(&e.to_string()))?;
        match canonical::check(bytes, limits) {
            Ok(()) => {}
            Err(CanonicalError::NotCanonical(at)) => return Err(not_canonical(at)),
            Err(e) => return Err(invalid(&e.to_string())),
        }
        if release.format != FORMAT {
            return Err(invalid(&format!("format {:?}", excerpt(&release.format))));
        }
        // Absent members that stand for their default would be a second form of the same document.
        if release.to_bytes()? != bytes {
            return Err(not_canonical(0));
        }
        Ok(release)
    }
}

fn not_canonical(at: usize) -> Finding {
    Finding::new(
        RELEASE_NOT_CANONICAL,
        Place::file(super::RELEASE).at_byte(at as u64),
        "other bytes than the canonical form",
        "canonical JSON (RFC 8785)",
        "pull the version again; do not edit or reformat the file",
    )
}

fn invalid(found: &str) -> Finding {
    Finding::new(
        RELEASE_INVALID,
        Place::file(super::RELEASE),
        excerpt(found),
        format!("a release document of format {FORMAT}"),
        "pull the version again, or update this program when the registry is newer",
    )
}
