//! The log as others see it: its newest checkpoint, its tiles, and the proofs of one version's records.
//!
//! Tiles are public, the leaves of private patches are commitments in them; what opens such a leaf goes only to those
//! who may read the version. Nothing beyond the newest signed size is served.

use retoque_core::api::{LogProof, LogProofs};
use retoque_core::decision::Record;
use retoque_core::id::PatchName;
use retoque_core::log::proof::ProofFile;
use retoque_core::log::{Resource, SignedCheckpoint, VerifierKey};
use retoque_core::permission::Act;
use retoque_core::sign::Root;

use super::policy::{Subject, authorize};
use super::target::{self, VersionRef};
use super::{Actor, Error, Service, signers};
use crate::config::Witness;
use crate::log::publish::{LogKey, Published};
use crate::log::tiles::{self, Prover};
use crate::store::decisions::DecisionRow;

/// The newest checkpoint, as the note that was signed.
pub async fn checkpoint(service: &Service, actor: &Actor) -> Result<String, Error> {
    authorize(actor, Act::ReadRegistry, Subject::PLATFORM)?;
    Ok(newest(service).await?.note.to_string())
}

/// The bytes behind a path below `tile/`.
pub async fn resource(service: &Service, actor: &Actor, path: &str) -> Result<Vec<u8>, Error> {
    authorize(actor, Act::ReadRegistry, Subject::PLATFORM)?;
    let missing = || Error::not_found("such tile");
    let resource: Resource = path.parse().map_err(|_| missing())?;
    let mut tx = service.store.read().await?;
    let signed = tx.signed_size().await?;
    Ok(match resource {
        Resource::Tile(tile) if tile.is_within(signed) => tiles::tile(&mut tx, tile).await?,
        Resource::Entries(bundle) if bundle.is_within(signed) => tiles::entries(&mut tx, bundle).await?,
        _ => return Err(missing()),
    })
}

/// The proofs of every record of a version, under the newest checkpoint; and whether only the caller may keep them.
pub async fn proofs(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
) -> Result<(LogProofs, bool), Error> {
    let (rows, private) = records(service, actor, name, at).await?;
    let mut proofs = Vec::with_capacity(rows.len());
    for (row, proof) in prove(service, &rows).await? {
        let record = Record::parse(&row.record).map_err(|_| Error::internal("an unreadable stored record"))?;
        let salt = row.salt.as_deref().map(hex::encode);
        proofs.push(LogProof { index: row.log_index, record, salt, proof: proof.to_string() });
    }
    Ok((LogProofs { proofs }, private))
}

/// The proof file of the record with this number in the history of the version: its decider's receipt.
pub async fn receipt(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
    n: u64,
) -> Result<(String, bool), Error> {
    let (mut rows, private) = records(service, actor, name, at).await?;
    rows.retain(|row| row.n == n);
    let proofs = prove(service, &rows).await?;
    let (_, proof) = proofs.first().ok_or_else(|| Error::not_found("record of this version"))?;
    Ok((proof.to_string(), private))
}

/// Signs the newest head and has it cosigned, unless that was done within the hour.
pub async fn refresh(service: &Service) -> Result<u64, Error> {
    Ok(newest(service).await?.checkpoint.size())
}

/// The newest checkpoint of this registry's log.
pub(super) async fn newest(service: &Service) -> Result<Published, Error> {
    let root = signers::root(&mut service.store.read().await?).await?;
    let origin = root.log_origin(&service.settings.origin);
    let key = LogKey { origin: &origin, signer: service.signers.log.as_ref() };
    let witnesses = reachable(&root)?;
    Ok(service.witnesses.newest(&service.store, key, &witnesses, service.chance.now()).await?)
}

/// The witnesses to which the root gives an address.
fn reachable(root: &Root) -> Result<Vec<Witness>, Error> {
    let reached = root.witnesses().into_iter().filter_map(|w| w.url.map(|url| (w.name, w.key, url)));
    reached.map(|(name, key, url)| Ok(Witness { key: VerifierKey::cosigner(&name, key)?, url })).collect()
}

/// The history of a version that the actor may read.
async fn records(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
) -> Result<(Vec<DecisionRow>, bool), Error> {
    let mut tx = service.store.read().await?;
    let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
    Ok((tx.decisions(target.version.id).await?, target.is_private()))
}

/// A proof for each row. The checkpoint is taken after the rows were read, so it holds all of them.
async fn prove<'r>(service: &Service, rows: &'r [DecisionRow]) -> Result<Vec<(&'r DecisionRow, ProofFile)>, Error> {
    let newest = newest(service).await?;
    let checkpoint = SignedCheckpoint::from_note(newest.note)?;
    let mut tx = service.store.read().await?;
    let mut prover = Prover::new(&mut tx);
    let mut proofs = Vec::with_capacity(rows.len());
    for row in rows {
        let hashes = prover.inclusion(row.log_index, newest.checkpoint.size()).await?;
        proofs.push((row, ProofFile::new(row.log_index, hashes, checkpoint.clone())));
    }
    Ok(proofs)
}
