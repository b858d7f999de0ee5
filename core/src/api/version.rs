//! Uploads, versions, their evidence, decisions and licence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FindingView, VersionSummary};
use crate::decision::RecordKind;
use crate::digest::Digest;
use crate::evaluation::EvidenceState;
use crate::id::{AccountName, BasePin, PatchName, Version};
use crate::licence::LicenceState;
use crate::lifecycle::Action;
use crate::manifest::EvidenceSection;

/// The answer to `POST /uploads`: staged bytes that a push may name, for 24 hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// Its id.
    pub upload: String,
    /// Size in bytes.
    pub size: u64,
    /// Digest of the bytes.
    pub sha256: Digest,
}

/// `PUT /patches/{org}/{slug}/versions/{version}` (role `build`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// Upload id of the package.
    pub package: String,
    /// Upload ids of the five files of the private evaluation record, by file name.
    pub record: BTreeMap<String, String>,
    /// Manifest digest of the package: a push that is repeated because its answer was lost finds that it is through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Digest>,
    /// Digest of the personal-data acknowledgement for the dataset, when its check asked for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledgement: Option<Digest>,
}

/// A version (`GET …/versions/{version}` and the answers to a push and to a decision).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionView {
    /// `org/slug`.
    pub patch: PatchName,
    /// Digest, state, evidence and licence.
    #[serde(flatten)]
    pub summary: VersionSummary,
    /// The pinned base.
    pub base: BasePin,
    /// Digest of the stored archive.
    pub package_sha256: Digest,
    /// Size of the stored archive in bytes.
    pub package_size: u64,
    /// Who pushed it.
    pub pushed_by: AccountName,
    /// Payload digest of the newest decision (at first of the attestation): the `previous` of the next decision.
    pub head: Digest,
    /// What the caller may do to it now.
    #[serde(default)]
    pub allowed_actions: Vec<Action>,
    /// Warnings of the check at push.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<FindingView>,
}

/// One decision (`GET …/decisions`), oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionView {
    /// Position in the history of this version, from 0.
    pub n: u64,
    /// Index in the registry's log.
    pub log_index: u64,
    /// What happened.
    pub kind: RecordKind,
    /// Who.
    pub actor: AccountName,
    /// When the registry took it.
    pub time: jiff::Timestamp,
    /// The canonical decision record (the log leaf), as text.
    pub record: String,
    /// The signed envelope, as text, where a document was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envelope: Option<String>,
}

/// One version that waits for review (`GET /reviews`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewItem {
    /// `org/slug`.
    pub patch: PatchName,
    /// The version.
    pub version: Version,
    /// Manifest digest.
    pub digest: Digest,
    /// Evidence state.
    pub evidence: EvidenceState,
    /// Who pushed it.
    pub pushed_by: AccountName,
    /// Who submitted it.
    pub submitted_by: AccountName,
    /// Since when it waits.
    pub submitted: jiff::Timestamp,
}

/// What a reviewer sees (`GET …/review`): recomputed counts and what is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewView {
    /// The version.
    pub version: VersionView,
    /// What the registry recomputed from the private record just now.
    pub recomputed: EvidenceSection,
    /// Whether that equals the manifest.
    pub reproduces: bool,
    /// The checklist: each item with whether it holds.
    pub checklist: Vec<ChecklistItem>,
    /// The submission's envelope, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<String>,
}

/// One item of a checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChecklistItem {
    /// Stable name.
    pub item: String,
    /// What it asks.
    pub text: String,
    /// Whether approval or submission needs it.
    pub required: bool,
    /// What the registry found: `true`, `false`, or unknown to it (a person must say).
    #[serde(default)]
    pub holds: Option<bool>,
    /// What was found.
    #[serde(default)]
    pub found: String,
}

/// Licence of a version (`GET …/licence`, no token needed for public patches).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenceView {
    /// Licence state now.
    pub state: LicenceState,
    /// Licence id of the base, which binds beside it.
    pub base_licence: String,
    /// The signed licence records, oldest first, as texts.
    pub records: Vec<String>,
    /// The frozen LICENSE.txt, once published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// `GET /` of the API: who this registry is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistryView {
    /// The origin that signed documents name.
    pub origin: String,
    /// Version of the newest root.
    pub root_version: u64,
    /// Fingerprint of root version 1.
    pub root_fingerprint: String,
    /// Limits of uploads in bytes.
    pub max_package_bytes: u64,
}
