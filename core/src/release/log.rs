//! That everything signed of a release stands in the log: one checkpoint, one proof for each document, and records that
//! are those of the documents and follow one another.
//!
//! The index of a leaf is the time of its document: whose signatures count is asked of the roots at that index. A
//! checkpoint carries exactly the lines that the roots or the policy of the verifier know, in one order, so that no
//! byte of it can change unnoticed.

use super::document::Release;
use super::verify::{Trust, place};
use super::witness::{self, Witnessed};
use crate::decision::{LogProof, Record, RecordKind, VersionRecord};
use crate::digest::Digest;
use crate::lifecycle::State;
use crate::log::{SignedCheckpoint, VerifiedCheckpoint};
use crate::problem::{
    Finding, Findings, KEY_UNREGISTERED, LEAF_MISMATCH, LOG_FORK, LOG_ORIGIN_MISMATCH, NOT_IN_LOG, PROOF_INVALID,
};
use crate::sign::registration::KeyRegistration;
use crate::sign::root::Chain;
use crate::sign::statement::Statement;
use crate::sign::{Envelope, Role, excerpt};

/// The records of a version that a release proves, and the state after each.
const KINDS: [(RecordKind, State); 5] = [
    (RecordKind::Attested, State::Candidate),
    (RecordKind::Submitted, State::Submitted),
    (RecordKind::Approved, State::Approved),
    (RecordKind::Published, State::Published),
    (RecordKind::LicenceGranted, State::Published),
];

/// One of the documents that a release proves. As a number it is the place of its proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Attestation,
    Submission,
    Approval,
    Publication,
    Licence,
    Registration(usize),
}

impl Of {
    const fn place(self) -> usize {
        match self {
            Self::Attestation => 0,
            Self::Submission => 1,
            Self::Approval => 2,
            Self::Publication => 3,
            Self::Licence => 4,
            Self::Registration(n) => KINDS.len() + n,
        }
    }
}

/// What the proofs say.
pub(super) struct Logged<'a> {
    proofs: &'a [LogProof],
    /// The checkpoint that the proofs lead to.
    pub(super) proven: Option<Proven>,
}

/// The checkpoint that everything is proven in.
pub(super) struct Proven {
    pub(super) checkpoint: VerifiedCheckpoint,
    pub(super) witnessed: Witnessed,
    /// Index of the publication.
    pub(super) index: u64,
    /// Of a private patch: the commitment in the leaf of the publication.
    pub(super) commitment: Option<Digest>,
}

impl Logged<'_> {
    /// The index at which a document stands. Without a proof it is as if it were signed now, which is the strictest.
    pub(super) fn index(&self, of: Of) -> u64 {
        self.proofs.get(of.place()).map_or(u64::MAX, |proof| proof.index)
    }

    /// The record of a document of the version.
    pub(super) fn record(&self, of: Of) -> Option<&VersionRecord> {
        match self.proofs.get(of.place()).map(|proof| &proof.record) {
            Some(Record::Version(record)) => Some(record),
            _ => None,
        }
    }
}

/// Checks that there is an entry for each document, and that the records are those of the documents.
pub(super) fn check<'a>(release: &'a Release, chain: &Chain, findings: &mut Findings) -> Logged<'a> {
    let mut checker = Checker { release, chain, findings };
    let proofs = release.log_proofs.as_slice();
    let wanted = KINDS.len() + release.key_registrations.len();
    if proofs.len() != wanted {
        let expected = format!("{wanted}: one for each document");
        checker.refuse(NOT_IN_LOG, "log_proofs", format!("{} proofs", proofs.len()), expected);
        return Logged { proofs: &[], proven: None };
    }
    checker.version_records(proofs);
    checker.registrations(proofs);
    Logged { proofs, proven: None }
}

impl Logged<'_> {
    /// Checks that every entry stands in one checkpoint of the log.
    pub(super) fn prove(&mut self, release: &Release, chain: &Chain, trust: &Trust<'_>, findings: &mut Findings) {
        self.proven = Checker { release, chain, findings }.proofs(self.proofs, trust);
    }
}

struct Checker<'a, 'f> {
    release: &'a Release,
    chain: &'a Chain,
    findings: &'f mut Findings,
}

fn field(n: usize) -> String {
    format!("log_proofs[{n}]")
}

impl Checker<'_, '_> {
    fn refuse(
        &mut self,
        code: crate::problem::Code,
        field: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let next = "do not use this folder; pull the version again, and report it if this stays";
        self.findings.push(Finding::new(code, place(field), found, expected, next));
    }

    fn take<T>(&mut self, field: &str, result: Result<T, Finding>) -> Option<T> {
        result.map_err(|finding| self.findings.push(Finding { place: place(field), ..finding })).ok()
    }

