//! The signed status of the whole registry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fresh::{AsOf, invalid};
use super::{MAX_PAYLOAD, SUBJECT};
use crate::digest::Digest;
use crate::id::Version;
use crate::lifecycle::State;
use crate::log::Head;
use crate::problem::{Finding, STATUS_LIE};
use crate::sign::statement::{Predicate, Statement};
use crate::sign::{Envelope, KeySet, Signer, Time, Verified};

/// Every version that is deprecated, withdrawn or taken down, as of one log head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    registry: String,
    origin: String,
    size: u64,
    root: Digest,
    issued: Time,
    expires: Time,
    versions: Vec<VersionState>,
    private: Vec<PrivateState>,
}

/// What became of a version of a public patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionState {
    /// Its manifest digest.
    pub manifest: Digest,
    /// `deprecated`, `withdrawn` or `taken-down`.
    pub state: State,
    /// Reason code of the decision.
    pub code: String,
    /// Reason text of the decision; only its beginning, or nothing, when all texts together are too long.
    pub text: String,
    /// The version that the decision names instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Version>,
    /// When the registry recorded it.
    pub since: Time,
}

/// What became of a version of a private patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivateState {
    /// The commitment in the leaf of its publication, which `release.json` opens.
    pub commitment: Digest,
    /// `deprecated`, `withdrawn` or `taken-down`.
    pub state: State,
}

/// What a status says, whatever its moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// Versions of public patches, by manifest digest.
    pub versions: Vec<VersionState>,
    /// Versions of private patches, by commitment.
    pub private: Vec<PrivateState>,
}

impl Predicate for Status {
    const TYPE: &'static str = "https://retoque.dev/predicate/status/v1";
}

impl Lists {
    /// How much of each reason text is kept, at most: the first of these with which everything fits.
    const TEXTS: [usize; 3] = [usize::MAX, 200, 0];

    /// Sorts, and shortens the texts as far as the size of the whole demands. The same lists give the same result.
    #[must_use]
    pub fn fit(mut self) -> Self {
        self.versions.sort_by_key(|v| v.manifest);
        self.private.sort_by_key(|p| p.commitment);
        for most in Self::TEXTS {
            for version in self.versions.iter_mut().filter(|v| v.text.len() > most) {
                let end = version.text.char_indices().nth(most).map_or(version.text.len(), |(at, _)| at);
                version.text.truncate(end);
            }
            if self.size() <= MAX_PAYLOAD {
                break;
            }
        }
        self
    }

    /// Bytes of the two lists as they are written, or more.
    fn size(&self) -> usize {
        let bytes = |result: Result<Vec<u8>, _>| result.map_or(usize::MAX / 2, |bytes: Vec<u8>| bytes.len());
        bytes(serde_json::to_vec(&self.versions)) + bytes(serde_json::to_vec(&self.private)) + 2048
    }
}

impl Status {
    /// The status of that moment. Lists that are too long even without texts are refused.
    pub fn new(as_of: AsOf, lists: Lists) -> Result<Self, Finding> {
        let Lists { versions, private } = lists;
        let AsOf { registry, origin, size, root, issued, expires } = as_of;
        let status = Self { registry, origin, size, root, issued, expires, versions, private };
        status.check()?;
        Ok(status)
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
        let status = verified.try_map(|statement| Ok::<_, Finding>(statement.into_predicate()))?;
        status.check()?;
        Ok(status)
    }

    /// Everything about its form that a signature does not say.
    fn check(&self) -> Result<(), Finding> {
        self.as_of().check_lifetime()?;
        if serde_json::to_vec(self).map_or(true, |bytes| bytes.len() > MAX_PAYLOAD) {
            return Err(invalid("versions", "more than a status can hold", &format!("at most {MAX_PAYLOAD} bytes")));
        }
        if self.versions.windows(2).any(|pair| pair[0].manifest >= pair[1].manifest) {
            return Err(invalid("versions", "versions repeated or out of order", "each once, by manifest digest"));
        }
        if self.private.windows(2).any(|pair| pair[0].commitment >= pair[1].commitment) {
            return Err(invalid("private", "commitments repeated or out of order", "each once, in order"));
        }
        let states = self.versions.iter().map(|v| v.state).chain(self.private.iter().map(|p| p.state));
        match states.into_iter().find(|state| !is_off(*state)) {
            Some(state) => Err(invalid("state", state.name(), "deprecated, withdrawn or taken-down")),
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

    /// Versions of public patches that are not simply published.
    pub fn versions(&self) -> &[VersionState] {
        &self.versions
    }

    /// Versions of private patches that are not simply published.
    pub fn private(&self) -> &[PrivateState] {
        &self.private
    }

    /// What it says of the public version with this manifest. `None`: nothing was decided against it.
    pub fn version(&self, manifest: Digest) -> Option<&VersionState> {
        let at = self.versions.binary_search_by_key(&manifest, |v| v.manifest).ok()?;
        self.versions.get(at)
    }

    /// What it says of the private version whose publication has this commitment.
    pub fn private_version(&self, commitment: Digest) -> Option<State> {
        let at = self.private.binary_search_by_key(&commitment, |p| p.commitment).ok()?;
        self.private.get(at).map(|p| p.state)
    }

    /// Refuses what cannot follow `before`, which was verified earlier: older ones (see [`AsOf::check_not_before`]), and
    /// another content for the same log, of which there can be one alone.
    pub fn check_follows(&self, before: &Self) -> Result<(), Finding> {
        self.as_of().check_not_before(&before.as_of())?;
        if (&self.origin, self.size) != (&before.origin, before.size) {
            return Ok(());
        }
        self.as_of().check_log(&before.origin, Head { size: before.size, root: before.root })?;
        if (&self.versions, &self.private) == (&before.versions, &before.private) {
            return Ok(());
        }
        Err(super::compare::finding(
            STATUS_LIE,
            "versions".to_owned(),
            format!("other versions than the status issued {} for the same log", before.issued),
            "the same, since the log is the same".to_owned(),
        ))
    }
}

/// Whether a version in this state is in the status.
pub(super) const fn is_off(state: State) -> bool {
    matches!(state, State::Deprecated | State::Withdrawn | State::TakenDown)
}
