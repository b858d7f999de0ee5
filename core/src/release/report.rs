//! What a verification found to be in force, for people and for `--json`.

use serde::Serialize;

use crate::digest::Digest;
use crate::evaluation::EvidenceState;
use crate::id::{AccountName, BasePin, PatchName, Version};
use crate::licence::LicenceState;
use crate::sign::{KeyId, Time};

/// Who signed one of the statements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedBy {
    /// `attestation`, `submission`, `approval`, `publication`, `licence`.
    pub statement: &'static str,
    /// The role of the keys: one of the root's, or `member`.
    pub role: String,
    /// The keys.
    pub keys: Vec<KeyId>,
    /// The account that acted, where a person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountName>,
    /// When, by the clock of the signer.
    pub time: Time,
}

/// What is proven about a folder, and which protections were not active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Origin of the registry.
    pub registry: String,
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// Digest of the manifest.
    pub manifest: Digest,
    /// Digest of the archive that the platform signed.
    pub package: Digest,
    /// The pinned base. Whether a base on disk is that base is proven separately.
    pub base: BasePin,
    /// Evidence state as signed.
    pub evidence: EvidenceState,
    /// Licence state at publication.
    pub licence: LicenceState,
    /// Licence terms at publication.
    pub terms: String,
    /// Who signed what.
    pub signed: Vec<SignedBy>,
    /// Version of the root that was used.
    pub root_version: u64,
    /// When that root expires.
    pub root_expires: Time,
    /// Whether it has expired; only possible when the caller allowed it.
    pub root_expired: bool,
    /// Disclosure text of the reviewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<String>,
    /// Protections that were not active, in words.
    pub not_active: Vec<&'static str>,
}

/// What this format cannot prove.
pub(super) const NOT_ACTIVE: [&str; 3] = [
    "no proof of inclusion in a transparency log",
    "no split-view protection: no witness has cosigned",
    "no signed status: a deprecation or withdrawal since publication is not visible offline",
];

impl Report {
    /// The report as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("{} {} from {}", self.patch, self.version, self.registry),
            format!("manifest {}", self.manifest),
            format!("base {}", self.base),
            format!("evidence {} as signed; licence {} ({}) at publication", self.evidence, self.licence, self.terms),
        ];
        lines.extend(self.signed.iter().map(|s| {
            let by = s.account.as_ref().map_or_else(String::new, |account| format!(" by {account}"));
            let keys: Vec<_> = s.keys.iter().map(|key| key.to_string().chars().take(16).collect::<String>()).collect();
            format!("{}{by}: {} key {} at {}", s.statement, s.role, keys.join(", "), s.time)
        }));
        lines.extend(self.disclosure.iter().map(|text| format!("reviewer's disclosure: {text}")));
        let expired = if self.root_expired { " (EXPIRED)" } else { "" };
        lines.push(format!("root version {}, expires {}{expired}", self.root_version, self.root_expires));
        lines.extend(self.not_active.iter().map(|text| format!("not active: {text}")));
        lines
    }
}
