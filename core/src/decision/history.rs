//! The fold over the records of one version: what they say together, or why they cannot all be true.

use super::record::{RecordKind, VersionRecord, broken};
use crate::digest::Digest;
use crate::id::{AccountName, PatchName, Version};
use crate::lifecycle::{Action, State, transition};
use crate::problem::Finding;
use crate::sign::Time;

/// Where a version stands after its records. Made by [`History::begin`], moved by [`History::apply`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    patch: PatchName,
    version: Version,
    manifest: Digest,
    pusher: AccountName,
    submitter: Option<AccountName>,
    approver: Option<AccountName>,
    licensed: bool,
    published: bool,
    state: State,
    last: Digest,
    time: Time,
}

impl History {
    /// Starts with the first record, which is the attestation.
    pub fn begin(first: &VersionRecord) -> Result<Self, Finding> {
        if first.kind != RecordKind::Attested || first.state != State::Candidate || first.previous.is_some() {
            return Err(broken("a first record that is not an attestation of a candidate"));
        }
        Ok(Self {
            patch: first.patch.clone(),
            version: first.version.clone(),
            manifest: first.manifest,
            pusher: first.actor.clone(),
            submitter: None,
            approver: None,
            licensed: false,
            published: false,
            state: State::Candidate,
            last: Digest::of(&first.to_bytes()?),
            time: first.time,
        })
    }

    /// Folds all records of one version, oldest first.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a VersionRecord>) -> Result<Self, Finding> {
        let mut records = records.into_iter();
        let first = records.next().ok_or_else(|| broken("no record at all"))?;
        records.try_fold(Self::begin(first)?, Self::apply)
    }

    /// The history with one more record, which must follow from it.
    pub fn apply(mut self, record: &VersionRecord) -> Result<Self, Finding> {
        let kind = record.kind.name();
        if (&record.patch, &record.version, record.manifest) != (&self.patch, &self.version, self.manifest) {
            return Err(broken(&format!("`{kind}` of another version")));
        }
        if record.previous != Some(self.last) {
            return Err(broken(&format!("`{kind}` that does not follow the record before it")));
        }
        if record.time < self.time {
            return Err(broken(&format!("`{kind}` that is older than the record before it")));
        }
        match record.kind.action() {
            Some(action) => self.act(action, &record.actor)?,
            None => self.registry(record.kind)?,
        }
        if record.state != self.state {
            return Err(broken(&format!("`{kind}` that ends in {}, not in {}", record.state, self.state)));
        }
        self.last = Digest::of(&record.to_bytes()?);
        self.time = record.time;
        Ok(self)
    }

    fn act(&mut self, action: Action, actor: &AccountName) -> Result<(), Finding> {
        let Some(transition) = transition(self.state, action) else {
            return Err(broken(&format!("`{action}` of a version that is {}", self.state)));
        };
        match action {
            Action::Submit => self.submitter = Some(actor.clone()),
            Action::Approve if *actor == self.pusher || Some(actor) == self.submitter.as_ref() => {
                return Err(broken("an approval by the submitter or the pusher"));
            }
            Action::Approve => self.approver = Some(actor.clone()),
            Action::Return | Action::Revoke => (self.submitter, self.approver) = (None, None),
            Action::Publish => self.published = true,
            Action::Deprecate | Action::Restore | Action::Withdraw | Action::TakeDown => {}
        }
        self.state = transition.to;
        Ok(())
    }

    fn registry(&mut self, kind: RecordKind) -> Result<(), Finding> {
        let gone = matches!(self.state, State::Withdrawn | State::TakenDown);
        match kind {
            RecordKind::LicenceGranted if self.published && !gone && !self.licensed => self.licensed = true,
            RecordKind::LicenceEnded if self.licensed && gone => self.licensed = false,
            _ => return Err(broken(&format!("`{}` of a version that is {}", kind.name(), self.state))),
        }
        Ok(())
    }

    /// The patch.
    pub const fn patch(&self) -> &PatchName {
        &self.patch
    }

    /// The version.
    pub const fn version(&self) -> &Version {
        &self.version
    }

    /// Digest of its manifest.
    pub const fn manifest(&self) -> Digest {
        self.manifest
    }

    /// The state after all records.
    pub const fn state(&self) -> State {
        self.state
    }

    /// Whether it was ever published.
    pub const fn was_published(&self) -> bool {
        self.published
    }

    /// Whether a licence is granted for new pulls.
    pub const fn is_licensed(&self) -> bool {
        self.licensed
    }

    /// Who pushed.
    pub const fn pusher(&self) -> &AccountName {
        &self.pusher
    }

    /// Who submitted, as long as the submission stands.
    pub const fn submitter(&self) -> Option<&AccountName> {
        self.submitter.as_ref()
    }

    /// Who approved, as long as the approval stands.
    pub const fn approver(&self) -> Option<&AccountName> {
        self.approver.as_ref()
    }

    /// Digest of the last record: `previous` of the next.
    pub const fn last(&self) -> Digest {
        self.last
    }
}
