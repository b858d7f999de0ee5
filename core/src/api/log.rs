//! The head of the log, and proofs that what happened to a version stands in it.

use serde::{Deserialize, Serialize};

use crate::sign::Envelope;

pub use crate::decision::LogProof;

/// The newest head of the log and the status of all versions as of it (`GET /head`): one consistent pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogHead {
    /// The checkpoint: a signed note.
    pub checkpoint: String,
    /// The signed status, of the same origin, size and root.
    pub status: Envelope,
}

/// Every record of a version, oldest first, under one checkpoint (`GET …/versions/{version}/proofs`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogProofs {
    /// One for each record.
    pub proofs: Vec<LogProof>,
}
