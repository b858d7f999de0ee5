//! The history of a version: each entry is a decision row, a decision record and a log leaf, written together.

use retoque_core::decision::{Commitment, RecordKind, VersionRecord};
use retoque_core::digest::Digest;
use retoque_core::id::{AccountName, Version};
use retoque_core::lifecycle::State;

use retoque_core::api::Visibility;

use super::{Error, Service, chain};
use crate::clock::time;
use crate::log;
use crate::store::Tx;
use crate::store::decisions::DecisionRow;
use crate::store::id::{AccountId, DecisionId, VersionId};
use crate::store::patches::Patch;

/// What happened.
pub(super) struct Entry<'a> {
    pub(super) kind: RecordKind,
    pub(super) actor: (AccountId, &'a AccountName),
    /// The signed document, in its stored form.
    pub(super) envelope: &'a [u8],
    /// The state after it.
    pub(super) state: State,
    pub(super) at: jiff::Timestamp,
}

/// Appends an entry and answers its place in the log. Call it last in a transaction: from here on other writers of the
/// log wait.
pub(super) async fn record(
    service: &Service,
    tx: &mut Tx,
    patch: &Patch,
    (id, version, manifest): (VersionId, &Version, Digest),
    entry: &Entry<'_>,
) -> Result<u64, Error> {
    let last = tx.last_decision(id).await?;
    // Two clocks of two replicas may differ; the history of one version still goes forward.
    let at = last.as_ref().map_or(entry.at, |last| entry.at.max(last.created_at));
    let record = VersionRecord {
        format: retoque_core::decision::FORMAT.to_owned(),
        kind: entry.kind,
        patch: patch.name.clone(),
        version: version.clone(),
        manifest,
        actor: entry.actor.1.clone(),
        envelope: Digest::of(entry.envelope),
        previous: last.as_ref().map(|last| last.record_sha256),
        time: time(at)?,
        state: entry.state,
    };
    let record = record.to_bytes()?;
    let salt = match patch.visibility {
        Visibility::Public => None,
        Visibility::Private => Some(service.chance.bytes::<32>()?),
    };
    // What a private patch does is nobody's business, but that nothing was taken back is everybody's.
    let leaf = match &salt {
        None => record.clone(),
        Some(salt) => Commitment::to(salt, &record).to_bytes()?,
    };
    let log_index = log::append(tx, &leaf, at).await?;
    chain::ours_count(service, tx, log_index).await?;
    let row = DecisionRow {
        id: DecisionId::mint(&service.chance)?,
        version_id: id,
        n: last.map_or(0, |last| last.n + 1),
        kind: entry.kind,
        actor_id: entry.actor.0,
        actor: entry.actor.1.clone(),
        envelope: entry.envelope.to_vec(),
        record_sha256: Digest::of(&record),
        record,
        salt: salt.map(|s| s.to_vec()),
        created_at: at,
        log_index,
    };
    tx.insert_decision(&row).await?;
    Ok(log_index)
}
