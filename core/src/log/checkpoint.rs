//! Checkpoints of C2SP tlog-checkpoint: origin, size and root as the text of a signed note.
//!
//! Refuses extension lines, notes over 16 KiB, origins that cannot name a key, and second spellings of a number or a
//! hash. What was only read ([`SignedCheckpoint`]) and what was verified ([`VerifiedCheckpoint`]) are different types.

use std::fmt;
use std::ops::Deref;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::cosignature;
use super::decimal;
use super::note::{Note, is_name};
use super::tree::Head;
use super::vkey::VerifierKey;
use crate::digest::Digest;
use crate::problem::{
    CHECKPOINT_INVALID, CHECKPOINT_UNSIGNED, Code, Finding, KEY_REVOKED, LOG_ORIGIN_MISMATCH, Place, SIGNATURE_INVALID,
    THRESHOLD, WRONG_ROLE, quote,
};
use crate::sign::{KeyId, KeySet, PublicKey, Signer, Time};

/// The largest checkpoint that is read.
pub const MAX_BYTES: usize = super::note::MAX_BYTES;

/// What a checkpoint says: the log of this origin has this many leaves and this root. Displayed as the signed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    origin: String,
    head: Head,
}

impl Checkpoint {
    /// The checkpoint of this head.
    pub fn new(origin: &str, head: Head) -> Result<Self, Finding> {
        if !is_name(origin) {
            let expected = "an origin without spaces, control characters and `+`";
            return Err(refuse(CHECKPOINT_INVALID, format!("the origin {}", quote(origin)), expected));
        }
        if head.size > super::MAX_SIZE || (head.size == 0) != (head.root == super::empty_root()) {
            let found = format!("root {} for {} leaves", head.root, head.size);
            return Err(refuse(CHECKPOINT_INVALID, found, "the empty root for the empty tree, and for no other"));
        }
        Ok(Self { origin: origin.to_owned(), head })
    }

    /// Reads the text of a checkpoint: three lines.
    pub fn parse_text(text: &str) -> Result<Self, Finding> {
        let fail = |found: String| refuse(CHECKPOINT_INVALID, found, "three lines: origin, size, root in base64");
        let mut lines = text.split('\n');
        let (Some(origin), Some(size), Some(root), Some(""), None) =
            (lines.next(), lines.next(), lines.next(), lines.next(), lines.next())
        else {
            return Err(fail(format!("{} lines", text.lines().count())));
        };
        let size = decimal::parse(size).ok_or_else(|| fail(format!("the size {}", quote(size))))?;
        let root = parse_hash(root).ok_or_else(|| fail(format!("the root {}", quote(root))))?;
        Self::new(origin, Head { size, root })
    }

    /// Signs it as the log: Ed25519 under the origin.
    pub fn sign(&self, signer: &dyn Signer) -> Result<Note, Finding> {
        Note::sign(&self.to_string(), &self.origin, signer)
    }

    /// The origin.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// How many leaves the tree has.
    pub const fn size(&self) -> u64 {
        self.head.size
    }

    /// The root hash.
    pub const fn root(&self) -> Digest {
        self.head.root
    }

    /// Size and root.
    pub const fn head(&self) -> Head {
        self.head
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}\n{}", self.origin, self.head.size, STANDARD.encode(self.head.root.as_bytes()))
    }
}

/// A hash in standard base64, in its one spelling.
pub(super) fn parse_hash(text: &str) -> Option<Digest> {
    STANDARD.decode(text).ok()?.try_into().ok().map(Digest::from_bytes)
}

/// A note that holds a checkpoint. Nothing is verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    claimed: Checkpoint,
    note: Note,
}

