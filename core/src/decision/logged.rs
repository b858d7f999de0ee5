//! A record together with the proof that it stands in the log.

use serde::{Deserialize, Serialize};

use super::commitment::Commitment;
use super::record::Record;
use crate::digest::Digest;
use crate::log::leaf_hash;
use crate::log::proof::ProofFile;
use crate::problem::{Finding, LEAF_MISMATCH, PROOF_INVALID, Place};

/// One record with its proof. Nothing of it is verified yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogProof {
    /// Index of its leaf in the log.
    pub index: u64,
    /// The record. It is the leaf, or what the leaf commits to.
    pub record: Record,
    /// 32 bytes in hex, when the leaf is a commitment: with the record it opens the leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
    /// The proof file (C2SP tlog-proof), with the checkpoint.
    pub proof: String,
}

impl LogProof {
    /// The record under its salt, as it is shown to those who may read it.
    pub fn new(index: u64, record: Record, salt: Option<&[u8; 32]>, proof: &ProofFile) -> Self {
        Self { index, record, salt: salt.map(hex::encode), proof: proof.to_string() }
    }

    /// The commitment that salt and record make, when there is a salt.
    pub fn commitment(&self) -> Result<Option<Commitment>, Finding> {
        let Some(text) = &self.salt else { return Ok(None) };
        let salt = Digest::from_hex(text).map_err(|_| {
            let next = "fetch the proofs of the version again";
            Finding::new(LEAF_MISMATCH, Place::field("salt"), "another text", "32 bytes in lower-case hex", next)
        })?;
        Ok(Some(Commitment::to(salt.as_bytes(), &self.record.to_bytes()?)))
    }

    /// The hash of the leaf that this record must have.
    pub fn leaf(&self) -> Result<Digest, Finding> {
        let bytes = match self.commitment()? {
            Some(commitment) => commitment.to_bytes()?,
            None => self.record.to_bytes()?,
        };
        Ok(leaf_hash(&bytes))
    }

    /// The proof file, which is for this index, holds nothing that nobody vouches for, and is in its one spelling.
    pub fn file(&self) -> Result<ProofFile, Finding> {
        let file = ProofFile::parse(self.proof.as_bytes())?;
        if file.index() == self.index && file.extra().is_empty() && file.to_string() == self.proof {
            return Ok(file);
        }
        let found = format!("a proof file for index {}, or with other text", file.index());
        let next = "fetch the proofs of the version again";
        Err(Finding::new(PROOF_INVALID, Place::field("proof"), found, format!("index {}", self.index), next))
    }
}
