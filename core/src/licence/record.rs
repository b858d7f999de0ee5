//! The predicate of a licence record, signed under `platform-status`.

use serde::{Deserialize, Serialize};

use crate::decision::Offer;
use crate::digest::Digest;
use crate::id::{PatchName, Version};
use crate::sign::Time;
use crate::sign::statement::{Predicate, Statement};

/// Whether somebody who pulls now gets a licence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LicenceState {
    /// No licence is granted.
    None,
    /// Granted free of charge.
    GrantedFree,
    /// Granted to whoever holds an entitlement.
    GrantedPaid,
    /// No longer granted to new pulls.
    Ended,
}

impl LicenceState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::GrantedFree, Self::GrantedPaid, Self::Ended];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::GrantedFree => "granted-free",
            Self::GrantedPaid => "granted-paid",
            Self::Ended => "ended",
        }
    }

    /// The state of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// The state that a publication under `offer` grants.
    pub const fn granted_by(offer: &Offer) -> Self {
        match offer {
            Offer::Free { .. } => Self::GrantedFree,
            Offer::Paid { .. } => Self::GrantedPaid,
        }
    }
}

impl std::fmt::Display for LicenceState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// One licence record of one version. Its subject is the manifest digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Licence {
    /// Origin of the registry.
    pub registry: String,
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// The state from `from` on.
    pub state: LicenceState,
    /// The terms: an SPDX identifier or `proprietary`.
    pub terms: String,
    /// Digest of the frozen `LICENSE.txt`.
    pub text: Digest,
    /// Price in US dollars, for `granted-paid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_usd: Option<String>,
    /// Licence id of the base, which binds beside the terms.
    pub base_licence: String,
    /// From when.
    pub from: Time,
}

impl Predicate for Licence {
    const TYPE: &'static str = "https://retoque.dev/predicate/licence/v1";
}

impl Licence {
    /// The statement about the version with this manifest digest.
    pub fn statement(self, manifest: Digest) -> Statement<Self> {
        Statement::about_manifest(manifest, self)
    }
}
