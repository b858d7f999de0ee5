//! The second step of a publication: the proofs of its leaves, which need a signed head that covers them.
//!
//! The request that published does it before it answers; what a crash left is done by the job. Whoever comes first
//! freezes the release; it never changes afterwards.

use retoque_core::log::SignedCheckpoint;
use retoque_core::log::proof::ProofFile;
use retoque_core::problem::{Finding, Place, RELEASE_PENDING};
use retoque_core::release::{Asked, Release, Trust, check_documents, exact_note};

use super::super::{Error, Service, transparency};
use crate::clock::time;
use crate::log::tiles::Prover;
use crate::store::id::VersionId;

/// Releases of one round.
const ROUND: u32 = 100;

/// Makes the proofs of a version's release and freezes it, unless that was done.
pub(in crate::service) async fn finish(service: &Service, version: VersionId) -> Result<(), Error> {
    let Some(draft) = service.store.read().await?.release_draft(version).await? else { return Ok(()) };
    let mut release = Release::parse(&draft).map_err(|f| Error::internal(format!("a stored draft: {f}")))?;
    // Asked for after the draft was read, so it covers the entries of the draft.
    let newest = transparency::newest(service).await?;
    let (origin, size) = (newest.checkpoint.origin().to_owned(), newest.checkpoint.size());
    let mut tx = service.store.read().await?;
    let chain = service.roots.chain(&mut tx).await?;
    let manifest = tx.manifest(version).await?;
    let checkpoint = SignedCheckpoint::from_note(exact_note(&newest.note, &origin, size, &chain)?)?;
    let mut prover = Prover::new(&mut tx);
    for entry in &mut release.log_proofs {
        let hashes = prover.inclusion(entry.index, size).await?;
        entry.proof = ProofFile::new(entry.index, hashes, checkpoint.clone()).to_string();
    }
    drop(tx);
    // The checkpoint may have been signed by a key that a root after the decision brought.
    release.root_chain = chain.envelopes();
    let now = time(service.chance.now())?;
    let trust = Trust { registry: Some(&service.settings.origin), allow_expired: true, ..Trust::new(&chain, now) };
    if let Err(findings) = check_documents(&release, &manifest, &trust, Asked::default()) {
        let first = findings.first_error().map(ToString::to_string).unwrap_or_default();
        return Err(Error::internal(format!("a release that clients would refuse: {first}")));
    }
    let bytes = &release.to_bytes()?;
    service
        .store
        .write(|mut tx| async move {
            tx.finish_release(version, bytes).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
}

/// Finishes every release that waits. Answers how many; one that cannot be finished stops none of the others.
pub async fn finish_all(service: &Service) -> Result<usize, Error> {
    let waiting = service.store.read().await?.open_releases(ROUND).await?;
    let (mut finished, mut failed) = (0, None);
    for version in waiting {
        match finish(service, version).await {
            Ok(()) => finished += 1,
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(finished), Err)
}

/// What is said of a release that waits for its proofs.
pub(in crate::service) fn pending() -> Error {
    let next = "ask again in a few seconds";
    Finding::new(RELEASE_PENDING, Place::default(), "a release that waits for its proofs", "a finished release", next)
        .into()
}
