//! Cosignatures of C2SP tlog-cosignature (`cosignature/v1`): a witness saw this as the newest checkpoint at that time.
//!
//! The timestamp is part of what is signed. Refuses lines of another length and times outside of the calendar.

use super::checkpoint::Checkpoint;
use super::note::{Line, Note};
use super::vkey::VerifierKey;
use crate::problem::{COSIGNATURE_INVALID, Finding, Place, quote};
use crate::sign::{Signer, Time};

/// The bytes that a cosigner signs.
fn message(seconds: u64, text: &str) -> Vec<u8> {
    format!("cosignature/v1\ntime {seconds}\n{text}").into_bytes()
}

/// The line by which `signer`, under `name`, says that this was the newest checkpoint at `time` (whole seconds).
pub fn sign(checkpoint: &Checkpoint, name: &str, signer: &dyn Signer, time: Time) -> Result<Line, Finding> {
    let key = VerifierKey::cosigner(name, signer.public().clone())?;
    let seconds = u64::try_from(time.micros().div_euclid(1_000_000))
        .map_err(|_| refuse(format!("the time {time}"), "a time after 1970"))?;
    let mut bytes = seconds.to_be_bytes().to_vec();
    bytes.extend_from_slice(&signer.sign(&message(seconds, &checkpoint.to_string()))?);
    Ok(Line::new(&key, bytes))
}

/// The time of a line over `text`, when `key` made it.
pub fn verify(text: &str, key: &VerifierKey, line: &Line) -> Result<Time, Finding> {
    let name = quote(key.name());
    let fail = |found: &str| refuse(format!("{found} under the name {name}"), "a cosignature that its key made");
    let (seconds, signature) = line.signature().split_first_chunk::<8>().ok_or_else(|| fail("a short line"))?;
    let seconds = u64::from_be_bytes(*seconds);
    if !line.claims(key) || !key.key().verifies(&message(seconds, text), signature) {
        return Err(fail("a line that its key did not make"));
    }
    let micros = i64::try_from(seconds).ok().and_then(|s| s.checked_mul(1_000_000));
    micros.and_then(|m| Time::from_micros(m).ok()).ok_or_else(|| fail("a time outside of the calendar"))
}

/// When `key` cosigned last; `None` when no line claims to be of it. One bad line of it refuses the note.
pub(super) fn newest(note: &Note, key: &VerifierKey) -> Result<Option<Time>, Finding> {
    let mut newest = None;
    for line in note.lines().iter().filter(|line| line.claims(key)) {
        newest = newest.max(Some(verify(note.text(), key, line)?));
    }
    Ok(newest)
}

fn refuse(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "fetch the checkpoint again; if it stays, ask who runs the log and the witness";
    Finding::new(COSIGNATURE_INVALID, Place::default(), found, expected, next)
}

#[cfg(test)]
#[path = "cosignature_tests.rs"]
mod tests;
