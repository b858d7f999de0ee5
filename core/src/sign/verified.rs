//! What verification gives, and what it is given: a value that was signed, and the keys that may sign it.

use std::ops::Deref;

use super::key::{KeyId, PublicKey};
use crate::digest::Digest;

/// A value that came out of a verified envelope. Only verification in this crate makes one.
#[derive(Debug, Clone)]
pub struct Verified<T> {
    value: T,
    signers: Vec<KeyId>,
    payload: Digest,
    envelope: Digest,
}

impl<T> Verified<T> {
    pub(super) const fn new(value: T, signers: Vec<KeyId>, payload: Digest, envelope: Digest) -> Self {
        Self { value, signers, payload, envelope }
    }

    /// Parses the verified value into what it means; the proof stays with it.
    pub(crate) fn try_map<U, E>(self, parse: impl FnOnce(T) -> Result<U, E>) -> Result<Verified<U>, E> {
        let Self { value, signers, payload, envelope } = self;
        Ok(Verified { value: parse(value)?, signers, payload, envelope })
    }

    /// The value, without its proof.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The trusted keys that signed, without repetition.
    pub fn signers(&self) -> &[KeyId] {
        &self.signers
    }

    /// Digest of the payload bytes. The next decision of a version names this as `previous`.
    pub const fn payload_digest(&self) -> Digest {
        self.payload
    }

    /// Digest of the envelope in canonical form. Decision records hold this.
    pub const fn envelope_digest(&self) -> Digest {
        self.envelope
    }
}

impl<T> Deref for Verified<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// The keys that may sign for one purpose, and how many of them must.
#[derive(Debug, Clone)]
pub struct KeySet {
    purpose: String,
    keys: Vec<PublicKey>,
    threshold: u32,
    elsewhere: Vec<(String, PublicKey)>,
    revoked: Vec<PublicKey>,
    rules: Vec<Rule>,
}

/// How many of `members` must have signed when one of `latest` did.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// Keys whose rule this is.
    pub(super) latest: Vec<KeyId>,
    /// Keys that are counted.
    pub(super) members: Vec<KeyId>,
    /// How many of them.
    pub(super) threshold: u32,
}

impl KeySet {
    /// `threshold` of `keys` sign for `purpose`. A threshold of zero counts as one.
    pub fn new(purpose: impl Into<String>, keys: impl IntoIterator<Item = PublicKey>, threshold: u32) -> Self {
        let mut unique: Vec<PublicKey> = Vec::new();
        for key in keys {
            if !unique.contains(&key) {
                unique.push(key);
            }
        }
        Self {
            purpose: purpose.into(),
            keys: unique,
            threshold: threshold.max(1),
            elsewhere: Vec::new(),
            revoked: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Gives different keys different thresholds, as they stood in different roots. Without rules the one threshold
    /// counts.
    #[must_use]
    pub(super) fn with_rules(mut self, rules: Vec<Rule>) -> Self {
        self.rules = rules;
        self
    }

    /// Names keys of other purposes, so that a refusal can say whose key it was. They are never accepted.
    #[must_use]
    pub fn with_others(mut self, others: impl IntoIterator<Item = (String, PublicKey)>) -> Self {
        self.elsewhere = others.into_iter().filter(|(_, key)| !self.keys.contains(key)).collect();
        self
    }

    /// Names keys that were revoked, so that a refusal can say so. They are never accepted.
    #[must_use]
    pub fn with_revoked(mut self, revoked: impl IntoIterator<Item = PublicKey>) -> Self {
        self.revoked = revoked.into_iter().filter(|key| !self.keys.contains(key)).collect();
        self
    }

    /// What the keys are for.
    pub fn purpose(&self) -> &str {
        &self.purpose
    }

    /// The keys, without repetition.
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// How many different keys must have signed.
    pub const fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Whether these signers, all of this set, are enough.
    pub(crate) fn is_met_by(&self, signers: &[KeyId]) -> bool {
        let count = |ids: &[KeyId]| signers.iter().filter(|id| ids.contains(id)).count();
        match self.rules.as_slice() {
            [] => signers.len() >= self.threshold as usize,
            rules => rules.iter().any(|r| count(&r.latest) > 0 && count(&r.members) >= r.threshold.max(1) as usize),
        }
    }

    pub(crate) fn elsewhere(&self) -> &[(String, PublicKey)] {
        &self.elsewhere
    }

    pub(crate) fn revoked(&self) -> &[PublicKey] {
        &self.revoked
    }

    /// The key with this id.
    pub fn get(&self, id: KeyId) -> Option<&PublicKey> {
        self.keys.iter().find(|key| key.id() == id)
    }
}
