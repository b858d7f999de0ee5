//! What publication freezes: `LICENSE.txt`, `release.json` and, when the submitter agreed, `validation-cases.json`.
//! They are written with the decision and never again; what changes later lives in status and licence records.

use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::release::{Asked, FORMAT, Release, ReleaseFiles, Trust, check_documents};
use retoque_core::sign::{Envelope, KeyId};

use super::situation::{Effects, LicenceChange};
use super::{Error, Service, signers};
use crate::clock::time;
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
    let release = Release {
        format: FORMAT.to_owned(),
        registry: service.settings.origin.clone(),
        patch: target.patch.name.clone(),
        version: target.version.version.clone(),
        manifest_digest: target.version.manifest_digest,
        attestation: Envelope::parse(&tx.attestation(target.version.id).await?)?,
        submission: Envelope::parse(&submission(e)?.envelope)?,
        approval: approval(tx, e).await?,
        publication: e.envelope.clone(),
        licence: licence.envelope.clone(),
        key_registrations: registrations(tx, e).await?,
        log_proofs: Vec::new(),
        root_chain: root_chain(tx).await?,
        files: ReleaseFiles { license: Digest::of(text.as_bytes()), validation_cases: cases.map(Digest::of) },
    };
    verifies(service, tx, e, &release).await?;
    Ok(store::decisions::Release {
        release: release.to_bytes()?,
        license_text: text.as_bytes().to_vec(),
        validation_cases: cases.map(<[u8]>::to_vec),
    })
}

/// The registration of a key as it is now.
pub(super) async fn registration(tx: &mut Tx, id: KeyId) -> Result<Vec<u8>, Error> {
    let key = tx.key(&id.to_string()).await?.ok_or_else(|| Error::internal("a signing key without registration"))?;
    Ok(key.registration)
}

fn submission<'a>(e: &Effects<'a>) -> Result<&'a store::decisions::Submission, Error> {
    e.situation.submission.as_ref().ok_or_else(|| Error::internal("no submission to publish"))
}

/// The approval that stands: the latest, since a version that was sent back has to be approved anew.
async fn approval(tx: &mut Tx, e: &Effects<'_>) -> Result<Envelope, Error> {
    let decisions = tx.decisions(e.situation.target.version.id).await?;
    let approved = decisions.into_iter().rev().find(|d| d.kind == RecordKind::Approved);
    let approved = approved.ok_or_else(|| Error::internal("an approved version without an approval"))?;
    Ok(Envelope::parse(&approved.envelope)?)
}

/// The registrations of the keys of submission and publication, once each; the submitter's as it was then.
async fn registrations(tx: &mut Tx, e: &Effects<'_>) -> Result<Vec<Envelope>, Error> {
    let submission = submission(e)?;
    let mut envelopes = vec![Envelope::parse(&submission.registration)?];
    let submitted_with = Envelope::parse(&submission.envelope)?.keyids();
    if !submitted_with.contains(&e.signer()?) {
        envelopes.push(Envelope::parse(&registration(tx, e.signer()?).await?)?);
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

/// A release that a client would refuse is never frozen: the client's own check is run on it first.
async fn verifies(service: &Service, tx: &mut Tx, e: &Effects<'_>, release: &Release) -> Result<(), Error> {
    let root = signers::root(tx).await?;
    let origin = service.settings.origin.as_str();
    let trust = Trust { root: &root, registry: Some(origin), now: time(e.now)?, allow_expired: false };
    let version = &e.situation.target.version;
    let asked = Asked {
        patch: Some(&e.situation.target.patch.name),
        version: Some(&version.version),
        manifest: Some(version.manifest_digest),
    };
    check_documents(release, &tx.manifest(version.id).await?, &trust, asked)?;
    Ok(())
}
