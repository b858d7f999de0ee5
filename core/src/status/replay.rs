//! The fold over the entries of the log: from leaf 0 on, what became of every version.
//!
//! Leaves of private patches are commitments. Whoever has their openings folds them too; for everybody else they
//! stay closed, and what a status says of private versions can only be held against the commitments that exist.

use std::collections::{BTreeMap, BTreeSet};

use super::snapshot::{Lists, PrivateState, VersionState, is_off};
use crate::decision::{Commitment, Decision, History, Record, RecordKind, VersionRecord};
use crate::digest::Digest;
use crate::id::{PatchName, Version};
use crate::lifecycle::{Reason, State};
use crate::log::{Frontier, Head, leaf_hash};
use crate::problem::{DECISION_REPLACED, Finding, LEAF_MISMATCH, Place};
use crate::sign::Envelope;
use crate::sign::statement::{MANIFEST, Statement};

/// What is known of an entry besides its leaf.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Of a private patch: the salt and the record that open the leaf.
    pub opening: Option<(&'a [u8; 32], &'a [u8])>,
    /// The signed document. Needed for the deprecation, withdrawal and take-down of a public version.
    pub envelope: Option<&'a Envelope>,
}

/// Where every version stands after the entries so far.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    frontier: Frontier,
    pub(super) versions: BTreeMap<Digest, Life>,
    pub(super) closed: BTreeSet<Digest>,
    /// A version name is never used for other bytes.
    names: BTreeSet<(PatchName, Version)>,
}

/// What is known of one version.
#[derive(Debug, Clone)]
pub(super) struct Life {
    pub(super) history: History,
    /// Of a public version: the decision that its state comes from.
    pub(super) off: Option<VersionState>,
    /// Of a private version: the commitment in each leaf so far that published it; there is one at most.
    pub(super) commitment: Option<Digest>,
    pub(super) private: bool,
}

impl Replay {
    /// How many entries were folded.
    pub const fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// Size and root of the log that these entries make.
    pub fn head(&self) -> Head {
        self.frontier.head()
    }

    /// Whether every private leaf was opened.
    pub fn is_complete(&self) -> bool {
        self.closed.is_empty()
    }

    /// Folds the next entry of the log. After a refusal the replay must not be used any more.
    pub fn apply(&mut self, leaf: &[u8], known: Known<'_>) -> Result<(), Finding> {
        let refused = |finding: Finding, size: u64| Finding { place: Place::field(format!("log[{size}]")), ..finding };
        self.entry(leaf, known).map_err(|finding| refused(finding, self.size()))?;
        self.frontier.append(leaf_hash(leaf));
        Ok(())
    }

    fn entry(&mut self, leaf: &[u8], known: Known<'_>) -> Result<(), Finding> {
        if !leaf.starts_with(b"{\"commitment\"") {
            let Record::Version(record) = Record::parse(leaf)? else { return Ok(()) };
            return self.version(&record, None, known.envelope);
        }
        let commitment = Commitment::parse(leaf)?;
        let Some((salt, record)) = known.opening else {
            self.closed.insert(commitment.digest());
            return Ok(());
        };
        if !commitment.opens(salt, record) {
            let next = "fetch the version's proofs again; if this stays, ask the operator of the registry";
            let found = "a salt and a record that give another commitment";
            return Err(Finding::new(LEAF_MISMATCH, Place::default(), found, commitment.digest().to_string(), next));
        }
        match Record::parse(record)? {
            Record::Version(record) => self.version(&record, Some(commitment.digest()), known.envelope),
            Record::Key(_) | Record::Root(_) => Ok(()),
        }
    }

    fn version(
        &mut self,
        record: &VersionRecord,
        commitment: Option<Digest>,
        envelope: Option<&Envelope>,
    ) -> Result<(), Finding> {
        let mut life = match self.versions.remove(&record.manifest) {
            Some(life) => Life { history: life.history.apply(record)?, ..life },
            None => self.begin(record, commitment.is_some())?,
        };
        if life.private != commitment.is_some() {
            return Err(crate::decision::broken("a version with both open and closed entries"));
        }
        if record.kind == RecordKind::Published {
            life.commitment = commitment;
        }
        if !is_off(record.state) {
            life.off = None;
        } else if record.kind.action().is_some() && !life.private {
            life.off = Some(decided(record, envelope)?);
        }
        self.versions.insert(record.manifest, life);
        Ok(())
    }

    fn begin(&mut self, first: &VersionRecord, private: bool) -> Result<Life, Finding> {
        if !self.names.insert((first.patch.clone(), first.version.clone())) {
            return Err(crate::decision::broken(&format!("{} {} a second time", first.patch, first.version)));
        }
        Ok(Life { history: History::begin(first)?, off: None, commitment: None, private })
    }

    /// What a status of these entries says. `closed` is what it says of private versions that stayed closed here.
    pub(super) fn lists_with(&self, closed: impl IntoIterator<Item = PrivateState>) -> Lists {
        let versions = self.versions.values().filter_map(|life| life.off.clone()).collect();
        let private = self.versions.values().filter_map(Life::private_state).chain(closed).collect();
        Lists { versions, private }.fit()
    }

    /// What a status of these entries says; without the openings of private patches nothing of those.
    pub fn lists(&self) -> Lists {
        self.lists_with([])
    }
}

impl Life {
    fn private_state(&self) -> Option<PrivateState> {
        let state = self.history.state();
        self.commitment.filter(|_| is_off(state)).map(|commitment| PrivateState { commitment, state })
    }

    pub(super) fn state(&self) -> State {
        self.history.state()
    }
}

/// Reason and replacement out of the signed decision whose digest the record holds.
fn decided(record: &VersionRecord, envelope: Option<&Envelope>) -> Result<VersionState, Finding> {
    let kind = record.kind.name();
    let refuse = |found: String| {
        let next = "fetch the decisions of this version again; if this stays, the registry has replaced a document";
        let expected = format!("the signed decision with digest {}", record.envelope);
        Finding::new(DECISION_REPLACED, Place::default(), found, expected, next)
    };
    let envelope = envelope.ok_or_else(|| refuse(format!("`{kind}` of {} without its document", record.version)))?;
    let found = envelope.digest();
    if found != record.envelope {
        return Err(refuse(format!("a document with digest {found} for `{kind}` of {}", record.version)));
    }
    let statement = Statement::<Decision>::parse_unverified(envelope.payload_unverified())?;
    let said = statement.predicate();
    let fits = Some(said.action) == record.kind.action()
        && (&said.patch, &said.version, &said.actor) == (&record.patch, &record.version, &record.actor)
        && statement.subject(MANIFEST) == Some(record.manifest);
    let Some(Reason { code, text }) = said.reason.clone().filter(|_| fits) else {
        return Err(refuse(format!("a document that is not `{kind}` of {} with a reason", record.version)));
    };
    let (manifest, since, replacement) = (record.manifest, record.time, said.replacement.clone());
    Ok(VersionState { manifest, state: record.state, code, text, replacement, since })
}
