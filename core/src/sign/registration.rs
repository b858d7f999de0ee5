//! The registry's word that a public key belongs to an account, and what that account may do in which org.
//!
//! Signed under `platform-log`. Made when a key is registered, and again whenever a membership of its account
//! changes, so that a decision travels with the registration that was current when it was made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::key::PublicKey;
use super::statement::{Predicate, Statement};
use super::time::Time;
use crate::id::{AccountName, Org};
use crate::permission::OrgRole;

/// The predicate of a registration. Its subject is the key, by the digest that is its key id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRegistration {
    /// Origin of the registry.
    pub registry: String,
    /// Whose key it is.
    pub account: AccountName,
    /// The key.
    pub key: PublicKey,
    /// What it is for.
    pub purpose: Purpose,
    /// The orgs of the account and its role in each, at `time`.
    pub memberships: BTreeMap<Org, OrgRole>,
    /// When the registry said so.
    pub time: Time,
}

/// What a registered key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Submissions and publications of an org's member.
    Member,
}

impl Predicate for KeyRegistration {
    const TYPE: &'static str = "https://retoque.dev/predicate/key-registration/v1";
}

impl KeyRegistration {
    /// Writes the statement; its one subject is the key object.
    pub fn statement(self) -> Statement<Self> {
        let digest = self.key.id().digest();
        Statement::new(BTreeMap::from([(SUBJECT, digest)]), self)
    }
}

/// The subject name of a registration.
pub const SUBJECT: &str = "key";
