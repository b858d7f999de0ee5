//! What publication freezes: `LICENSE.txt`, `release.json` and, when the submitter agreed, `validation-cases.json`.
//! They are written once; what changes later lives in status and licence records.
//!
//! A release proves that its own leaves are in the log, so it is made in two steps: with the decision everything but
//! the proofs ([`freeze`]), and after its commit the proofs ([`finish`]).

mod finish;

pub use finish::finish_all;
pub(super) use finish::{finish, pending};

use retoque_core::decision::{LogProof, Record, RecordKind};
use retoque_core::digest::Digest;
use retoque_core::release::{Asked, FORMAT, Release, ReleaseFiles, Trust, check_draft};
use retoque_core::sign::{Envelope, KeyId};

use super::situation::Effects;
use super::{Error, Service};
use crate::clock::time;
use crate::store::Tx;
use crate::store::decisions::{DecisionRow, NewRelease};

/// The entries that a release proves, in its order.
const KINDS: [RecordKind; 5] = [
    RecordKind::Attested,
    RecordKind::Submitted,
    RecordKind::Approved,
    RecordKind::Published,
    RecordKind::LicenceGranted,
];

/// Writes what a publication freezes, but for the proofs. Call it when its entries are in the log.
pub(super) async fn freeze(
    service: &Service,
    tx: &mut Tx,
    e: &Effects<'_>,
    text: &str,
    cases: Option<&[u8]>,
) -> Result<(), Error> {
    let target = &e.situation.target;
    let chain = service.roots.chain(tx).await?;
    let rows = entries(&tx.decisions(target.version.id).await?)?;
    let registrations = registrations(tx, e).await?;
    let [attestation, submission, approval, publication, licence] =
        rows.each_ref().map(|row| Envelope::parse(&row.envelope));
    let mut log_proofs = Vec::new();
    for row in &rows {
        log_proofs.push(unproven(row.log_index, &row.record, row.salt.as_deref())?);
    }
    let mut key_registrations = Vec::new();
    for (envelope, index) in registrations {
        let leaf = tx.leaf(index).await?.ok_or_else(|| Error::internal("a registration without its leaf"))?;
        log_proofs.push(unproven(index, &leaf, None)?);
        key_registrations.push(Envelope::parse(&envelope)?);
    }
    let release = Release {
        format: FORMAT.to_owned(),
        registry: service.settings.origin.clone(),
        patch: target.patch.name.clone(),
        version: target.version.version.clone(),
        manifest_digest: target.version.manifest_digest,
        attestation: attestation?,
        submission: submission?,
        approval: approval?,
        publication: publication?,
        licence: licence?,
        key_registrations,
        log_proofs,
        root_chain: chain.envelopes(),
        files: ReleaseFiles { license: Digest::of(text.as_bytes()), validation_cases: cases.map(Digest::of) },
    };
    // The client's own check is run first: nothing is published that a client would refuse.
    let trust = Trust { registry: Some(&service.settings.origin), ..Trust::new(&chain, time(e.now)?) };
    let asked = Asked {
        patch: Some(&target.patch.name),
        version: Some(&target.version.version),
        manifest: Some(target.version.manifest_digest),
    };
    check_draft(&release, &tx.manifest(target.version.id).await?, &trust, asked)?;
    let new = NewRelease {
        draft: release.to_bytes()?,
        license_text: text.as_bytes().to_vec(),
        validation_cases: cases.map(<[u8]>::to_vec),
    };
    Ok(tx.insert_release(target.version.id, &new, e.now).await?)
}

/// The registration of a key as it is now, and its leaf in the log.
pub(super) async fn registration(tx: &mut Tx, id: KeyId) -> Result<(Vec<u8>, u64), Error> {
    let key = tx.key(&id.to_string()).await?.ok_or_else(|| Error::internal("a signing key without registration"))?;
    Ok((key.registration, key.log_index))
}

/// The newest entry of each kind: a version that was sent back was submitted and approved anew.
fn entries(history: &[DecisionRow]) -> Result<[DecisionRow; 5], Error> {
    let newest = |kind| history.iter().rev().find(|row| row.kind == kind).cloned();
    let rows: Option<Vec<_>> = KINDS.into_iter().map(newest).collect();
    let missing = || Error::internal("a published version without one of its entries");
    rows.ok_or_else(missing)?.try_into().map_err(|_| missing())
}

/// An entry whose proof is to come.
fn unproven(index: u64, record: &[u8], salt: Option<&[u8]>) -> Result<LogProof, Error> {
    let record = Record::parse(record).map_err(|_| Error::internal("an unreadable stored record"))?;
    Ok(LogProof { index, record, salt: salt.map(hex::encode), proof: String::new() })
}

/// The registrations of the keys of submission and publication, once each; the submitter's as it was then.
async fn registrations(tx: &mut Tx, e: &Effects<'_>) -> Result<Vec<(Vec<u8>, u64)>, Error> {
    let submission = e.situation.submission.as_ref().ok_or_else(|| Error::internal("no submission to publish"))?;
    let index = submission.registration_index.ok_or_else(|| Error::internal("a registration without its leaf"))?;
    let mut all = vec![(submission.registration.clone(), index)];
    if !Envelope::parse(&submission.envelope)?.keyids().contains(&e.signer()?) {
        all.push(registration(tx, e.signer()?).await?);
    }
    Ok(all)
}
