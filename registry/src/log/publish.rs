//! Checkpoints: the newest head, signed after its commit and stored before anybody sees it.
//!
//! The primary key decides which note of a head is served, whatever replica signs first, so there are never two. The
//! log's own cosignature says how fresh the answer is and is made anew when it is older than an hour; lines of
//! witnesses join when they are there. No signer is called while the log is locked. Refuses a stored note that speaks of
//! another head than the stored one.

use jiff::Timestamp;
use retoque_core::log::note::{Line, MAX_LINES};
use retoque_core::log::{Checkpoint, Note, VerifierKey, cosignature};
use retoque_core::sign::{Role, Signer, Time};

use super::{Error, damaged};
use crate::keys::retired;
use crate::store::meta::LOG_KEY_ID;
use crate::store::notes::{Cosignature, StoredNote};
use crate::store::{Store, Tx};

/// The age at which the log's own cosignature is made anew.
pub(super) const REFRESH_SECONDS: i64 = 60 * 60;

/// A checkpoint as it is served.
#[derive(Debug, Clone)]
pub struct Published {
    /// What it says.
    pub checkpoint: Checkpoint,
    /// The note with all its lines.
    pub note: Note,
}

/// The log's name and its key.
#[derive(Clone, Copy)]
pub struct LogKey<'a> {
    /// The name of the log.
    pub origin: &'a str,
    /// The `platform-log` key.
    pub signer: &'a (dyn Signer + Send + Sync),
}

/// The newest head as a checkpoint: signed, and cosigned within the last hour.
pub async fn newest(store: &Store, key: LogKey<'_>, now: Timestamp) -> Result<Published, Error> {
    let own = VerifierKey::cosigner(key.origin, key.signer.public().clone())?;
    let keyid = key.signer.public().id().to_string();
    let mut tx = store.read().await?;
    still_ours(&mut tx, key.signer).await?;
    let head = tx.newest_head().await?.ok_or_else(|| damaged("no head", "one for every append"))?;
    let checkpoint = Checkpoint::new(key.origin, head)?;
    let known = stored(&mut tx, &checkpoint, &keyid).await?;
    drop(tx);
    let oldest = now.as_second() - REFRESH_SECONDS;
    let fresh = |c: &Cosignature| c.key_id == own.id() && c.name == own.name() && c.cosigned_at.as_second() >= oldest;
    if let Some((note, lines)) = known
        && lines.iter().any(fresh)
    {
        return Ok(Published { note: join(note, &lines)?, checkpoint });
    }
    let note = StoredNote {
        origin: key.origin.to_owned(),
        size: head.size,
        keyid: keyid.clone(),
        note: checkpoint.sign(key.signer)?.to_string(),
    };
    let line = cosign(&checkpoint, key, now)?;
    let (note, line, found) = (&note, &line, (&checkpoint, &keyid));
    let (note, lines) = store
        .write(|mut tx| async move {
            still_ours(&mut tx, key.signer).await?;
            tx.insert_note(note, now).await?;
            tx.put_cosignature(&note.origin, note.size, line).await?;
            let kept = stored(&mut tx, found.0, found.1).await?;
            Ok::<_, Error>(tx.done(kept.ok_or_else(|| damaged("no note", "the one that was just stored"))?))
        })
        .await?;
    Ok(Published { note: join(note, &lines)?, checkpoint })
}

/// Refuses a key that another one has replaced since this replica started: it signs no head any more.
async fn still_ours(tx: &mut Tx, signer: &(dyn Signer + Send + Sync)) -> Result<(), Error> {
    let id = signer.public().id();
    match tx.meta(LOG_KEY_ID).await? {
        Some(expected) if expected != id.to_string() => Err(Error::Retired(retired(Role::PlatformLog, id))),
        _ => Ok(()),
    }
}

/// The stored note of a head with the lines of its cosigners.
async fn stored(tx: &mut Tx, checkpoint: &Checkpoint, keyid: &str) -> Result<Option<(Note, Vec<Cosignature>)>, Error> {
    let Some(text) = tx.signed_note(checkpoint.origin(), checkpoint.size(), keyid).await? else { return Ok(None) };
    let note = Note::parse(text.as_bytes())?;
    // Serving it would show a fork: another root than the head that is stored now was signed under this size.
    if note.text() != checkpoint.to_string() {
        let found = format!("a signed note of another head of {} leaves", checkpoint.size());
        return Err(damaged(found, format!("root {}", checkpoint.root())).into());
    }
    Ok(Some((note, tx.cosignatures(checkpoint.origin(), checkpoint.size()).await?)))
}

/// The log's own line at this time.
fn cosign(checkpoint: &Checkpoint, key: LogKey<'_>, now: Timestamp) -> Result<Cosignature, Error> {
    let seconds = Timestamp::from_second(now.as_second()).unwrap_or(now);
    let time = Time::from_micros(seconds.as_microsecond()).map_err(|e| damaged(e.to_string(), "a time"))?;
    let line = cosignature::sign(checkpoint, key.origin, key.signer, time)?;
    Ok(Cosignature { name: line.name().to_owned(), key_id: line.id(), line: line.to_string(), cosigned_at: seconds })
}

/// The note with the cosigners' lines behind the log's own, as many as a reader takes.
fn join(mut note: Note, lines: &[Cosignature]) -> Result<Note, Error> {
    for line in lines.iter().take(MAX_LINES - 1) {
        note.put(Line::parse(&line.line)?);
    }
    Ok(note)
}
