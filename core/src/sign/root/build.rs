//! Making roots.

use std::collections::BTreeMap;

use super::metadata::{Metadata, Revoked};
use super::role::Role;
use super::{Root, TUF};
use crate::problem::Finding;
use crate::sign::{Envelope, KeyId, PublicKey, Signer, Time};

/// Collects what a new root says. `review`, `operate` and `witness` may stay empty; the other roles must be given.
#[derive(Debug, Clone)]
pub struct RootBuilder {
    version: u64,
    expires: Time,
    roles: BTreeMap<Role, (Vec<PublicKey>, u32)>,
    revoked: Vec<Revoked>,
}

impl RootBuilder {
    /// A first root, version 1.
    pub fn first(expires: Time) -> Self {
        Self { version: 1, expires, roles: BTreeMap::new(), revoked: Vec::new() }
    }

    /// The root after `current`, which says the same until told otherwise.
    pub fn after(current: &Root, expires: Time) -> Self {
        let role = |role| {
            let keys = current.metadata.role_keys(role).into_iter().cloned().collect();
            (role, (keys, current.metadata.role(role).threshold))
        };
        Self {
            version: current.version() + 1,
            expires,
            roles: Role::ALL.into_iter().map(role).collect(),
            revoked: current.metadata.revoked().to_vec(),
        }
    }

    /// Gives the role these keys and no others.
    #[must_use]
    pub fn role(mut self, role: Role, keys: impl IntoIterator<Item = PublicKey>, threshold: u32) -> Self {
        self.roles.insert(role, (keys.into_iter().collect(), threshold));
        self
    }

    /// Adds one key to a role.
    #[must_use]
    pub fn add(mut self, role: Role, key: PublicKey) -> Self {
        let (keys, _) = self.roles.entry(role).or_insert((Vec::new(), 1));
        if !keys.contains(&key) {
            keys.push(key);
        }
        self
    }

    /// Takes one key out of a role. The threshold stays as it was, as far as the keys that are left can reach it.
    #[must_use]
    pub fn remove(mut self, role: Role, key: KeyId) -> Self {
        if let Some((keys, threshold)) = self.roles.get_mut(&role) {
            keys.retain(|other| other.id() != key);
            let most = u32::try_from(keys.len()).unwrap_or(u32::MAX).max(1);
            *threshold = (*threshold).clamp(1, most);
        }
        self
    }

    /// Revokes a key from an index of the log on.
    #[must_use]
    pub fn revoke(mut self, revoked: Revoked) -> Self {
        self.revoked.retain(|r| r.keyid != revoked.keyid);
        self.revoked.push(revoked);
        self.revoked.sort_by_key(|r| r.keyid);
        self
    }

    /// Writes the root and signs it. More signatures may be added to the envelope elsewhere before it is used.
    pub fn sign(self, signers: &[&dyn Signer]) -> Result<Envelope, Finding> {
        let metadata = Metadata::new(self.version, self.expires, self.roles, self.revoked)?;
        Envelope::sign(TUF, metadata.to_payload()?, signers)
    }
}
