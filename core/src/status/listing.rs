//! The signed listing of one patch: what a range is resolved over.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SUBJECT;
use super::fresh::{AsOf, invalid, mismatch};
use super::snapshot::{Status, is_off};
use crate::digest::Digest;
use crate::id::{PatchName, Version};
use crate::licence::LicenceState;
use crate::lifecycle::State;
use crate::problem::{Finding, Findings};
use crate::sign::statement::{Predicate, Statement};
use crate::sign::{Envelope, KeySet, Signer, Time, Verified};

/// Every version of one patch that was ever published, as of one log head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    registry: String,
    origin: String,
    size: u64,
    root: Digest,
    issued: Time,
    expires: Time,
    patch: PatchName,
    versions: Vec<Listed>,
}

/// One version that was published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// The version.
    pub version: Version,
    /// Its manifest digest.
    pub manifest: Digest,
    /// `published`, `deprecated`, `withdrawn` or `taken-down`.
    pub state: State,
    /// Evidence state of its manifest.
    pub evidence: String,
    /// Whether somebody who pulls now gets a licence.
    pub licence: LicenceState,
    /// Of a private patch: the commitment in the leaf of its publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<Digest>,
}

impl Predicate for Listing {
    const TYPE: &'static str = "https://retoque.dev/predicate/listing/v1";
}

impl Listing {
    /// The listing of that moment; it takes the moment of the status that it belongs to.
    pub fn new(as_of: AsOf, patch: PatchName, mut versions: Vec<Listed>) -> Result<Self, Finding> {
        versions.sort_by(|a, b| a.version.cmp(&b.version));
        let AsOf { registry, origin, size, root, issued, expires } = as_of;
        let listing = Self { registry, origin, size, root, issued, expires, patch, versions };
        listing.check()?;
        Ok(listing)
    }

    /// Signs it.
    pub fn sign(self, signer: &dyn Signer) -> Result<Envelope, Finding> {
        Statement::new(BTreeMap::from([(SUBJECT, self.root)]), self).sign(&[signer])
    }

    /// Verifies it with the keys that `keys_at` gives for `platform-status` at the size that it names.
    pub fn verify(envelope: &Envelope, keys_at: impl FnOnce(u64) -> KeySet) -> Result<Verified<Self>, Finding> {
        let claimed = Statement::<Self>::parse_unverified(envelope.payload_unverified())?.predicate().size;
        let verified = Statement::<Self>::verify(envelope, &keys_at(claimed))?;
        verified.check_subjects(&BTreeMap::from([(SUBJECT, verified.predicate().root)]))?;
        let listing = verified.try_map(|statement| Ok::<_, Finding>(statement.into_predicate()))?;
        listing.check()?;
        Ok(listing)
    }

    fn check(&self) -> Result<(), Finding> {
        self.as_of().check_lifetime()?;
        if self.versions.windows(2).any(|pair| pair[0].version >= pair[1].version) {
            return Err(invalid("versions", "versions repeated or out of order", "each once, in order"));
        }
        let state = self.versions.iter().map(|v| v.state).find(|s| !is_off(*s) && *s != State::Published);
        match state {
            Some(state) => Err(invalid("versions.state", state.name(), "a version that was published")),
            None => Ok(()),
        }
    }

    /// The log that it is about, and how long it counts.
    pub fn as_of(&self) -> AsOf {
        AsOf {
            registry: self.registry.clone(),
            origin: self.origin.clone(),
            size: self.size,
            root: self.root,
            issued: self.issued,
            expires: self.expires,
        }
    }

    /// The patch.
    pub const fn patch(&self) -> &PatchName {
        &self.patch
    }

    /// Its published versions, in the order of `SemVer` precedence.
    pub fn versions(&self) -> &[Listed] {
        &self.versions
    }

    /// Refuses a listing of another moment than the status, or one that says of a version what the status does not.
    pub fn check_against(&self, status: &Status) -> Result<(), Findings> {
        self.as_of().check_same(&status.as_of())?;
        let mut findings = Findings::new();
        for listed in &self.versions {
            let said = match listed.commitment {
                Some(commitment) => status.private_version(commitment),
                None => status.version(listed.manifest).map(|v| v.state),
            };
            let said = said.unwrap_or(State::Published);
            if said != listed.state {
                let field = format!("versions.{}", listed.version);
                findings.push(mismatch(&field, format!("{} in the listing", listed.state), format!("{said}")));
            }
        }
        if findings.refused() { Err(findings) } else { Ok(()) }
    }
}
