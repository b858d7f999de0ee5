//! The log in which the sample release stands, for unit tests: every leaf and line open to being spoilt.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use super::Release;
use super::sample::key;
use crate::decision::{Commitment, FORMAT, KeyKind, KeyRecord, LogProof, Record, RecordKind, VersionRecord};
use crate::digest::Digest;
use crate::id::AccountName;
use crate::lifecycle::State;
use crate::log::generate::Plan;
use crate::log::proof::ProofFile;
use crate::log::{Checkpoint, Frontier, Head, Note, SignedCheckpoint, Tile, cosignature, leaf_hash};
use crate::sign::registration::KeyRegistration;
use crate::sign::statement::Statement;
use crate::sign::{Envelope, SecretKey, Time};

/// Origin of the sample log.
pub(crate) const ORIGIN: &str = "r.example";

/// What the log holds, and how its checkpoint is signed.
#[derive(Clone)]
pub(crate) struct Log {
    /// Leaves before those of the release.
    pub(crate) before: Vec<Vec<u8>>,
    /// Leaves after them.
    pub(crate) after: Vec<Vec<u8>>,
    /// Whether the patch is private.
    pub(crate) private: bool,
    /// Who pushed.
    pub(crate) pusher: AccountName,
    pub(crate) origin: String,
    /// Seed of the key of the log.
    pub(crate) key: u8,
    pub(crate) time: Time,
}

impl Log {
    pub(crate) fn new(pusher: AccountName, time: Time) -> Self {
        let before = vec![b"the first root".to_vec(), b"something else".to_vec()];
        Self { before, after: vec![b"later".to_vec()], private: false, pusher, origin: ORIGIN.into(), key: 11, time }
    }

    /// The records of a release, in the order of its proofs.
    pub(crate) fn records(&self, release: &Release) -> Vec<Record> {
        let actor = |envelope: &Envelope| {
            let statement = Statement::<crate::decision::Decision>::parse_unverified(envelope.payload_unverified());
            statement.unwrap().into_predicate().actor
        };
        let publisher = actor(&release.publication);
        let documents = [
            (RecordKind::Attested, &release.attestation, State::Candidate, self.pusher.clone()),
            (RecordKind::Submitted, &release.submission, State::Submitted, actor(&release.submission)),
            (RecordKind::Approved, &release.approval, State::Approved, actor(&release.approval)),
            (RecordKind::Published, &release.publication, State::Published, publisher.clone()),
            (RecordKind::LicenceGranted, &release.licence, State::Published, publisher),
        ];
        let mut previous = None;
        let mut records = Vec::new();
        for (kind, envelope, state, actor) in documents {
            let record = Record::Version(VersionRecord {
                format: FORMAT.into(),
                kind,
                patch: release.patch.clone(),
                version: release.version.clone(),
                manifest: release.manifest_digest,
                actor,
                envelope: envelope.digest(),
                previous,
                time: self.time,
                state,
            });
            previous = Some(Digest::of(&record.to_bytes().unwrap()));
            records.push(record);
        }
        for envelope in &release.key_registrations {
            let said = Statement::<KeyRegistration>::parse_unverified(envelope.payload_unverified()).unwrap();
            let said = said.into_predicate();
            records.push(Record::Key(KeyRecord {
                format: FORMAT.into(),
                kind: KeyKind::KeyRegistered,
                account: said.account,
                key: said.key.id(),
                envelope: envelope.digest(),
                time: self.time,
            }));
        }
        records
    }

    /// Puts the documents of a release into the log, and the proofs into the release.
    pub(crate) fn prove(&self, release: &mut Release) {
        release.log_proofs = self.proofs(self.records(release));
    }

