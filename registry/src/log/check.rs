//! What a service looks at before it serves: does the stored log hang together, and did its own key sign what is newest.
//!
//! A database that was restored beside a newer one, edited by hand, or half copied is refused here, before it can
//! append to a damaged tree or sign a second history. It reads the right edge alone, whatever the size of the log.

use retoque_core::log::tile::FULL;
use retoque_core::log::{Bundle, Checkpoint, Frontier, Note, Tile, VerifierKey, empty_root, leaf_hash};
use retoque_core::problem::{Finding, Findings, LOG_NOT_BUILT, LOG_SIGNED_BY_OTHER, Place};
use retoque_core::sign::{Role, Root};

use super::tiles::Prover;
use super::{Error, damaged};
use crate::store::Tx;

/// Every reason why this log must not be served.
pub async fn check(tx: &mut Tx) -> Result<Findings, Error> {
    let mut findings = Findings::new();
    let (size, edge) = tx.log_counter().await?;
    if size > 0 && edge.is_empty() {
        let next = "back the database up, then run `retoque-registry migrate`";
        let found = "leaves without the tree over them";
        findings.push(Finding::new(LOG_NOT_BUILT, Place::field("log"), found, "what `migrate` builds", next));
        return Ok(findings);
    }
    for result in [tree(tx, size, &edge).await, newest_note(tx).await] {
        match result {
            Ok(()) => {}
            Err(Error::Broken(finding)) => findings.push(finding),
            Err(error) => return Err(error),
        }
    }
    Ok(findings)
}

/// Counter, leaves, right edge, newest head and the nodes of the tree say the same.
async fn tree(tx: &mut Tx, size: u64, edge: &[u8]) -> Result<(), Error> {
    let leaves = tx.last_leaf().await?.map_or(0, |last| last + 1);
    if leaves != size {
        return Err(damaged(format!("leaves up to {leaves}"), format!("{size}, as the counter says")).into());
    }
    let edge = if edge.is_empty() { Frontier::new() } else { Frontier::from_bytes(edge)? };
    let newest = tx.newest_head().await?;
    let head = edge.head();
    if head.size != size || newest.map_or((0, empty_root()), |head| (head.size, head.root)) != (head.size, head.root) {
        let found =
            newest.map_or_else(|| "no head".to_owned(), |h| format!("a head of {} with root {}", h.size, h.root));
        return Err(damaged(found, format!("one of {size} with root {}", head.root)).into());
    }
    let root = Prover::new(tx).root(size).await?;
    if root != head.root {
        return Err(damaged(format!("nodes with root {root}"), format!("root {}", head.root)).into());
    }
    let last = size.saturating_sub(1) / u64::from(FULL);
    let (Some(last), Some(tile)) = (Bundle::in_tree(size, last), Tile::in_tree(size, 0, last)) else { return Ok(()) };
    let hashes = tx.tile(tile).await?;
    if !tx.entries(last).await?.iter().map(|leaf| leaf_hash(leaf)).eq(hashes) {
        return Err(damaged(format!("leaves of {last} that were changed"), "the leaves that were hashed").into());
    }
    Ok(())
}

/// The largest size that was ever signed is there, with that root, under the signature of a key of the log.
async fn newest_note(tx: &mut Tx) -> Result<(), Error> {
    let Some(stored) = tx.newest_signed_note().await? else { return Ok(()) };
    let note = Note::parse(stored.note.as_bytes())?;
    let head = tx.head(stored.size).await?;
    let said = head.map(|head| Checkpoint::new(&stored.origin, head)).transpose()?;
    if said.is_none_or(|said| said.to_string() != note.text()) {
        let found = format!("a signed note of {} leaves that is not of the stored head", stored.size);
        return Err(damaged(found, "notes of heads of this log").into());
    }
    // An older root counts too: the key may have changed since.
    let newest = tx.latest_root().await?.map_or(0, |root| root.version);
    for version in (1..=newest).rev() {
        let Some(row) = tx.root(version).await? else { continue };
        for key in Root::trust(&row.envelope, None)?.keys(Role::PlatformLog).keys() {
            if note.signed_by(&VerifierKey::log(&stored.origin, key.clone())?) == Some(true) {
                return Ok(());
            }
        }
    }
    let next = "mount the log key of this installation, or serve the database that belongs to the key";
    let found = format!("a note of {} leaves signed by key {}", stored.size, stored.keyid);
    let place = Place::field("keys.log");
    Err(Finding::new(LOG_SIGNED_BY_OTHER, place, found, "a key that the root of trust gives the log", next).into())
}
