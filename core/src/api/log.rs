//! Proofs that what happened to a version stands in the log.

use serde::{Deserialize, Serialize};

use crate::decision::Record;

/// One record with its proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Every record of a version, oldest first, under one checkpoint (`GET …/versions/{version}/proofs`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogProofs {
    /// One for each record.
    pub proofs: Vec<LogProof>,
}
