//! Which names, keys and witnesses of a log count, by the roots that are trusted here.

use retoque_core::digest::Digest;
use retoque_core::log::policy::Policy;
use retoque_core::sign::{KeySet, Role};

use crate::error::Failure;
use crate::trust_store::Trust;

/// The trusted roots of one registry, as questions about its log are put to them.
#[derive(Debug, Clone, Copy)]
pub struct Authority<'a> {
    trust: &'a Trust,
    registry: &'a str,
}

impl<'a> Authority<'a> {
    /// The authority of these roots for the registry of this origin (`https://…`).
    pub const fn new(trust: &'a Trust, registry: &'a str) -> Self {
        Self { trust, registry }
    }

    /// The roots.
    pub const fn trust(&self) -> &'a Trust {
        self.trust
    }

    /// What signed documents call the registry.
    pub const fn registry(&self) -> &'a str {
        self.registry
    }

    /// The name under which the log signs now.
    pub fn origin(&self) -> String {
        self.trust.root().log_origin(self.registry)
    }

    /// Every name under which the log signs or signed.
    pub fn origins(&self) -> Vec<String> {
        self.trust.root().log_origins(self.registry)
    }

    /// The keys that could sign for a role at this index of the log, or about a log of this size.
    pub fn keys(&self, role: Role, index: u64) -> KeySet {
        self.trust.chain.keys_at(role, index)
    }

    /// The digest of the envelope of this root, as far as the chain that is known here reaches.
    pub fn root_envelope(&self, version: u64) -> Option<Digest> {
        let root = self.trust.chain.get(version);
        root.map(|root| root.envelope().digest())
    }

    /// Which witnesses count and how many of them must cosign: the policy of this machine, or else that of the root.
    pub fn policy(&self) -> Result<Policy, Failure> {
        if let Some(policy) = &self.trust.policy {
            return Ok(policy.clone());
        }
        let root = self.trust.root();
        let witnesses = root.witnesses().into_iter().map(|witness| (witness.name, witness.key, witness.url));
        let witnesses: Vec<_> = witnesses.collect();
        let threshold = if witnesses.is_empty() { 0 } else { root.threshold(Role::Witness) };
        Ok(Policy::of_witnesses(witnesses, threshold as usize)?)
    }
}