    /// The records are of this version, hold the digests of the documents, and follow one another.
    fn version_records(&mut self, proofs: &[LogProof]) {
        let release = self.release;
        let documents: [&Envelope; 5] =
            [&release.attestation, &release.submission, &release.approval, &release.publication, &release.licence];
        let mut before: Option<(u64, Option<Digest>)> = None;
        for (n, (((kind, state), document), proof)) in KINDS.into_iter().zip(documents).zip(proofs).enumerate() {
            let Record::Version(record) = &proof.record else {
                self.refuse(NOT_IN_LOG, &field(n), "an entry that is about no version", kind.name());
                before = None;
                continue;
            };
            let bytes = Record::parse(&proof.record.to_bytes().unwrap_or_default()).and_then(|r| r.to_bytes());
            let digest = self.take(&field(n), bytes).map(|bytes| Digest::of(&bytes));
            if record.kind != kind {
                self.refuse(NOT_IN_LOG, &field(n), format!("`{}`", record.kind.name()), format!("`{}`", kind.name()));
            }
            let same = (&record.patch, &record.version) == (&release.patch, &release.version)
                && record.manifest == release.manifest_digest
                && record.state == state;
            if !same {
                let found = format!("{} {} ({}), {}", record.patch, record.version, record.state, record.manifest);
                let wanted = format!("{} {} ({state}), {}", release.patch, release.version, release.manifest_digest);
                self.refuse(LEAF_MISMATCH, &field(n), found, wanted);
            }
            let envelope = document.digest();
            if record.envelope != envelope {
                let found = format!("a document with digest {}", record.envelope);
                self.refuse(LEAF_MISMATCH, &field(n), found, envelope.to_string());
            }
            // Between attestation and submission there may have been other rounds; from there on nothing else.
            let follows = match (n, before) {
                (0, _) => record.previous.is_none(),
                (1, _) => record.previous.is_some(),
                (_, Some((_, previous))) => previous.is_none() || record.previous == previous,
                (_, None) => true,
            };
            if !follows {
                let found = record.previous.map_or_else(|| "nothing".to_owned(), |digest| digest.to_string());
                self.refuse(LEAF_MISMATCH, &format!("{}.record.previous", field(n)), found, "the record before it");
            }
            if before.is_some_and(|(index, _)| index >= proof.index) {
                self.refuse(LEAF_MISMATCH, &format!("{}.index", field(n)), proof.index.to_string(), "a later entry");
            }
            if proof.salt.is_some() != proofs.first().is_some_and(|first| first.salt.is_some()) {
                let expected = "a salt with every record of a private version, and with no other";
                self.refuse(LEAF_MISMATCH, &format!("{}.salt", field(n)), "a salt with some records alone", expected);
            }
            before = Some((proof.index, digest));
        }
    }

    /// Each registration has its own entry, before the decision that it vouches for.
    fn registrations(&mut self, proofs: &[LogProof]) {
        let used_at = [Of::Submission, Of::Publication].map(|of| proofs.get(of.place()).map_or(0, |p| p.index));
        for (n, envelope) in self.release.key_registrations.iter().enumerate() {
            let at = KINDS.len() + n;
            let Some(proof) = proofs.get(at) else { continue };
            let Record::Key(record) = &proof.record else {
                self.refuse(NOT_IN_LOG, &field(at), "an entry that is about no key", "`key-registered`");
                continue;
            };
            let bytes = Record::parse(&proof.record.to_bytes().unwrap_or_default());
            self.take(&field(at), bytes);
            let said = Statement::<KeyRegistration>::parse_unverified(envelope.payload_unverified());
            let fits = record.envelope == envelope.digest()
                && said
                    .is_ok_and(|s| (&s.predicate().account, s.predicate().key.id()) == (&record.account, record.key));
            if !fits || proof.salt.is_some() {
                let found = format!("an entry of {} with document {}", record.account, record.envelope);
                self.refuse(LEAF_MISMATCH, &field(at), found, envelope.digest().to_string());
            }
            if used_at.get(n).is_some_and(|used| proof.index >= *used) {
                let expected = "a registration before the decision that it vouches for";
                self.refuse(KEY_UNREGISTERED, &format!("{}.index", field(at)), proof.index.to_string(), expected);
            }
        }
    }

    /// One checkpoint of this log, in which every leaf stands at its index.
    fn proofs(&mut self, proofs: &[LogProof], trust: &Trust<'_>) -> Option<Proven> {
        let files: Vec<_> =
            proofs.iter().enumerate().map(|(n, proof)| self.take(&field(n), proof.file())).collect::<Option<_>>()?;
        let first = files.first()?.checkpoint();
        for (n, file) in files.iter().enumerate() {
            if file.checkpoint() != first {
                let found = format!("the checkpoint of {} leaves, or other lines", file.checkpoint().claimed().size());
                self.refuse(PROOF_INVALID, &field(n), found, "one checkpoint for all proofs");
            }
        }
        let checkpoint = self.checkpoint(first)?;
        for (n, (proof, file)) in proofs.iter().zip(&files).enumerate() {
            let included = proof.leaf().and_then(|leaf| file.verify_in(&leaf, &checkpoint));
            self.take(&field(n), included);
        }
        let witnessed = witness::check(&checkpoint, self.chain, trust.policy);
        let witnessed = self.take("log_proofs", witnessed)?;
        if let Some((origin, head)) = trust.known
            && origin == checkpoint.origin()
            && head.size == checkpoint.size()
            && head.root != checkpoint.root()
        {
            let found = format!("root {} for {} leaves", checkpoint.root(), head.size);
            self.refuse(LOG_FORK, "log_proofs", found, format!("root {}, as seen before", head.root));
        }
        let publication = proofs.get(Of::Publication.place())?;
        let commitment = publication.commitment().ok()?.map(|commitment| commitment.digest());
        Some(Proven { checkpoint, witnessed, index: publication.index, commitment })
    }

    fn checkpoint(&mut self, signed: &SignedCheckpoint) -> Option<VerifiedCheckpoint> {
        let claimed = signed.claimed();
        let origins = self.chain.newest().log_origins(&self.release.registry);
        if !origins.iter().any(|origin| origin == claimed.origin()) {
            let found = format!("a checkpoint of {}", excerpt(claimed.origin()));
            self.refuse(LOG_ORIGIN_MISMATCH, "log_proofs", found, format!("the log {}", origins.join(" or ")));
            return None;
        }
        let keys = self.chain.keys_at(Role::PlatformLog, claimed.size());
        self.take("log_proofs", signed.verify(claimed.origin(), &keys))
    }
}
