//! The signed payload of a root, and the rules that it must keep.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::log::LogNames;
use super::role::Role;
use crate::canonical;
use crate::digest::Digest;
use crate::json::{self, Limits};
use crate::problem::{Finding, Place, ROOT_INVALID};
use crate::sign::{KeyId, PublicKey, Time, excerpt};

/// The TUF specification that the form follows.
const SPEC_VERSION: &str = "1.0.34";
/// The most keys that one role names.
const MAX_KEYS: usize = 64;

/// The keys of one role and how many of them must sign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleKeys {
    /// Ids of keys in `keys`.
    pub keyids: Vec<KeyId>,
    /// How many different ones must sign.
    pub threshold: u32,
}

/// A key that is no longer good from a place in the log on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revoked {
    /// Which key.
    pub keyid: KeyId,
    /// The first index of the log at which its signatures do not count.
    pub from_index: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Metadata {
    #[serde(rename = "_type")]
    type_: String,
    spec_version: String,
    version: u64,
    expires: Time,
    consistent_snapshot: bool,
    keys: BTreeMap<KeyId, PublicKey>,
    roles: TufRoles,
    #[serde(rename = "x-log", default, skip_serializing_if = "LogNames::is_default")]
    x_log: LogNames,
    #[serde(rename = "x-previous", default, with = "bare_hex", skip_serializing_if = "Option::is_none")]
    x_previous: Option<Digest>,
    #[serde(rename = "x-roles")]
    x_roles: OwnRoles,
    #[serde(rename = "x-revoked")]
    x_revoked: Vec<Revoked>,
}

/// What a root is made from.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) version: u64,
    pub(super) expires: Time,
    pub(super) previous: Option<Digest>,
    pub(super) roles: BTreeMap<Role, (Vec<PublicKey>, u32)>,
    pub(super) revoked: Vec<Revoked>,
    pub(super) log: LogNames,
}

