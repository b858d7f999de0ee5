//! The transparency log over the database: appended in the transaction of what it records, signed after the commit,
//! and read back as tiles and proofs.
//!
//! Tiles are made from rows, so a head is never served before its tiles are readable. Refuses to sign a head that
//! contradicts what was signed before. Clause: specification, section 8.

pub mod check;
pub mod publish;
pub mod sequence;
pub mod tiles;
pub mod witnesses;

pub use sequence::append;

use retoque_core::problem::Finding;

use crate::store::{self, Transient};

/// Why the log could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refused or failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The key of this replica was replaced.
    #[error("{0}")]
    Retired(Finding),
    /// What is stored or signed is not what a log can be.
    #[error("the log: {0}")]
    Broken(Finding),
}

impl From<Finding> for Error {
    fn from(finding: Finding) -> Self {
        Self::Broken(finding)
    }
}

impl Transient for Error {
    fn is_transient(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_transient())
    }
}

/// What is stored contradicts itself: nothing is appended, signed or served from it.
fn damaged(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    use retoque_core::problem::{LOG_DAMAGED, Place};
    let next = "stop every replica, and restore the database from the newest backup; do not go on from this one";
    Finding::new(LOG_DAMAGED, Place::field("log"), found, expected, next)
}