impl SignedCheckpoint {
    /// Reads a checkpoint with its signature lines, strictly and within [`MAX_BYTES`].
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        Self::from_note(Note::parse(bytes)?)
    }

    /// The checkpoint in a note.
    pub fn from_note(note: Note) -> Result<Self, Finding> {
        Ok(Self { claimed: Checkpoint::parse_text(note.text())?, note })
    }

    /// What the note claims: to find out whose keys are needed, never to act on.
    pub const fn claimed(&self) -> &Checkpoint {
        &self.claimed
    }

    /// The note.
    pub const fn note(&self) -> &Note {
        &self.note
    }

    /// Gives the checkpoint when it is of this origin and enough different keys of `keys` signed it under the origin.
    /// A line that names one of these keys, but was not made by it, refuses the whole note.
    pub fn verify(&self, origin: &str, keys: &KeySet) -> Result<VerifiedCheckpoint, Finding> {
        if self.claimed.origin != origin {
            let found = format!("a checkpoint of {}", quote(&self.claimed.origin));
            return Err(refuse(LOG_ORIGIN_MISMATCH, found, format!("the log {}", quote(origin))));
        }
        let mut signers = Vec::new();
        for key in keys.keys() {
            match self.signed_by(key)? {
                None => {}
                Some(true) => signers.push(key.clone()),
                Some(false) => {
                    let found = format!("a signature line that key {} did not make", key.id());
                    return Err(refuse(SIGNATURE_INVALID, found, "the signature of the log"));
                }
            }
        }
        if !keys.is_met_by(&signers.iter().map(PublicKey::id).collect::<Vec<_>>()) {
            return Err(self.diagnose(keys, signers.len()));
        }
        Ok(VerifiedCheckpoint { checkpoint: self.claimed.clone(), note: self.note.clone(), signers })
    }

    fn signed_by(&self, key: &PublicKey) -> Result<Option<bool>, Finding> {
        Ok(self.note.signed_by(&VerifierKey::log(&self.claimed.origin, key.clone())?))
    }

    fn diagnose(&self, keys: &KeySet, good: usize) -> Finding {
        let wanted = format!("{} different signature(s) of `{}`", keys.threshold(), keys.purpose());
        if good > 0 {
            return refuse(THRESHOLD, format!("{good} of them"), wanted);
        }
        let made = |key: &PublicKey| matches!(self.signed_by(key), Ok(Some(true)));
        if let Some(key) = keys.revoked().iter().find(|key| made(key)) {
            return refuse(KEY_REVOKED, format!("a signature of the revoked key {}", key.id()), wanted);
        }
        if let Some((role, key)) = keys.elsewhere().iter().find(|(_, key)| made(key)) {
            return refuse(WRONG_ROLE, format!("a signature of `{role}` (key {})", key.id()), wanted);
        }
        refuse(CHECKPOINT_UNSIGNED, "no signature of a trusted key of the log", wanted)
    }
}

/// A checkpoint that the log signed. Only verification makes one; proofs are checked against it.
#[derive(Debug, Clone)]
pub struct VerifiedCheckpoint {
    checkpoint: Checkpoint,
    note: Note,
    signers: Vec<PublicKey>,
}

impl VerifiedCheckpoint {
    /// The note that was verified, with all its lines.
    pub const fn note(&self) -> &Note {
        &self.note
    }

    /// The keys of the log that signed it.
    pub fn signers(&self) -> impl Iterator<Item = KeyId> {
        self.signers.iter().map(PublicKey::id)
    }

    /// Whether `key` is one of the keys of the log that signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.signers.contains(key)
    }

    /// Whether the leaf with this hash stands at `index`.
    pub fn verify_inclusion(&self, index: u64, leaf: &Digest, proof: &[Digest]) -> Result<(), Finding> {
        self.checkpoint.head.verify_inclusion(index, leaf, proof)
    }

    /// When `key` cosigned it last; `None` when it did not. A line that names the key, but was not made by it, is
    /// refused.
    pub fn cosigned_by(&self, key: &VerifierKey) -> Result<Option<Time>, Finding> {
        cosignature::newest(&self.note, key)
    }

    /// When the log itself cosigned it last. This says how fresh it is; it is never a witness.
    pub fn cosigned_by_itself(&self) -> Result<Option<Time>, Finding> {
        let mut newest = None;
        for key in &self.signers {
            let key = VerifierKey::cosigner(&self.checkpoint.origin, key.clone())?;
            newest = newest.max(self.cosigned_by(&key)?);
        }
        Ok(newest)
    }
}

impl Deref for VerifiedCheckpoint {
    type Target = Checkpoint;
    fn deref(&self) -> &Checkpoint {
        &self.checkpoint
    }
}

fn refuse(code: Code, found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "fetch the checkpoint again from the log that you trust";
    Finding::new(code, Place::default(), found, expected, next)
}

#[cfg(test)]
#[path = "checkpoint_tests.rs"]
mod tests;
