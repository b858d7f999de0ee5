//! Decision records: canonical JSON, digests only, the later leaves of the log.

use serde::{Deserialize, Serialize};

use crate::canonical;
use crate::digest::Digest;
use crate::id::{AccountName, PatchName, Version};
use crate::json::{self, Limits};
use crate::lifecycle::{Action, State};
use crate::problem::{Finding, HISTORY_BROKEN, Place};
use crate::sign::{KeyId, Time};

/// The only format that this version of the library writes and reads.
pub const FORMAT: &str = "retoque-record/1";
/// The largest record: the log stores the length in 16 bits.
pub const MAX_RECORD: usize = 65_535;

/// What happened to a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordKind {
    /// The platform signed the pushed bytes.
    Attested,
    /// Submitted for review.
    Submitted,
    /// Returned with reasons.
    Returned,
    /// Approved.
    Approved,
    /// The approval was revoked.
    Revoked,
    /// Published.
    Published,
    /// A licence was granted.
    LicenceGranted,
    /// The licence ended for new pulls.
    LicenceEnded,
    /// Deprecated.
    Deprecated,
    /// Restored from deprecation.
    Restored,
    /// Withdrawn.
    Withdrawn,
    /// Taken down.
    TakenDown,
}

impl RecordKind {
    /// The kind that records `action`.
    pub const fn of(action: Action) -> Self {
        match action {
            Action::Submit => Self::Submitted,
            Action::Return => Self::Returned,
            Action::Approve => Self::Approved,
            Action::Revoke => Self::Revoked,
            Action::Publish => Self::Published,
            Action::Deprecate => Self::Deprecated,
            Action::Restore => Self::Restored,
            Action::Withdraw => Self::Withdrawn,
            Action::TakeDown => Self::TakenDown,
        }
    }

    /// The action that this kind records, unless it is the registry's own.
    pub fn action(self) -> Option<Action> {
        Action::ALL.into_iter().find(|action| Self::of(*action) == self)
    }

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attested => "attested",
            Self::Submitted => "submitted",
            Self::Returned => "returned",
            Self::Approved => "approved",
            Self::Revoked => "revoked",
            Self::Published => "published",
            Self::LicenceGranted => "licence-granted",
            Self::LicenceEnded => "licence-ended",
            Self::Deprecated => "deprecated",
            Self::Restored => "restored",
            Self::Withdrawn => "withdrawn",
            Self::TakenDown => "taken-down",
        }
    }
}

/// What happened to one version of a public patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionRecord {
    /// [`FORMAT`].
    pub format: String,
    /// What happened.
    pub kind: RecordKind,
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// Its manifest digest.
    pub manifest: Digest,
    /// Who did it; for `attested` who pushed.
    pub actor: AccountName,
    /// Digest of the signed envelope in canonical form.
    pub envelope: Digest,
    /// Digest of the record before it on this version; absent on the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Digest>,
    /// When the registry recorded it.
    pub time: Time,
    /// The state after it.
    pub state: State,
}

/// A key became the key of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRecord {
    /// [`FORMAT`].
    pub format: String,
    /// Always `key-registered`.
    pub kind: KeyKind,
    /// Whose key.
    pub account: AccountName,
    /// Which key.
    pub key: KeyId,
    /// Digest of the registration envelope.
    pub envelope: Digest,
    /// When the registry recorded it.
    pub time: Time,
}

/// The root of trust changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootRecord {
    /// [`FORMAT`].
    pub format: String,
    /// Always `root-changed`.
    pub kind: RootKind,
    /// The new root version.
    pub root: u64,
    /// Digest of the root envelope.
    pub envelope: Digest,
    /// When the registry recorded it.
    pub time: Time,
}

/// The one kind of a [`KeyRecord`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyKind {
    /// `key-registered`.
    KeyRegistered,
}

/// The one kind of a [`RootRecord`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootKind {
    /// `root-changed`.
    RootChanged,
}

/// Any record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Record {
    /// About a version.
    Version(VersionRecord),
    /// About a key.
    Key(KeyRecord),
    /// About the root.
    Root(RootRecord),
}

impl Record {
    /// The bytes of the record: what is stored, digested and later put into the log.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Finding> {
        let bytes = canonical::to_vec(self).map_err(|e| broken(&e.to_string()))?;
        if bytes.len() > MAX_RECORD { Err(broken(&format!("{} bytes", bytes.len()))) } else { Ok(bytes) }
    }

    /// Reads a record; bytes that this code would not have written are refused.
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        let limits = Limits { bytes: MAX_RECORD, depth: 4 };
        let record: Self = json::decode(bytes, limits).map_err(|e| broken(&e.to_string()))?;
        let format = match &record {
            Self::Version(r) => &r.format,
            Self::Key(r) => &r.format,
            Self::Root(r) => &r.format,
        };
        if format != FORMAT || record.to_bytes()? != bytes {
            return Err(broken("a record of another format or not in canonical form"));
        }
        Ok(record)
    }
}

impl VersionRecord {
    /// The bytes of the record.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Finding> {
        Record::Version(self.clone()).to_bytes()
    }
}

pub(crate) fn broken(found: &str) -> Finding {
    Finding::new(
        HISTORY_BROKEN,
        Place::default(),
        crate::sign::excerpt(found),
        "decision records in canonical form, each following from the one before",
        "tell the operator of the registry; the history of this version cannot be trusted",
    )
}
