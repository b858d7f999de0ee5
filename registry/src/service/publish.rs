//! What publication freezes: `LICENSE.txt`, `release.json` and, when the submitter agreed, `validation-cases.json`.
//! They are written with the decision and never again; what changes later lives in status and licence records.

use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::release::{FORMAT, Release, ReleaseFiles};
use retoque_core::sign::{Envelope, KeyId};

use super::effects::{Effects, LicenceChange};
use super::{Error, Service};
use crate::store::{self, Tx};

/// The frozen documents of a version that is being published.
pub(super) async fn frozen(
    service: &Service,
    tx: &mut Tx,
    e: &Effects<'_>,
    licence: &LicenceChange,
    text: &str,
    cases: Option<&[u8]>,
) -> Result<store::decisions::Release, Error> {
    let target = &e.situation.target;
    let submission = e.situation.submission.as_ref().ok_or_else(|| Error::internal("no submission to publish"))?;
    let submission = Envelope::parse(&submission.envelope)?;
    let approval = approval(tx, e).await?;
    let signers: Vec<KeyId> = submission.keyids().into_iter().chain(e.statement.signers().iter().copied()).collect();
    let release = Release {
        format: FORMAT.to_owned(),
        registry: service.settings.origin.clone(),
        patch: target.patch.name.clone(),
        version: target.version.version.clone(),
        manifest_digest: target.version.manifest_digest,
        attestation: Envelope::parse(&tx.attestation(target.version.id).await?)?,
        submission,
        approval,
        publication: e.envelope.clone(),
        licence: licence.envelope.clone(),
        key_registrations: registrations(tx, &signers).await?,
        log_proofs: Vec::new(),
        root_chain: root_chain(tx).await?,
        files: ReleaseFiles { license: Digest::of(text.as_bytes()), validation_cases: cases.map(Digest::of) },
    };
    Ok(store::decisions::Release {
        release: release.to_bytes()?,
        license_text: text.as_bytes().to_vec(),
        validation_cases: cases.map(<[u8]>::to_vec),
    })
}

/// The approval that stands: the latest, since a version that was sent back has to be approved anew.
async fn approval(tx: &mut Tx, e: &Effects<'_>) -> Result<Envelope, Error> {
    let decisions = tx.decisions(e.situation.target.version.id).await?;
    let approved = decisions.into_iter().rev().find(|d| d.kind == RecordKind::Approved.name());
    let approved = approved.ok_or_else(|| Error::internal("an approved version without an approval"))?;
    Ok(Envelope::parse(&approved.envelope)?)
}

/// The registrations of these keys, in order and once each.
async fn registrations(tx: &mut Tx, keys: &[KeyId]) -> Result<Vec<Envelope>, Error> {
    let mut seen = Vec::new();
    let mut envelopes = Vec::new();
    for id in keys.iter().filter(|id| {
        if seen.contains(id) {
            false
        } else {
            seen.push(*id);
            true
        }
    }) {
        let key =
            tx.key(&id.to_string()).await?.ok_or_else(|| Error::internal("a signing key without registration"))?;
        envelopes.push(Envelope::parse(&key.registration)?);
    }
    Ok(envelopes)
}

/// Every root from version 1 to the one in force.
async fn root_chain(tx: &mut Tx) -> Result<Vec<Envelope>, Error> {
    let mut chain = Vec::new();
    while let Some(root) = tx.root(chain.len() as u64 + 1).await? {
        chain.push(Envelope::parse(&root.envelope)?);
    }
    Ok(chain)
}
