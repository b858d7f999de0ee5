//! Proof files of C2SP tlog-proof: that a leaf is in the log, checked without the log.
//!
//! ```text
//! c2sp.org/tlog-proof@v1
//! index 73894
//! gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
//!
//! log.example
//! 109482
//! …
//! ```
//!
//! Refuses files over 32 KiB, more than 63 hashes, second spellings, and a checkpoint that is none. Index and hashes
//! are claims; size and root come from the checkpoint once it is verified.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::checkpoint::{SignedCheckpoint, VerifiedCheckpoint, parse_hash};
use super::decimal;
use super::tree::MAX_PROOF;
use crate::digest::Digest;
use crate::problem::{Finding, PROOF_INVALID, Place, quote};
use crate::sign::KeySet;

/// The largest proof file that is read.
pub const MAX_BYTES: usize = 32 * 1024;

const HEADER: &str = "c2sp.org/tlog-proof@v1";

/// A proof file. Displayed as the file. Nothing is verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofFile {
    extra: Vec<u8>,
    index: u64,
    hashes: Vec<Digest>,
    checkpoint: SignedCheckpoint,
}

impl ProofFile {
    /// The file for leaf `index` of this checkpoint.
    pub const fn new(index: u64, hashes: Vec<Digest>, checkpoint: SignedCheckpoint) -> Self {
        Self { extra: Vec::new(), index, hashes, checkpoint }
    }

    /// The same file with data that nobody vouches for. Empty data is no data.
    #[must_use]
    pub fn with_extra(mut self, extra: Vec<u8>) -> Self {
        self.extra = extra;
        self
    }

    /// Reads a file, strictly and within [`MAX_BYTES`].
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        const FORM: &str = "header, perhaps `extra`, `index N`, hashes in base64, an empty line, a checkpoint";
        if bytes.len() > MAX_BYTES {
            return Err(refuse(format!("{} bytes", bytes.len()), format!("at most {MAX_BYTES} bytes")));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| refuse("bytes that are not UTF-8", FORM))?;
        let (proof, checkpoint) = text.split_once("\n\n").ok_or_else(|| refuse("no empty line", FORM))?;
        let mut lines = proof.split('\n').peekable();
        if lines.next() != Some(HEADER) {
            return Err(refuse(format!("a file that starts with {}", quote(&text[..first_line(text)])), HEADER));
        }
        let mut extra = Vec::new();
        if let Some(data) = lines.next_if(|line| line.starts_with("extra ")).and_then(|l| l.strip_prefix("extra ")) {
            extra = STANDARD.decode(data).map_err(|_| refuse("`extra` that is not standard base64", FORM))?;
            if extra.is_empty() {
                return Err(refuse("`extra` without data", FORM));
            }
        }
        let index = lines.next().unwrap_or_default();
        let index = index.strip_prefix("index ").and_then(decimal::parse);
        let index = index.ok_or_else(|| refuse("no line with an index", FORM))?;
        let parse_line = |line: &str| parse_hash(line).ok_or_else(|| refuse(format!("the line {}", quote(line)), FORM));
        let hashes = lines.map(parse_line).collect::<Result<Vec<_>, _>>()?;
        if hashes.len() > MAX_PROOF {
            return Err(refuse(format!("{} hashes", hashes.len()), format!("at most {MAX_PROOF}")));
        }
        Ok(Self { extra, index, hashes, checkpoint: SignedCheckpoint::parse(checkpoint.as_bytes())? })
    }

    /// The log index that the proof is for.
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// The hashes, from the sibling of the leaf upwards.
    pub fn hashes(&self) -> &[Digest] {
        &self.hashes
    }

    /// The data that nobody vouches for; empty when there is none.
    pub fn extra(&self) -> &[u8] {
        &self.extra
    }

    /// The checkpoint in the file, not yet verified.
    pub const fn checkpoint(&self) -> &SignedCheckpoint {
        &self.checkpoint
    }

    /// Gives the checkpoint when keys of the log signed it under this origin and the leaf stands at the index.
    pub fn verify(&self, leaf: &Digest, origin: &str, keys: &KeySet) -> Result<VerifiedCheckpoint, Finding> {
        let checkpoint = self.checkpoint.verify(origin, keys)?;
        checkpoint.verify_inclusion(self.index, leaf, &self.hashes)?;
        Ok(checkpoint)
    }

    /// Whether the leaf stands at the index of a checkpoint that was verified before. The one in the file must say the
    /// same, whoever signed it there.
    pub fn verify_in(&self, leaf: &Digest, checkpoint: &VerifiedCheckpoint) -> Result<(), Finding> {
        let claimed = self.checkpoint.claimed();
        if *claimed != **checkpoint {
            let found = format!("a proof for {} leaves of {}", claimed.size(), quote(claimed.origin()));
            let expected = format!("one for {} leaves of {}, same root", checkpoint.size(), quote(checkpoint.origin()));
            return Err(refuse(found, expected));
        }
        checkpoint.verify_inclusion(self.index, leaf, &self.hashes)
    }
}

fn first_line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

impl fmt::Display for ProofFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        if !self.extra.is_empty() {
            writeln!(f, "extra {}", STANDARD.encode(&self.extra))?;
        }
        writeln!(f, "index {}", self.index)?;
        for hash in &self.hashes {
            writeln!(f, "{}", STANDARD.encode(hash.as_bytes()))?;
        }
        write!(f, "\n{}", self.checkpoint.note())
    }
}

fn refuse(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "fetch the proof again from the registry or a mirror";
    Finding::new(PROOF_INVALID, Place::default(), found, expected, next)
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
