//! Making roots.

use std::collections::BTreeMap;

use super::log::{LogNames, WitnessName};
use super::metadata::{Draft, Metadata, Revoked};
use super::role::Role;
use super::{Root, TUF};
use crate::problem::Finding;
use crate::sign::{Envelope, KeyId, PublicKey, Signer, Time};

/// Collects what a new root says. `review`, `operate` and `witness` may stay empty; the other roles must be given.
#[derive(Debug, Clone)]
pub struct RootBuilder {
    draft: Draft,
}

impl RootBuilder {
    /// A first root, version 1.
    pub fn first(expires: Time) -> Self {
        let (roles, revoked, log) = (BTreeMap::new(), Vec::new(), LogNames::default());
        Self { draft: Draft { version: 1, expires, previous: None, roles, revoked, log } }
    }

    /// The root after `current`, which says the same until told otherwise.
    pub fn after(current: &Root, expires: Time) -> Self {
        let metadata = &current.metadata;
        let role = |role| {
            let keys = metadata.role_keys(role).into_iter().cloned().collect();
            (role, (keys, metadata.role(role).threshold))
        };
        Self {
            draft: Draft {
                version: current.version() + 1,
                expires,
                previous: Some(current.fingerprint()),
                roles: Role::ALL.into_iter().map(role).collect(),
                revoked: metadata.revoked().to_vec(),
                log: metadata.log().clone(),
            },
        }
    }

    /// Gives the role these keys and no others. Keys that leave it so must be revoked with [`RootBuilder::revoke`].
    #[must_use]
    pub fn role(mut self, role: Role, keys: impl IntoIterator<Item = PublicKey>, threshold: u32) -> Self {
        self.draft.roles.insert(role, (keys.into_iter().collect(), threshold));
        self
    }

    /// Sets how many keys of a role must sign.
    #[must_use]
    pub fn threshold(mut self, role: Role, threshold: u32) -> Self {
        self.draft.roles.entry(role).or_insert((Vec::new(), 1)).1 = threshold;
        self
    }

    /// Adds one key to a role.
    #[must_use]
    pub fn add(mut self, role: Role, key: PublicKey) -> Self {
        let (keys, _) = self.draft.roles.entry(role).or_insert((Vec::new(), 1));
        if !keys.contains(&key) {
            keys.push(key);
        }
        self
    }

    /// Takes one key out of a role. The threshold stays as it was, as far as the keys that are left can reach it. In
    /// every role but `root` the key must be revoked too, with [`RootBuilder::revoke`].
    #[must_use]
    pub fn remove(mut self, role: Role, key: KeyId) -> Self {
        if let Some((keys, threshold)) = self.draft.roles.get_mut(&role) {
            keys.retain(|other| other.id() != key);
            let most = u32::try_from(keys.len()).unwrap_or(u32::MAX).max(1);
            *threshold = (*threshold).clamp(1, most);
        }
        if role == Role::Witness {
            self.draft.log.witnesses.retain(|witness| witness.keyid != key);
        }
        self
    }

    /// Revokes a key from an index of the log on. It stays in its roles until it is removed.
    #[must_use]
    pub fn revoke(mut self, revoked: Revoked) -> Self {
        let list = &mut self.draft.revoked;
        list.retain(|r| r.keyid != revoked.keyid);
        list.push(revoked);
        list.sort_by_key(|r| r.keyid);
        self
    }

    /// Names the log anew. The name that the root gave before stays known; when it gave none, `was` is what the log was
    /// called then.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>, was: Option<String>) -> Self {
        let log = &mut self.draft.log;
        let origin = origin.into();
        if log.origin.as_ref() != Some(&origin) {
            let before = log.origin.take().or(was).filter(|before| *before != origin);
            log.former.retain(|former| *former != origin && Some(former) != before.as_ref());
            log.former.splice(0..0, before);
            log.origin = Some(origin);
        }
        self
    }

    /// Adds a witness of the log: its key, the name under which it signs, and where it can be asked.
    #[must_use]
    pub fn witness(mut self, key: PublicKey, name: impl Into<String>, url: Option<String>) -> Self {
        self.draft.log.witnesses.retain(|witness| witness.keyid != key.id());
        self.draft.log.witnesses.push(WitnessName { keyid: key.id(), name: name.into(), url });
        if let Some((keys, _)) = self.draft.roles.get_mut(&Role::Witness) {
            keys.retain(|other| *other != key);
        }
        self.add(Role::Witness, key)
    }

    /// Writes the root and signs it. More signatures may be added to the envelope elsewhere before it is used.
    pub fn sign(self, signers: &[&dyn Signer]) -> Result<Envelope, Finding> {
        Envelope::sign(TUF, Metadata::new(self.draft)?.to_payload()?, signers)
    }
}