/// `x-previous`: 64 hex digits without the algorithm, as fingerprints are shown.
mod bare_hex {
    use super::{Deserialize, Digest};
    use serde::{Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde gives the field by reference")]
    pub(super) fn serialize<S: Serializer>(digest: &Option<Digest>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&digest.map(|digest| digest.hex()).unwrap_or_default())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Digest>, D::Error> {
        let text = String::deserialize(deserializer)?;
        Digest::from_hex(&text).map(Some).map_err(serde::de::Error::custom)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TufRoles {
    root: RoleKeys,
    targets: RoleKeys,
    snapshot: RoleKeys,
    timestamp: RoleKeys,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnRoles {
    review: RoleKeys,
    operate: RoleKeys,
    witness: RoleKeys,
}

impl Metadata {
    pub(super) fn new(draft: Draft) -> Result<Self, Finding> {
        let Draft { version, expires, previous, mut roles, revoked, log } = draft;
        let keys = roles.values().flat_map(|(keys, _)| keys).map(|key| (key.id(), key.clone())).collect();
        let mut take = |role| {
            let (keys, threshold) = roles.remove(&role).unwrap_or((Vec::new(), 1));
            RoleKeys { keyids: keys.iter().map(PublicKey::id).collect(), threshold }
        };
        let metadata = Self {
            type_: "root".to_owned(),
            spec_version: SPEC_VERSION.to_owned(),
            version,
            expires: expires.whole_second(),
            consistent_snapshot: true,
            keys,
            roles: TufRoles {
                root: take(Role::Root),
                targets: take(Role::PlatformBuild),
                snapshot: take(Role::PlatformLog),
                timestamp: take(Role::PlatformStatus),
            },
            x_log: log,
            x_previous: previous,
            x_roles: OwnRoles {
                review: take(Role::Review),
                operate: take(Role::Operate),
                witness: take(Role::Witness),
            },
            x_revoked: revoked,
        };
        metadata.check()?;
        Ok(metadata)
    }

    pub(super) fn parse(payload: &[u8]) -> Result<Self, Finding> {
        let limits = Limits { bytes: super::MAX_BYTES, depth: 8 };
        let metadata: Self = json::decode(payload, limits).map_err(|e| invalid("", &e.to_string()))?;
        metadata.check()?;
        if metadata.to_payload()? != payload {
            return Err(invalid("", "root metadata that is not in canonical form"));
        }
        Ok(metadata)
    }

    pub(super) fn to_payload(&self) -> Result<Vec<u8>, Finding> {
        canonical::to_vec(self).map_err(|e| invalid("", &e.to_string()))
    }

    fn check(&self) -> Result<(), Finding> {
        if self.type_ != "root" || !self.spec_version.starts_with("1.0.") || !self.consistent_snapshot {
            return Err(invalid("_type", "metadata of another kind or version"));
        }
        if self.version == 0 || self.expires != self.expires.whole_second() {
            return Err(invalid("version", "version 0, or an expiry with a fraction of a second"));
        }
        if let Some((id, _)) = self.keys.iter().find(|(id, key)| **id != key.id()) {
            return Err(invalid("keys", &format!("a key under {id}, which is not its id")));
        }
        for role in Role::ALL {
            self.check_role(role)?;
        }
        let mut revoked = self.x_revoked.windows(2);
        if revoked.any(|pair| pair[0].keyid >= pair[1].keyid) {
            return Err(invalid("x-revoked", "revocations that are repeated or not in the order of their keys"));
        }
        if (self.version == 1) != self.x_previous.is_none() {
            return Err(invalid("x-previous", "a first root that names one before it, or a later one that names none"));
        }
        if let Some(id) = self.roles.root.keyids.iter().find(|id| self.x_revoked.iter().any(|r| r.keyid == **id)) {
            return Err(invalid("x-revoked", &format!("key {id}, which is still a root key")));
        }
        self.x_log.check(&self.x_roles.witness.keyids)
    }

    fn check_role(&self, role: Role) -> Result<(), Finding> {
        let RoleKeys { keyids, threshold } = self.role(role);
        let refuse = |found: String| Err(invalid(role.name(), &found));
        if let Some(id) = keyids.iter().find(|id| !self.keys.contains_key(id)) {
            return refuse(format!("key {id}, which is not in `keys`"));
        }
        if let Some((n, id)) = keyids.iter().enumerate().find(|(n, id)| keyids[..*n].contains(id)) {
            return refuse(format!("key {id} a second time, as number {}", n + 1));
        }
        let absent = keyids.is_empty() && role.is_optional();
        if *threshold == 0 || keyids.len() > MAX_KEYS || (*threshold as usize > keyids.len() && !absent) {
            return refuse(format!("a threshold of {threshold} with {} keys", keyids.len()));
        }
        for other in Role::ALL.into_iter().filter(|other| !role.may_share(*other)) {
            if let Some(id) = keyids.iter().find(|id| self.role(other).keyids.contains(id)) {
                return refuse(format!("key {id}, which is also a key of {other}"));
            }
        }
        Ok(())
    }

    pub(super) const fn role(&self, role: Role) -> &RoleKeys {
        match role {
            Role::Root => &self.roles.root,
            Role::PlatformBuild => &self.roles.targets,
            Role::PlatformLog => &self.roles.snapshot,
            Role::PlatformStatus => &self.roles.timestamp,
            Role::Review => &self.x_roles.review,
            Role::Operate => &self.x_roles.operate,
            Role::Witness => &self.x_roles.witness,
        }
    }

    pub(super) fn role_keys(&self, role: Role) -> Vec<&PublicKey> {
        self.role(role).keyids.iter().filter_map(|id| self.keys.get(id)).collect()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &PublicKey> {
        self.keys.values()
    }

    pub(super) fn revoked(&self) -> &[Revoked] {
        &self.x_revoked
    }

    pub(super) const fn previous(&self) -> Option<Digest> {
        self.x_previous
    }

    pub(super) const fn log(&self) -> &LogNames {
        &self.x_log
    }

    pub(super) fn key(&self, id: KeyId) -> Option<&PublicKey> {
        self.keys.get(&id)
    }

    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    pub(super) const fn expires(&self) -> Time {
        self.expires
    }
}

pub(super) fn invalid(field: &str, found: &str) -> Finding {
    let place = if field.is_empty() { Place::default() } else { Place::field(field) };
    Finding::new(
        ROOT_INVALID,
        place,
        excerpt(found),
        "TUF root metadata in canonical JSON, each key in one role, at most 64 KiB",
        "give the root file of the registry, as its operator published it",
    )
}