    /// The proofs of these records: registrations first in the log, as they come before what they vouch for.
    pub(crate) fn proofs(&self, records: Vec<Record>) -> Vec<LogProof> {
        let (versions, keys): (Vec<_>, Vec<_>) = records.into_iter().partition(|r| matches!(r, Record::Version(_)));
        let (mut leaves, mut entries) = (self.before.clone(), Vec::new());
        for record in keys {
            entries.push((leaves.len() as u64, record.clone(), None));
            leaves.push(record.to_bytes().unwrap());
        }
        let mut open = Vec::new();
        for (n, record) in versions.into_iter().enumerate() {
            let bytes = record.to_bytes().unwrap();
            let salt = self.private.then(|| [u8::try_from(n).unwrap(); 32]);
            open.push((leaves.len() as u64, record, salt));
            leaves.push(salt.map_or_else(|| bytes.clone(), |s| Commitment::to(&s, &bytes).to_bytes().unwrap()));
        }
        leaves.extend(self.after.clone());
        open.extend(entries);
        let (head, hashes) = tree(&leaves);
        let note = self.note(head);
        let file = |index| {
            let mut tiles = hashes.clone();
            let proof = Plan::inclusion(index, head.size).unwrap().resolve(&mut tiles).unwrap();
            ProofFile::new(index, proof, SignedCheckpoint::from_note(note.clone()).unwrap())
        };
        open.into_iter().map(|(n, record, salt)| LogProof::new(n, record, salt.as_ref(), &file(n))).collect()
    }

    /// The note of a head: signed, and cosigned by the log itself.
    pub(crate) fn note(&self, head: Head) -> Note {
        let checkpoint = Checkpoint::new(&self.origin, head).unwrap();
        let mut note = checkpoint.sign(&key(self.key)).unwrap();
        note.put(cosignature::sign(&checkpoint, &self.origin, &key(self.key), self.time).unwrap());
        note
    }
}

/// Head and tiles of a small tree.
fn tree(leaves: &[Vec<u8>]) -> (Head, BTreeMap<Tile, Vec<u8>>) {
    let hashes: Vec<_> = leaves.iter().map(|leaf| leaf_hash(leaf)).collect();
    let bytes = hashes.iter().flat_map(|hash| *hash.as_bytes()).collect();
    let head = hashes.into_iter().collect::<Frontier>().head();
    (head, BTreeMap::from([(Tile::in_tree(head.size, 0, 0).unwrap(), bytes)]))
}

/// The release with another note under every proof.
pub(crate) fn with_note(release: &mut Release, change: impl Fn(&mut Note)) {
    for proof in &mut release.log_proofs {
        let file = ProofFile::parse(proof.proof.as_bytes()).unwrap();
        let mut note = file.checkpoint().note().clone();
        change(&mut note);
        let checkpoint = SignedCheckpoint::from_note(note).unwrap();
        proof.proof = ProofFile::new(file.index(), file.hashes().to_vec(), checkpoint).to_string();
    }
}

/// Lets a witness cosign the checkpoint of a release.
pub(crate) fn cosign(release: &mut Release, name: &str, witness: &SecretKey, time: Time) {
    with_note(release, |note| {
        let checkpoint = SignedCheckpoint::from_note(note.clone()).unwrap().claimed().clone();
        note.put(cosignature::sign(&checkpoint, name, witness, time).unwrap());
    });
}

impl Log {
    /// The log of a release of a public patch with more leaves: its note, its head, and the proof that it continues.
    pub(crate) fn continued(&self, release: &Release, more: &[Vec<u8>]) -> (Note, Head, Vec<Digest>) {
        let records = self.records(release);
        let (versions, keys): (Vec<_>, Vec<_>) = records.iter().partition(|r| matches!(r, Record::Version(_)));
        let mut leaves = self.before.clone();
        leaves.extend(keys.into_iter().chain(versions).map(|record| record.to_bytes().unwrap()));
        leaves.extend(self.after.clone());
        let old = leaves.len() as u64;
        leaves.extend(more.to_vec());
        let (head, mut tiles) = tree(&leaves);
        let proof = Plan::consistency(old, head.size).map(|plan| plan.resolve(&mut tiles).unwrap());
        (self.note(head), head, proof.unwrap_or_default())
    }
}
