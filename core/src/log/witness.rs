//! The `add-checkpoint` call of C2SP tlog-witness: what is asked, and what a witness may answer.
//!
//! ```text
//! old 20852014
//! PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
//!
//! log.example
//! 20852163
//! …
//! ```
//!
//! A witness cosigns only what continues the tree it cosigned before. [`judge`] decides that from the request and what
//! the witness knows; keeping it and signing is done by who calls it, in that order.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::checkpoint::{self, Checkpoint, SignedCheckpoint, VerifiedCheckpoint, parse_hash};
use super::note::Line;
use super::tree::{Head, MAX_PROOF};
use super::vkey::VerifierKey;
use super::{cosignature, decimal};
use crate::digest::Digest;
use crate::problem::{BAD_REQUEST, Finding, LOG_FORK, Place, WITNESS_ANSWER, quote};
use crate::sign::{KeySet, Time};

/// The largest request: a checkpoint behind the longest proof.
pub const MAX_BYTES: usize = checkpoint::MAX_BYTES + 64 * (MAX_PROOF + 1);
/// The media type of the answer that names the size a witness knows.
pub const SIZE_MEDIA_TYPE: &str = "text/x.tlog.size";

/// A checkpoint with the proof that it continues the one before. Displayed as the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The size that the witness is thought to know; 0 when it knows none.
    pub old: u64,
    /// The consistency proof from there.
    pub proof: Vec<Digest>,
    /// The checkpoint to cosign.
    pub checkpoint: SignedCheckpoint,
}

impl AddCheckpoint {
    /// Reads a request, strictly and within [`MAX_BYTES`]. Nothing is verified yet.
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        const FORM: &str = "`old N`, proof hashes in base64, an empty line and a checkpoint";
        if bytes.len() > MAX_BYTES {
            return Err(refuse(format!("{} bytes", bytes.len()), format!("at most {MAX_BYTES} bytes")));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| refuse("bytes that are not UTF-8", FORM))?;
        let (before, checkpoint) = text.split_once("\n\n").ok_or_else(|| refuse("no empty line", FORM))?;
        let mut lines = before.split('\n');
        let old = lines.next().and_then(|line| line.strip_prefix("old ")).and_then(decimal::parse);
        let old = old.ok_or_else(|| refuse("no line with the old size", FORM))?;
        let parse_line = |line: &str| parse_hash(line).ok_or_else(|| refuse(format!("the line {}", quote(line)), FORM));
        let proof = lines.map(parse_line).collect::<Result<Vec<_>, _>>()?;
        if proof.len() > MAX_PROOF {
            return Err(refuse(format!("{} hashes", proof.len()), format!("at most {MAX_PROOF}")));
        }
        Ok(Self { old, proof, checkpoint: SignedCheckpoint::parse(checkpoint.as_bytes())? })
    }
}

impl fmt::Display for AddCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old)?;
        for hash in &self.proof {
            writeln!(f, "{}", STANDARD.encode(hash.as_bytes()))?;
        }
        write!(f, "\n{}", self.checkpoint.note())
    }
}

/// Why a witness does not cosign, one for each status of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// 403: no trusted key of the log signed it.
    Unsigned(Finding),
    /// 400: the old size is larger than that of the checkpoint.
    OldIsLarger(Finding),
    /// 409: the witness knows this size, and not the old size of the request.
    Elsewhere(u64),
    /// 409: the witness cosigned another root for this size. The log shows two histories.
    Forked(u64, Finding),
    /// 422: the proof does not join the trees.
    Unproven(Finding),
}

/// Decides about a request: `known` is what the witness cosigned last for this origin, `keys` are those of its log. Gives
/// the checkpoint that may be kept and then cosigned.
pub fn judge(request: &AddCheckpoint, keys: &KeySet, known: Option<Head>) -> Result<VerifiedCheckpoint, Refusal> {
    let claimed = request.checkpoint.claimed();
    let checkpoint = request.checkpoint.verify(claimed.origin(), keys).map_err(Refusal::Unsigned)?;
    if request.old > checkpoint.size() {
        let found = format!("an old size of {} for a checkpoint of {}", request.old, checkpoint.size());
        return Err(Refusal::OldIsLarger(refuse(found, "an old size that is not larger")));
    }
    let known = known.unwrap_or_else(Head::empty);
    if request.old != known.size {
        return Err(Refusal::Elsewhere(known.size));
    }
    match checkpoint.head().verify_consistency(&known, &request.proof) {
        Ok(()) => Ok(checkpoint),
        Err(finding) if finding.code == LOG_FORK => Err(Refusal::Forked(known.size, finding)),
        Err(finding) => Err(Refusal::Unproven(finding)),
    }
}

/// The line of `key` in an answer with status 200, and its time. Lines of other keys are ignored, as the protocol asks.
pub fn read_lines(bytes: &[u8], checkpoint: &Checkpoint, key: &VerifierKey) -> Result<(Line, Time), Finding> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= checkpoint::MAX_BYTES);
    let text = text.and_then(|text| text.strip_suffix('\n')).ok_or_else(|| unexpected("no lines of text"))?;
    for line in text.split('\n') {
        let line = Line::parse(line)?;
        if line.claims(key) {
            let time = cosignature::verify(&checkpoint.to_string(), key, &line)?;
            return Ok((line, time));
        }
    }
    Err(unexpected("lines of other keys alone"))
}

/// The size in an answer with status 409.
pub fn read_size(bytes: &[u8]) -> Result<u64, Finding> {
    let text = std::str::from_utf8(bytes).ok().and_then(|text| text.strip_suffix('\n'));
    text.and_then(decimal::parse).ok_or_else(|| unexpected("no size"))
}

fn unexpected(found: &str) -> Finding {
    let expected = "a cosignature of the key in the settings, or the size that the witness knows";
    let next = "compare address and verifier key in the settings with those of the witness";
    Finding::new(WITNESS_ANSWER, Place::default(), found, expected, next)
}

fn refuse(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "send what C2SP tlog-witness describes";
    Finding::new(BAD_REQUEST, Place::default(), found, expected, next)
}

#[cfg(test)]
#[path = "witness_tests.rs"]
mod tests;
