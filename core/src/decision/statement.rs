//! The predicate that a person signs.

use serde::{Deserialize, Serialize};

use super::offer::Declarations;
use crate::digest::Digest;
use crate::id::{AccountName, PatchName, Version};
use crate::lifecycle::{Action, Reason};
use crate::review::Checklist;
use crate::sign::statement::{Predicate, Statement};
use crate::sign::{Envelope, Signer, Time};

/// One act on one version. Members that do not belong to the action must be absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Origin of the registry that it is meant for.
    pub registry: String,
    /// What is done.
    pub action: Action,
    /// Who does it: the account whose key signs.
    pub actor: AccountName,
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// Payload digest of the decision before this one on the same version; of the attestation on the first.
    pub previous: Digest,
    /// When it was signed, by the clock of the signer.
    pub time: Time,
    /// Submission only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declarations: Option<Declarations>,
    /// Approval only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checklist: Option<Checklist>,
    /// Actions that have reason codes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Deprecation, withdrawal, take-down: the version to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Version>,
    /// Review actions: the disclosure of the account, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<String>,
    /// Anything else that should be read with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl Predicate for Decision {
    const TYPE: &'static str = "https://retoque.dev/predicate/decision/v1";
}

impl Decision {
    /// A decision with nothing but what every action needs.
    pub fn new(
        registry: &str,
        action: Action,
        actor: AccountName,
        (patch, version): (PatchName, Version),
        previous: Digest,
        time: Time,
    ) -> Self {
        Self {
            registry: registry.to_owned(),
            action,
            actor,
            patch,
            version,
            previous,
            time,
            declarations: None,
            checklist: None,
            reason: None,
            replacement: None,
            disclosure: None,
            notes: None,
        }
    }

    /// Signs the decision about the version with this manifest digest.
    pub fn sign(self, manifest: Digest, signer: &dyn Signer) -> Result<Envelope, crate::problem::Finding> {
        Statement::about_manifest(manifest, self).sign(&[signer])
    }
}
